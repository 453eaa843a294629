workloadsdir = $(pkgdatadir)/workloads
dist_workloads_DATA = \
  workloads/alexnet_burst.yaml \
  workloads/bert.yaml \
  workloads/cosmoflow_a100.yaml \
  workloads/cosmoflow_h100.yaml \
  workloads/cosmoflow_v100.yaml \
  workloads/default.yaml \
  workloads/dlrm.yaml \
  workloads/dlrm_b200.yaml \
  workloads/dlrm_mi355.yaml \
  workloads/flux_b200.yaml \
  workloads/flux_mi355.yaml \
  workloads/llama3_1t.yaml \
  workloads/llama3_405b.yaml \
  workloads/llama3_70b.yaml \
  workloads/llama3_8b.yaml \
  workloads/llama_70b.yaml \
  workloads/llama_7b.yaml \
  workloads/llama_7b_zero3.yaml \
  workloads/llama_8b.yaml \
  workloads/megatron_deepspeed.yaml \
  workloads/quickstart.yaml \
  workloads/resnet50_a100.yaml \
  workloads/resnet50_h100.yaml \
  workloads/resnet50_tf.yaml \
  workloads/resnet50_v100.yaml \
  workloads/retinanet_b200.yaml \
  workloads/retinanet_mi355.yaml \
  workloads/unet3d_a100.yaml \
  workloads/unet3d_b200.yaml \
  workloads/unet3d_h100.yaml \
  workloads/unet3d_v100.yaml

# Tells a program that runs in a build tree where the sources' workloads are.
sweepsdir = $(workloadsdir)/sweeps
dist_sweeps_DATA = workloads/sweeps/read_threads.yaml
noinst_DATA = workloads/path
CLEANFILES += workloads/path
workloads/path: Makefile
	$(AM_V_GEN)$(MKDIR_P) workloads && \
	  echo '$(abs_top_srcdir)/workloads' > $@.tmp && mv $@.tmp $@
