workloadsdir = $(pkgdatadir)/workloads
dist_workloads_DATA = \
  workloads/default.yaml \
  workloads/quickstart.yaml \
  workloads/unet3d_a100.yaml \
  workloads/unet3d_b200.yaml \
  workloads/unet3d_h100.yaml \
  workloads/unet3d_v100.yaml

# Tells a program that runs in a build tree where the sources' workloads are.
noinst_DATA = workloads/path
CLEANFILES += workloads/path
workloads/path: Makefile
	$(AM_V_GEN)$(MKDIR_P) workloads && \
	  echo '$(abs_top_srcdir)/workloads' > $@.tmp && mv $@.tmp $@
