libloadbank_a_SOURCES += include/loadbank/mlperf.h src/mlperf/words.c
libloadbank_a_SOURCES += src/mlperf/place.h src/mlperf/place.c
libloadbank_a_SOURCES += src/mlperf/tree.h src/mlperf/tree.c
libloadbank_a_SOURCES += src/mlperf/host.h src/mlperf/host.c \
  src/mlperf/host_drives.c src/mlperf/host_impl.h src/mlperf/host_ports.c \
  src/mlperf/host_read.c
libloadbank_a_SOURCES += src/mlperf/system.h src/mlperf/flaws.c \
  src/mlperf/system_check.c src/mlperf/system_compare.c \
  src/mlperf/system_facts.c src/mlperf/system_impl.h \
  src/mlperf/system_schema.c src/mlperf/system_values.c \
  src/mlperf/system_write.c
libloadbank_a_SOURCES += src/mlperf/image.h src/mlperf/image.c \
  src/mlperf/image_impl.h src/mlperf/image_read.c src/mlperf/tree_hash.c
libloadbank_a_SOURCES += src/mlperf/report.h \
  src/mlperf/report.c src/mlperf/report_again.c src/mlperf/report_choice.c \
  src/mlperf/report_details.c src/mlperf/report_group.c \
  src/mlperf/report_impl.h src/mlperf/report_page.c src/mlperf/report_rows.c \
  src/mlperf/report_run.c src/mlperf/report_run.h src/mlperf/report_verb.c \
  src/mlperf/report_write.c
libloadbank_a_SOURCES += src/mlperf/run.h src/mlperf/carry_out.c src/mlperf/run_verbs.c
libloadbank_a_SOURCES += src/mlperf/forewarn.h src/mlperf/forewarn.c
libloadbank_a_SOURCES += src/mlperf/gates.h src/mlperf/gates.c
libloadbank_a_SOURCES += src/mlperf/cluster.h src/mlperf/cluster.c
libloadbank_a_SOURCES += src/mlperf/dataset_there.h src/mlperf/dataset_there.c
libloadbank_a_SOURCES += src/mlperf/leaf.h src/mlperf/leaf.c
libloadbank_a_SOURCES += src/mlperf/life.h src/mlperf/life.c
libloadbank_a_SOURCES += src/mlperf/metadata.h src/mlperf/metadata.c
libloadbank_a_SOURCES += src/mlperf/origin.h src/mlperf/origin.c
libloadbank_a_SOURCES += src/mlperf/probe.h src/mlperf/probe.c
libloadbank_a_SOURCES += src/mlperf/run_overrides.h src/mlperf/run_overrides.c
libloadbank_a_SOURCES += src/mlperf/series.h src/mlperf/series.c src/mlperf/series_parse.c
libloadbank_a_SOURCES += src/mlperf/provenance.h \
  src/mlperf/manifest.c src/mlperf/provenance.c
libloadbank_a_SOURCES += src/mlperf/config.h \
  src/mlperf/datasize.h src/mlperf/params.h \
  src/mlperf/workload.h \
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
  src/mlperf/slurp.h \
  src/mlperf/values.c \
  src/mlperf/verbs.c \
  src/mlperf/view.c
libloadbank_a_SOURCES += \
  src/mlperf/rules.h \
  src/mlperf/check_data.c \
  src/mlperf/check_folders.c \
  src/mlperf/check_gaps.c \
  src/mlperf/check_images.c \
  src/mlperf/check_layout.c \
  src/mlperf/check_params.c \
  src/mlperf/check_provenance.c \
  src/mlperf/check_systems.c \
  src/mlperf/check_training.c \
  src/mlperf/checks.h \
  src/mlperf/facts.c \
  src/mlperf/facts.h \
  src/mlperf/rules.c \
  src/mlperf/rules_impl.h \
  src/mlperf/validate.c \
  src/mlperf/validate_text.c \
  src/mlperf/verb_rules.c
