/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pages of `loadbank help TOPIC'. */
#include "lb-config.h"

#include "loadbank/cli.h"

const struct lb_topic lb_topics[] = {
    {.name = "overrides",
     .doc = "How keys of a workload are changed on the command line.",
     .text =
         "Overrides beat the workload's file; they stand after WORKLOAD, in "
         "any order:\n"
         "  KEY=VALUE               dataset.num_files_train=400\n"
         "  workload.KEY=VALUE      the same, as DLIO writes it\n"
         "  +workload.KEY=VALUE     the same\n"
         "  ++workload.KEY=VALUE    the same\n"
         "  ~KEY                    back to the key's default\n"
         "Values are those of YAML: numbers, words, lists such as [1,2] and "
         "maps such as\n"
         "'{mean: 0.3, stdev: 0.01}' (quote them for the shell); sizes may "
         "have a unit, as\nin 64KiB.\n\n"
         "  workload=NAME           stands for the WORKLOAD argument\n"
         "  hydra.run.dir=FOLDER    the same as output.folder\n\n"
         "loadbank config keys lists all keys, loadbank config show WORKLOAD "
         "[KEY=VALUE]...\nwhat becomes of them.\n"},
    {.name = "accelerators",
     .doc = "Ranks, accelerators and reading threads.",
     .text =
         "The unit of load is the accelerator, not the MPI process.  R ranks "
         "host N\n"
         "accelerators (--accelerators N, a multiple of R; one each by "
         "default).  DLIO's\n"
         "\"rank\" is an accelerator here, in sharding, checkpoints, files and "
         "metrics.\n\n"
         "One thread of a rank drives all its accelerators, so one rank can "
         "host hundreds.\n"
         "Storage that blocks needs reader.read_threads threads for each of "
         "them; more than\n"
         "--max-threads on a rank are refused.  Use more ranks when one "
         "process cannot read\n"
         "fast enough: loadbank run says whether the storage or the client "
         "was the limit.\n"},
    {.name = "exit-codes",
     .doc = "What the exit status says.",
     .text = "  0    done\n"
             "  1    a run or an I/O operation failed; compare: worse\n"
             "  2    command line or configuration is wrong; nothing was "
             "written\n"
             "  3    --require-au was given and metric.au was not met\n"
             "  4    sweep, size: runs are left for which --time-limit had no "
             "time; the\n"
             "       same command makes them\n"
             "  130  stopped by SIGINT, with a summary of what was done\n"
             "  143  stopped by SIGTERM, likewise\n"},
    {.name = "files",
     .doc = "Where workloads are looked for and results go.",
     .text =
         "WORKLOAD is a file (a name with a '/', or ending in .yaml or .yml) "
         "or a name:\n"
         "NAME.yaml is looked for in --config-dir DIR and DIR/workload, in "
         "$LB_WORKLOADDIR,\n"
         "then among the built-ins.\n\n"
         "Results go to output.folder (--results FOLDER), by default\n"
         "results/<workload>/<UTC time stamp>; they are never silently "
         "overwritten.\n"
         "stdout is for results, stderr for warnings, errors and progress.\n"},
    {.name = NULL},
};
