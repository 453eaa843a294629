libloadbank_a_SOURCES += \
  include/loadbank/host.h \
  include/loadbank/report.h \
  include/loadbank/sweep_record.h \
  src/report/csv.c \
  src/report/files.c \
  src/report/host.c \
  src/report/hydra.c \
  src/report/json.h \
  src/report/json_loadbank.c \
  src/report/json_placement.c \
  src/report/json_summary.c \
  src/report/json_text.c \
  src/report/mount.c \
  src/report/per_accelerator.c \
  src/report/progress.c \
  src/report/report_impl.h \
  src/report/slurp.c \
  src/report/slurp.h \
  src/report/steps.c \
  src/report/steps_h5.c \
  src/report/steps_h5.h \
  src/report/sweep_impl.h \
  src/report/sweep_json.c \
  src/report/sweep_record.c \
  src/report/sweep_text.c \
  src/report/text.c \
  src/report/write.c
