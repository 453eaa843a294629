libloadbank_a_SOURCES += include/loadbank/mlperf.h src/mlperf/words.c
libloadbank_a_SOURCES += include/loadbank/mlperf_place.h src/mlperf/place.c
libloadbank_a_SOURCES += include/loadbank/mlperf_tree.h src/mlperf/tree.c
libloadbank_a_SOURCES += include/loadbank/mlperf_host.h
libloadbank_a_SOURCES += include/loadbank/mlperf_system.h
libloadbank_a_SOURCES += include/loadbank/mlperf_image.h
libloadbank_a_SOURCES += include/loadbank/mlperf_provenance.h
