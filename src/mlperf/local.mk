libloadbank_a_SOURCES += include/loadbank/mlperf.h src/mlperf/words.c
libloadbank_a_SOURCES += include/loadbank/mlperf_place.h src/mlperf/place.c
libloadbank_a_SOURCES += include/loadbank/mlperf_tree.h src/mlperf/tree.c
libloadbank_a_SOURCES += include/loadbank/mlperf_host.h
libloadbank_a_SOURCES += include/loadbank/mlperf_system.h
libloadbank_a_SOURCES += include/loadbank/mlperf_image.h
libloadbank_a_SOURCES += include/loadbank/mlperf_provenance.h
libloadbank_a_SOURCES += include/loadbank/mlperf_report.h \
  src/mlperf/report.c src/mlperf/report_again.c src/mlperf/report_choice.c \
  src/mlperf/report_details.c src/mlperf/report_group.c \
  src/mlperf/report_impl.h src/mlperf/report_page.c src/mlperf/report_rows.c \
  src/mlperf/report_run.c src/mlperf/report_write.c
