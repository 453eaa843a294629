check_PROGRAMS += \
  tests/unit/test_closed_forms \
  tests/unit/test_commands \
  tests/unit/test_demand \
  tests/unit/test_estimate \
  tests/unit/test_make_tick \
  tests/unit/test_plan \
  tests/unit/test_schedule \
  tests/unit/test_size_book \
  tests/unit/test_size_plan \
  tests/unit/test_size_search \
  tests/unit/test_size_text \
  tests/unit/test_sweep
TESTS += \
  tests/unit/test_closed_forms \
  tests/unit/test_commands \
  tests/unit/test_demand \
  tests/unit/test_estimate \
  tests/unit/test_make_tick \
  tests/unit/test_plan \
  tests/unit/test_schedule \
  tests/unit/test_size_book \
  tests/unit/test_size_plan \
  tests/unit/test_size_search \
  tests/unit/test_size_text \
  tests/unit/test_sweep
tests_unit_test_closed_forms_SOURCES = tests/unit/test_closed_forms.c
tests_unit_test_closed_forms_LDADD = $(test_ldadd)
tests_unit_test_commands_SOURCES = tests/unit/test_commands.c
tests_unit_test_commands_LDADD = $(test_ldadd)
tests_unit_test_demand_SOURCES = tests/unit/test_demand.c
tests_unit_test_demand_LDADD = $(test_ldadd)
tests_unit_test_plan_SOURCES = tests/unit/test_plan.c
tests_unit_test_plan_LDADD = $(test_ldadd)
tests_unit_test_schedule_SOURCES = tests/unit/test_schedule.c
tests_unit_test_schedule_LDADD = $(test_ldadd)
tests_unit_test_estimate_SOURCES = tests/unit/test_estimate.c
tests_unit_test_estimate_LDADD = $(test_ldadd)
tests_unit_test_make_tick_SOURCES = tests/unit/test_make_tick.c $(loader_rig)
tests_unit_test_make_tick_LDADD = $(test_ldadd)
tests_unit_test_size_search_SOURCES = tests/unit/test_size_search.c
tests_unit_test_size_search_LDADD = $(test_ldadd)
tests_unit_test_size_book_SOURCES = tests/unit/test_size_book.c
tests_unit_test_size_book_LDADD = $(test_ldadd)
tests_unit_test_size_plan_SOURCES = tests/unit/test_size_plan.c
tests_unit_test_size_plan_LDADD = $(test_ldadd)
tests_unit_test_sweep_SOURCES = tests/unit/test_sweep.c
tests_unit_test_sweep_LDADD = $(test_ldadd)
tests_unit_test_size_text_SOURCES = tests/unit/test_size_text.c
tests_unit_test_size_text_LDADD = $(test_ldadd)
