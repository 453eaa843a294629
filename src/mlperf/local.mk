libloadbank_a_SOURCES += include/loadbank/mlperf.h src/mlperf/words.c
libloadbank_a_SOURCES += include/loadbank/mlperf_place.h src/mlperf/place.c
libloadbank_a_SOURCES += include/loadbank/mlperf_tree.h src/mlperf/tree.c
libloadbank_a_SOURCES += include/loadbank/mlperf_config.h \
  include/loadbank/mlperf_datasize.h include/loadbank/mlperf_params.h \
  include/loadbank/mlperf_workload.h \
  src/mlperf/checkpoint_size.c src/mlperf/config.c src/mlperf/config_text.c \
  src/mlperf/core_hash.c src/mlperf/datasize.c src/mlperf/datasize_text.c \
  src/mlperf/overrides.c src/mlperf/overrides.h src/mlperf/params.c \
  src/mlperf/params_json.c src/mlperf/params_json.h src/mlperf/rehearsal.c \
  src/mlperf/workloads.c
libloadbank_a_SOURCES += \
  include/loadbank/mlperf_cli.h \
  include/loadbank/mlperf_launch.h \
  src/mlperf/flags.c \
  src/mlperf/grammar.c \
  src/mlperf/history.c \
  src/mlperf/hosts.c \
  src/mlperf/init.c \
  src/mlperf/launch.c \
  src/mlperf/parse.c \
  src/mlperf/parse_impl.h \
  src/mlperf/quote.c \
  src/mlperf/scan.c \
  src/mlperf/sentinel.c \
  src/mlperf/slurp.c \
  src/mlperf/values.c \
  src/mlperf/verbs.c \
  src/mlperf/view.c
