check_PROGRAMS += tests/fuzz/replay
TESTS += tests/fuzz/replay
fuzz_targets = tests/fuzz/targets.c tests/fuzz/targets.h tests/fuzz/texts.c \
  tests/fuzz/texts_mlperf.c \
  $(format_fixture) $(record_fixture)
tests_fuzz_replay_SOURCES = tests/fuzz/replay.c $(fuzz_targets)
EXTRA_PROGRAMS += tests/fuzz/fuzz
tests_fuzz_fuzz_SOURCES = tests/fuzz/fuzz.c $(fuzz_targets)
tests_fuzz_fuzz_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
EXTRA_DIST += tools/fuzz tests/fuzz/inputs
