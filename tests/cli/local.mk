dist_check_SCRIPTS += \
  tests/cli/errors.test \
  tests/cli/help.test \
  tests/cli/options.test \
  tests/cli/plan.test
TESTS += \
  tests/cli/errors.test \
  tests/cli/help.test \
  tests/cli/options.test \
  tests/cli/plan.test
EXTRA_DIST += \
  tests/cli/lib.sh \
  tests/cli/golden/help-run.txt \
  tests/cli/golden/help.txt \
  tests/cli/golden/plan-default.txt \
  tests/cli/golden/plan-quickstart.txt \
  tests/cli/golden/plan-unet3d_a100.txt \
  tests/cli/golden/plan-unet3d_b200.txt \
  tests/cli/golden/plan-unet3d_h100.json \
  tests/cli/golden/plan-unet3d_h100.txt \
  tests/cli/golden/plan-unet3d_v100.txt
