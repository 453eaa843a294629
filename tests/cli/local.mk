# Those that judge times, the longest first: tools/check runs no others beside them.
timed_tests = \
  tests/cli/calibrate.test \
  tests/cli/run_model.test \
  tests/cli/run_limits.test \
  tests/cli/selftest.test \
  tests/cli/run_steps.test \
  tests/cli/run_stop.test \
  tests/cli/run_stall.test \
  tests/cli/run_sizes.test \
  tests/cli/run_order.test \
  tests/cli/run_tiers.test \
  tests/cli/size.test \
  tests/cli/compare.test
cli_tests = \
  tests/cli/calibrate.test \
  tests/cli/compare.test \
  tests/cli/completion.test \
  tests/cli/errors.test \
  tests/cli/help.test \
  tests/cli/mlperf_args.test \
  tests/cli/mlperf_report.test \
  tests/cli/mlperf_run.test \
  tests/cli/options.test \
  tests/cli/plan.test \
  tests/cli/report.test \
  tests/cli/run_backends.test \
  tests/cli/run_checkpoint_ways.test \
  tests/cli/run_checkpoints.test \
  tests/cli/run_clash.test \
  tests/cli/run_data.test \
  tests/cli/run_faults.test \
  tests/cli/run_limits.test \
  tests/cli/run_model.test \
  tests/cli/run_order.test \
  tests/cli/run_output.test \
  tests/cli/run_roots.test \
  tests/cli/run_sizes.test \
  tests/cli/run_steps.test \
  tests/cli/run_stall.test \
  tests/cli/run_stop.test \
  tests/cli/run_tiers.test \
  tests/cli/run_verify.test \
  tests/cli/selftest.test \
  tests/cli/size.test \
  tests/cli/sweep.test
dist_check_SCRIPTS += $(cli_tests)
TESTS += $(cli_tests)
EXTRA_DIST += \
  tests/cli/report-size.json \
  tests/cli/report-sweep.json \
  tests/cli/results.py \
  tests/cli/sweep.py \
  tests/cli/run_lib.sh \
  tests/cli/size_settings.py \
  tests/cli/lib.sh \
  tests/cli/golden/help-run.txt \
  tests/cli/golden/help.txt \
  tests/cli/golden/plan-alexnet_burst.txt \
  tests/cli/golden/plan-bert.txt \
  tests/cli/golden/plan-cosmoflow_a100.txt \
  tests/cli/golden/plan-cosmoflow_h100.txt \
  tests/cli/golden/plan-cosmoflow_v100.txt \
  tests/cli/golden/plan-default.txt \
  tests/cli/golden/plan-dlrm.txt \
  tests/cli/golden/plan-dlrm_b200.txt \
  tests/cli/golden/plan-dlrm_mi355.txt \
  tests/cli/golden/plan-flux_b200.txt \
  tests/cli/golden/plan-flux_mi355.txt \
  tests/cli/golden/plan-llama3_1t.txt \
  tests/cli/golden/plan-llama3_405b.txt \
  tests/cli/golden/plan-llama3_70b.txt \
  tests/cli/golden/plan-llama3_8b.txt \
  tests/cli/golden/plan-llama_70b.txt \
  tests/cli/golden/plan-llama_7b.txt \
  tests/cli/golden/plan-llama_7b_zero3.txt \
  tests/cli/golden/plan-llama_8b.txt \
  tests/cli/golden/plan-megatron_deepspeed.txt \
  tests/cli/golden/plan-quickstart.txt \
  tests/cli/golden/plan-resnet50_a100.txt \
  tests/cli/golden/plan-resnet50_h100.txt \
  tests/cli/golden/plan-resnet50_tf.txt \
  tests/cli/golden/plan-resnet50_v100.txt \
  tests/cli/golden/plan-retinanet_b200.txt \
  tests/cli/golden/plan-retinanet_mi355.txt \
  tests/cli/golden/plan-unet3d_a100.txt \
  tests/cli/golden/plan-unet3d_b200.txt \
  tests/cli/golden/plan-unet3d_h100.json \
  tests/cli/golden/plan-unet3d_h100.txt \
  tests/cli/golden/plan-unet3d_v100.txt
