libloadbank_a_SOURCES += \
  include/loadbank/cli.h \
  src/cli/cli.c \
  src/cli/cli_impl.h \
  src/cli/cmd_calibrate.c \
  src/cli/cmd_clean.c \
  src/cli/cmd_compare.c \
  src/cli/cmd_config.c \
  src/cli/cmd_help.c \
  src/cli/cmd_list.c \
  src/cli/cmd_mlperf.c \
  src/cli/cmd_plan.c \
  src/cli/cmd_report.c \
  src/cli/cmd_run.c \
  src/cli/cmd_selftest.c \
  src/cli/cmd_size.c \
  src/cli/cmd_sweep.c \
  src/cli/cmd_version.c \
  src/cli/cmd_workloads.c \
  src/cli/flag.c \
  src/cli/help.c \
  src/cli/help_mlperf.c \
  src/cli/load.c \
  src/cli/size_folder.c \
  src/cli/size_folder.h \
  src/cli/topics.c
