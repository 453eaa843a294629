libloadbank_a_SOURCES += \
  include/loadbank/bench.h \
  include/loadbank/clean.h \
  include/loadbank/plan.h \
  include/loadbank/closed_forms.h \
  include/loadbank/selftest.h \
  include/loadbank/estimate.h \
  include/loadbank/calibrate.h \
  include/loadbank/point.h \
  include/loadbank/scratch.h \
  include/loadbank/sweep_job.h \
  src/bench/agree.c \
  src/bench/caches.c \
  src/bench/calibrate.c \
  src/bench/calibrate_client.c \
  src/bench/claim.c \
  src/bench/clean.c \
  src/bench/closed_forms.c \
  src/bench/demand.c \
  src/bench/estimate.c \
  src/bench/lines.c \
  src/bench/lines.h \
  src/bench/memory.c \
  src/bench/plan.c \
  src/bench/plan_checkpoint.c \
  src/bench/plan_impl.h \
  src/bench/plan_json.c \
  src/bench/plan_text.c \
  src/bench/point.c \
  src/bench/run.c \
  src/bench/schedule.c \
  src/bench/scratch.c \
  src/bench/selftest.c \
  src/bench/selftest_cases.c \
  src/bench/spread.c \
  src/bench/sweep_impl.h \
  src/bench/sweep_job.c \
  src/bench/sweep_plan.c \
  src/bench/sweep_show.c \
  src/bench/warnings.c
libloadbank_a_SOURCES += src/bench/backend.c
libloadbank_a_SOURCES += src/bench/bench_impl.h src/bench/checkpoint_impl.h
libloadbank_a_SOURCES += src/bench/checkpoints.c src/bench/drop_shards.c
libloadbank_a_SOURCES += src/bench/background.c src/bench/background.h src/bench/drain.c src/bench/whole.c
libloadbank_a_SOURCES += src/bench/load.c src/bench/save.c src/bench/saver.c
libloadbank_a_SOURCES += src/bench/shift.c src/bench/stage.c src/bench/leftovers.c
libloadbank_a_SOURCES += src/bench/conductor.c src/bench/conductor.h
libloadbank_a_SOURCES += src/bench/conductor_eval.c src/bench/conductor_impl.h
libloadbank_a_SOURCES += src/bench/cost.c src/bench/dataset.c src/bench/dataset_impl.h
libloadbank_a_SOURCES += src/bench/generate.c src/bench/mounts.c src/bench/open.c src/bench/place.c src/bench/replace.c
libloadbank_a_SOURCES += src/bench/progress.c
libloadbank_a_SOURCES += src/bench/results.c src/bench/site.c
libloadbank_a_SOURCES += src/bench/stop.c src/bench/train.c
libloadbank_a_SOURCES += include/loadbank/size_search.h src/bench/size_search.c
libloadbank_a_SOURCES += include/loadbank/size_plan.h src/bench/size_plan.c
libloadbank_a_SOURCES += include/loadbank/size.h include/loadbank/size_saves.h
libloadbank_a_SOURCES += src/bench/size_impl.h
libloadbank_a_SOURCES += src/bench/size.c src/bench/size_book.c src/bench/size_json.c
libloadbank_a_SOURCES += src/bench/size_others.c src/bench/size_plot.c src/bench/size_record.c
libloadbank_a_SOURCES += src/bench/size_run.c src/bench/size_save.c src/bench/size_text.c
