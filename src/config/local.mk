libloadbank_a_SOURCES += src/config/version.c
libloadbank_a_SOURCES += \
  include/loadbank/config.h \
  include/loadbank/sweep_file.h \
  include/loadbank/workload.h \
  include/loadbank/yaml.h \
  src/config/alias.c \
  src/config/arena.c \
  src/config/check.c \
  src/config/config_impl.h \
  src/config/derive.c \
  src/config/dist.c \
  src/config/find.c \
  src/config/keys.c \
  src/config/load.c \
  src/config/names.c \
  src/config/override.c \
  src/config/paths.c \
  src/config/print.c \
  src/config/rows.c \
  src/config/schema.c \
  src/config/show.c \
  src/config/sweep_file.c \
  src/config/value.c \
  src/config/yaml.c
EXTRA_DIST += docs/configuration.md docs/configuration.in.md
