/* SPDX-License-Identifier: GPL-3.0-or-later */
/* THE table of rules.  A rule is a row and a check (src/mlperf/check_*.c);
 * docs/mlperf.md has the same table. */
#include "lb-config.h"

#include "mlperf/checks.h"

#include "loadbank/json.h"

const char *const lb_mlperf_severity_names[LB_MLPERF_N_SEVERITIES] = {
    [LB_MLPERF_ERROR] = "error",
    [LB_MLPERF_WARNING] = "warning",
    [LB_MLPERF_WAIVED] = "waived",
    [LB_MLPERF_INFO] = "info",
};

const char *const lb_mlperf_scope_names[LB_MLPERF_N_SCOPES] = {
    [LB_MLPERF_OF_TREE] = "tree",     [LB_MLPERF_OF_ORG] = "organisation",
    [LB_MLPERF_OF_SYSTEM] = "system", [LB_MLPERF_OF_WORKLOAD] = "workload",
    [LB_MLPERF_OF_LEAF] = "leaf",
};

enum {
  CLOSED = 1U << LB_MLPERF_CLOSED,
  OPEN = 1U << LB_MLPERF_OPEN,
  BOTH = CLOSED | OPEN,
  ANY = BOTH | 1U << LB_MLPERF_WHATIF,
  TRAIN = 1U << LB_MLPERF_TRAINING,
  SAVE = 1U << LB_MLPERF_CHECKPOINTING,
  SIZE = 1U << LB_MLPERF_DATASIZE,
  GEN = 1U << LB_MLPERF_DATAGEN,
  RUN = 1U << LB_MLPERF_RUN,
};

/* id, name, severity, scope, modes, kinds, check, doc; then designated ones */
#define RULE(id_, name_, severity_, scope_, modes_, kinds_, check_, ...) \
  {                                                                      \
    .id = id_, .name = name_, .severity = LB_MLPERF_##severity_,         \
    .scope = LB_MLPERF_OF_##scope_, .modes = modes_, .kinds = kinds_,    \
    .check = lb_mlperf_check_##check_, .doc = __VA_ARGS__                \
  }

const struct lb_mlperf_rule lb_mlperf_rules[] = {
    RULE("2.1.1", "submitterRootDirectory", ERROR, TREE, ANY, 0, org_names,
         "Names of organisations are letters, digits, '.', '_' and '-'."),
    RULE("2.1.2", "topLevelSubdirectories", ERROR, TREE, ANY, 0, top,
         "At the root are closed/, open/ and code-images/, nothing else.",
         .differs = "whatif/ is a warning, an error there: it is made by the "
                    "same tool and only must not be handed in."),
    RULE("2.1.4", "closedSubmitterDirectory", ERROR, TREE, ANY, 0, pinned,
         "A results folder that mlperf-results.yaml pins to one organisation "
         "holds that one alone.",
         .differs =
             "Not checked there: two submitters in one results folder pass."),
    RULE("LB-04", "readableFolders", ERROR, TREE, ANY, 0, readable,
         "Every folder can be read.",
         .differs =
             "Ours: a folder that cannot be read counts as empty there."),
    RULE("CHECK-02", "poolImageSelfConsistency", ERROR, TREE, ANY, 0, images,
         "Name, recorded hash and contents of each code image agree."),
    RULE("CHECK-03", "poolOrphan", ERROR, TREE, ANY, 0, orphans,
         "Each code image is named by a leaf."),
    RULE("CHECK-04", "poolLegacy", ERROR, TREE, ANY, 0, old_layout,
         "The pool has its marker and its images, and no code/ of the older "
         "layout stands beside it.",
         .differs = "A tree of the older layout alone is accepted (2.1.6 then "
                    "holds); there it must be migrated first."),
    RULE("2.1.5", "requiredSubdirectories", ERROR, ORG, BOTH, 0, org,
         "An organisation has results/ and systems/ (and code/ in the older "
         "layout), no other folders."),
    RULE("2.1.6", "codeDirectoryContents", ERROR, ORG, BOTH, 0, code,
         "code/ of the older layout has the files that its .code-hash.json "
         "records.",
         .differs = "Asked only where there is no pool; the pool's images are "
                    "CHECK-02's."),
    RULE("2.1.7", "systemsDirectoryFiles", ERROR, ORG, BOTH, 0, systems,
         "systems/ has a .yaml that keeps the schema and a .pdf for each "
         "system, and *.md.",
         .differs = "All errors of a description are told, each with its line. "
                    "In a rehearsal they are waived."),
    RULE("2.1.8", "resultsDirectorySystems", ERROR, ORG, BOTH, 0, described,
         "Each results/SYSTEM/ has systems/SYSTEM.yaml with that "
         "submission_name, and the reverse.",
         .differs = "A missing .pdf is 2.1.7's alone, there it is told twice."),
    RULE("CHECK-01", "poolPointerResolution", ERROR, ORG, BOTH, 0, pointers,
         "Each leaf has a .mlps-code-image that names an image of the pool."),
    RULE("PROV-02", "submissionManifest", ERROR, ORG, ANY, 0, manifest,
         "submission.yaml, if there is one, lists exactly the leaves that are "
         "there."),
    RULE("EDN-01", "rulesEdition", ERROR, ORG, ANY, 0, editions,
         "The editions of the rules that stamps and manifest declare are "
         "known."),
    RULE("EDN-04", "checkableEdition", ERROR, ORG, ANY, 0, checkable,
         "submission.yaml declares the edition that these rules are of.",
         .differs = "The other rules are held against such a tree all the "
                    "same; there they are skipped."),
    RULE("RPT-01", "rollupTableAgreement", ERROR, ORG, ANY, 0, rollup,
         "The Public IDs of the organisation's results.json are those of its "
         "workloads' results.json."),
    RULE("2.1.9", "identicalSystemConfig", ERROR, SYSTEM, BOTH, 0, same_system,
         "Hosts, their memory (10 % more or less) and multi_host are as the "
         "description says.",
         .differs = "The mean of all hosts' memory is taken; 3.0.27 compares "
                    "host_memory_GB[0]."),
    RULE("2.1.10", "workloadCategories", ERROR, SYSTEM, BOTH, 0, categories,
         "A system has training/, checkpointing/, kv_cache/ or "
         "vector_database/, nothing else."),
    RULE("2.1.11", "trainingWorkloads", ERROR, SYSTEM, BOTH, 0, training_models,
         "training/ has unet3d and retinanet, nothing else."),
    RULE("2.1.21", "checkpointingWorkloads", ERROR, SYSTEM, BOTH, 0,
         checkpointing_models,
         "checkpointing/ has llama3-8b, llama3-70b, llama3-405b and llama3-1t, "
         "nothing else."),
    RULE("LEAF-01", "runLeafMetadata", ERROR, SYSTEM, BOTH, 0, other_kinds,
         "A run of kv_cache or vector_database has exactly one "
         "*_metadata.json."),
    RULE("2.1.12", "trainingPhases", ERROR, WORKLOAD, BOTH, TRAIN, phases,
         "A workload of training has datasize/, datagen/ and run/, nothing "
         "else.",
         .differs = "3.0.27 rejects datasize/, which its own 3.3.1 asks for."),
    RULE("2.1.13", "datagenTimestamp", ERROR, WORKLOAD, BOTH, TRAIN,
         datagen_stamps,
         "datagen/ has exactly one leaf, named YYYYMMDD_HHMMSS.",
         .differs = "A name must be a time that can be. A leaf that did not "
                    "finish (LB-01) beside a finished one is not counted."),
    RULE("2.1.16", "runResultsJson", ERROR, WORKLOAD, BOTH, TRAIN, run_table,
         "run/ has a results.json."),
    RULE("2.1.17", "runTimestamps", ERROR, WORKLOAD, BOTH, TRAIN, run_stamps,
         "run/ has exactly 6 leaves, named YYYYMMDD_HHMMSS: one to warm up, 5 "
         "that count.",
         .differs = "As 2.1.13."),
    RULE("2.1.18", "runTimestampGap", ERROR, WORKLOAD, BOTH, TRAIN, run_gaps,
         "Less idle time than the shortest run lies between one run and the "
         "next.",
         .differs =
             "The real idle time counts (start of a run less end of the one "
             "before), as the rule's text has it. What the checker computes "
             "(from start to start less than twice the shortest run) is a "
             "warning. Runs that overlap are an error; there they pass."),
    RULE("3.2.1", "trainingDatagenMinimumSize", ERROR, WORKLOAD, BOTH, TRAIN,
         generated, "datagen made no fewer bytes than datasize asked for.",
         .differs = "As the rule's text has it; the checker compares with the "
                    "run, which is 3.3.1's."),
    RULE("3.3.1", "trainingRunDataMatchesDatasize", ERROR, WORKLOAD, BOTH,
         TRAIN, phases_fit,
         "Files of datasize <= files of a run <= files of datagen, of one data "
         "folder, with the same subfolders.",
         .differs =
             "Errors, as in the newest release; warnings in 3.0.27. Several "
             "datasizes of one folder are a warning when they differ, and the "
             "largest counts; there they are an error. An only datasize or "
             "datagen of another folder is a warning; there it passes. "
             "Subfolders are not compared there. Runs of loadbank have no "
             "datagen-manifest.json, of which it warns (MANIFEST-ABSENT)."),
    RULE("3.6.1", "trainingClosedSubmissionChecksum", ERROR, WORKLOAD, CLOSED,
         TRAIN, same_code,
         "The runs of a result were made by one code image: the reference, if "
         "--reference-checksum names it.",
         .differs = "That the runs share an image is not asked there."),
    RULE("LB-07", "datasetOnDisk", WARNING, WORKLOAD, ANY, TRAIN, data,
         "The data folder, if it can be seen, has the files that the runs "
         "claim.",
         .differs = "Ours: the checker never looks at the data."),
    RULE("2.1.22", "checkpointingResultsJson", ERROR, WORKLOAD, BOTH, SAVE,
         save_table, "A workload of checkpointing has a results.json."),
    RULE(
        "2.1.23", "checkpointingTimestamps", ERROR, WORKLOAD, BOTH, SAVE,
        save_stamps,
        "A workload of checkpointing has 1 or 2 leaves, named YYYYMMDD_HHMMSS.",
        .differs = "As 2.1.13."),
    RULE("2.1.24", "checkpointingTimestampGap", ERROR, WORKLOAD, BOTH, SAVE,
         save_gap,
         "Less time than the slower phase lies between the end of writing and "
         "the start of reading.",
         .differs =
             "Idle time from process to process, as in the newest release; "
             "3.0.27 compares starts."),
    RULE("4.7.1", "checkpointCacheFlushValidation", ERROR, WORKLOAD, BOTH, SAVE,
         invocations,
         "CLOSED: 10 writes and 10 reads in one leaf, or 10 and 0, then 0 and "
         "10. At most 30 s lie between the two, which do not overlap.",
         .differs =
             "The structure is asked whatever the case of `verification' is."),
    RULE("4.7.2", "checkpointTotalTestDuration", ERROR, WORKLOAD, BOTH, SAVE,
         duration,
         "Start and end of the test are recorded; its duration is told.",
         .differs =
             "Told of one leaf, too; of that, missing times are 2.1.24's "
             "there."),
    RULE("4.7.3", "checkpointRemappingTimeReporting", ERROR, WORKLOAD, BOTH,
         SAVE, remap,
         "The time between writing and reading is at least half the remap time "
         "that the description declares.",
         .differs =
             "Asked of two leaves; one that writes and reads is 4.7.4's."),
    RULE("4.7.4", "checkpointSimultaneousRwSupport", WARNING, WORKLOAD, BOTH,
         SAVE, simultaneous,
         "A system whose description denies simultaneous access did not write "
         "and read in one process.",
         .differs =
             "There every run of such a system is warned about, also one "
             "that was remapped between two leaves as declared."),
    RULE("LB-05", "foreignFiles", WARNING, WORKLOAD, BOTH, 0, foreign,
         "Above the leaves are results.json, results.csv and *.md, no other "
         "files.",
         .differs = "Ours."),
    RULE("LB-06", "oneScale", ERROR, WORKLOAD, ANY, 0, one_scale,
         "The runs of a workload are of one scale, a rehearsal or none; "
         "datasize "
         "and datagen have its files and bytes.",
         .differs = "Ours: there are no rehearsals there."),
    RULE("LB-08", "sameLoad", ERROR, WORKLOAD, ANY, TRAIN, same_load,
         "The runs of a result have the same accelerators, and as many.",
         .differs = "Ours: each run is looked at by itself there."),
    RULE("LB-01", "finishedRuns", ERROR, LEAF, ANY, 0, status,
         "A leaf's status is 'complete'.", .broken = true,
         .differs =
             "Ours: a run that was cut off is one with missing files there."),
    RULE("LB-02", "leafInPlace", ERROR, LEAF, ANY, 0, place,
         "A leaf stands where its metadata say that it was made.",
         .broken = true,
         .differs =
             "Ours: a leaf that was renamed, copied or moved passes there."),
    RULE("2.1.14", "datagenFiles", ERROR, LEAF, BOTH, TRAIN, files,
         "A leaf of datagen has its logs, dlio.log, dlio_config/ and one "
         "metadata file that can be used.",
         .commands = GEN, .broken = true,
         .differs = "The text wants *output.json, *per_epoch_stats.json and "
                    "*summary.json as well, which DLIO does not write when it "
                    "generates. Values of the wrong type are told here, and "
                    "nowhere else."),
    RULE("2.1.15", "datagenDlioConfig", ERROR, LEAF, BOTH, TRAIN, dlio_config,
         "dlio_config/ has config.yaml, hydra.yaml and overrides.yaml, nothing "
         "else.",
         .commands = GEN),
    RULE("2.1.19", "runFiles", ERROR, LEAF, BOTH, TRAIN, files,
         "A run has its logs, *output.json, *per_epoch_stats.json, "
         "*summary.json, dlio.log, dlio_config/ and one metadata file; summary "
         "and metadata can be used.",
         .commands = RUN, .broken = true,
         .differs = "The metadata file is asked for as well: without it most "
                    "checks are skipped there. Values of the wrong type are "
                    "told here, and nowhere else."),
    RULE("2.1.20", "runDlioConfig", ERROR, LEAF, BOTH, TRAIN, dlio_config,
         "dlio_config/ has config.yaml, hydra.yaml and overrides.yaml, nothing "
         "else.",
         .commands = RUN),
    RULE("2.1.25", "checkpointingFiles", ERROR, LEAF, BOTH, SAVE, files,
         "A run of checkpointing has the same files as one of training "
         "(2.1.19).",
         .broken = true, .differs = "As 2.1.19."),
    RULE("2.1.26", "checkpointingDlioConfig", ERROR, LEAF, BOTH, SAVE,
         dlio_config,
         "dlio_config/ has config.yaml, hydra.yaml and overrides.yaml, nothing "
         "else."),
    RULE("LB-03", "filesAgree", ERROR, LEAF, ANY, 0, agree,
         "Metadata and summary.json have the same accelerators and files.",
         .commands = RUN,
         .differs = "Ours: each check there reads one of them."),
    RULE("3.1.1", "trainingVerifyDatasizeUsage", ERROR, LEAF, BOTH, TRAIN,
         datasize_used,
         "The metadata of datasize have its answer, those of a run what it was "
         "computed from.",
         .commands = SIZE | RUN, .broken = true,
         .differs = "A datasize without its answer is 3.3.1's there "
                    "(DATASIZE-MALFORMED)."),
    RULE("3.1.2", "trainingRecalculateDatasetSize", ERROR, LEAF, BOTH, TRAIN,
         dataset_size,
         "A run's dataset is at least 5 x the memory of all hosts, and 500 "
         "steps of all accelerators; both in whole files, rounded up.",
         .commands = RUN,
         .differs = "The sum of host_memory_GB counts; 3.0.27 takes "
                    "host_memory_GB[0] x hosts. A host whose memory is not "
                    "known is an error. A rehearsal's bound is scaled."),
    RULE("3.3.2", "trainingAcceleratorUtilizationCheck", ERROR, LEAF, BOTH,
         TRAIN, utilisation,
         "The mean AU of a run is at least 90 % (unet3d), 85 % (retinanet); "
         "stored values agree with each other and with what can be computed "
         "again.",
         .commands = RUN,
         .differs =
             "The number is computed again, and judged; 3.0.27 reads the "
             "word 'success' only. Waived in a rehearsal."),
    RULE("3.3.3", "trainingSingleHostSimulatedAccelerators", WARNING, LEAF,
         BOTH, TRAIN, few, "One host emulates at least 4 accelerators.",
         .commands = RUN),
    RULE("3.3.4", "trainingSingleHostClientLimit", ERROR, LEAF, BOTH, TRAIN,
         one_client, "A run on one host names one host.", .commands = RUN,
         .differs = "Hosts that are named twice, or with slots, count once."),
    RULE("3.3.6", "trainingIdenticalAcceleratorsPerNode", ERROR, LEAF, BOTH,
         TRAIN, even, "Each host emulates as many accelerators as the others.",
         .commands = RUN),
    RULE("3.3.7", "trainingNodeCapabilityConsistency", WARNING, LEAF, BOTH,
         TRAIN, alike,
         "Memory and CPUs of the hosts differ by no more than 1.5 times.",
         .commands = RUN,
         .differs = "summary.json is read; there cluster_information of the "
                    "metadata, where that is recorded."),
    RULE("3.4.1", "trainingMlpstoragePathArgs", ERROR, LEAF, BOTH, TRAIN,
         two_folders, "data_dir and results_dir are recorded and differ.",
         .commands = RUN, .differs = "A '/' at the end makes no difference."),
    RULE(
        "3.4.2", "trainingMlpstorageFilesystemCheck", ERROR, LEAF, BOTH, TRAIN,
        file_systems,
        "fs_separation.json proves that data and results are on different file "
        "systems.",
        .commands = RUN,
        .differs =
            "A `df' table in the log is no proof here. Waived in a rehearsal."),
    RULE("CAP-01", "freeSpace", ERROR, LEAF, BOTH, 0, room,
         "The folder under test had room for what was to be written.",
         .differs = "A gate there, before a run; here what the metadata record "
                    "of it (gates) is looked at again."),
    RULE("CAP-02", "sharedFolders", ERROR, LEAF, BOTH, 0, shared,
         "All hosts of a run saw the same folders (3.3.5).", .commands = RUN,
         .differs = "As CAP-01."),
    RULE("CAP-03", "filesystemSeparationProof", ERROR, LEAF, BOTH, 0, proof,
         "fs_separation.json has all its keys, and is about the folder that "
         "the run used.",
         .commands = RUN,
         .differs =
             "Read only for same_filesystem there: an empty object passes."),
    RULE("3.6.2", "trainingClosedSubmissionParameters", ERROR, LEAF, CLOSED,
         TRAIN, parameters,
         "Only parameters that CLOSED leaves free were set, and the run says "
         "that it is closed.",
         .commands = RUN,
         .differs = "The division is that of the folder, whatever "
                    "`verification' says and in whatever case; there it never "
                    "fires on files of its own tool. prefetch_window and "
                    "checkpoint_folder are free, as the text and its tool have "
                    "it; its checker's list lacks them."),
    RULE("3.6.3", "trainingOpenSubmissionParameters", ERROR, LEAF, OPEN, TRAIN,
         parameters,
         "Only parameters that OPEN leaves free were set, and the run says "
         "that it is closed or open.",
         .commands = RUN, .differs = "As 3.6.2."),
    RULE("4.3.1", "checkpointDataSizeRatio", WARNING, LEAF, BOTH, SAVE, cached,
         "The checkpoints that a host writes are more than 3 x its memory.",
         .differs = "All checkpoints written count, as the text has it; there "
                    "the size of one."),
    RULE("4.3.2", "checkpointFsyncVerification", ERROR, LEAF, BOTH, SAVE, fsync,
         "checkpoint.fsync is true.",
         .differs = "Texts such as 'False' are false; there any text is true."),
    RULE("4.3.3", "checkpointModelConfigurationReq", ERROR, LEAF, BOTH, SAVE,
         model, "The model is the one of the folder, which is one of the four.",
         .differs = "There the name need only contain one of four sizes."),
    RULE("4.3.4", "checkpointAggregateAcceleratorMemory", ERROR, LEAF, BOTH,
         SAVE, accelerator_memory,
         "The memory of all accelerators (b200 180 GiB, mi355 288 GiB each) "
         "holds the checkpoint.",
         .differs = "A run that records no accelerator is a warning, or counts "
                    "with 80 GiB each if it is of 3.0.27; the newest release "
                    "fails it."),
    RULE("4.3.5", "checkpointSubsetRunValidation", ERROR, LEAF, CLOSED, SAVE,
         subset, "A subset run is one of llama3-8b with 8 accelerators.",
         .differs = "3.0.27 had it the wrong way round."),
    RULE("4.4.1", "checkpointPathArgs", ERROR, LEAF, BOTH, SAVE, two_folders,
         "checkpoint_folder and results_dir are recorded and differ.",
         .differs = "As 3.4.1."),
    RULE("4.4.2", "checkpointFilesystemCheck", ERROR, LEAF, BOTH, SAVE,
         file_systems,
         "fs_separation.json proves that checkpoints and results are on "
         "different file systems.",
         .differs = "As 3.4.2."),
    RULE("4.6.1", "checkpointClosedMpiProcesses", ERROR, LEAF, CLOSED, SAVE,
         processes, "8, 64, 512 and 1024 processes for the four models.",
         .differs = "A subset run of the wrong size is 4.3.5's alone. "
                    "num_processes of the metadata counts, there that of "
                    "args."),
    RULE("4.6.2", "checkpointClosedAcceleratorsPerHost", ERROR, LEAF, CLOSED,
         SAVE, per_host, "Each host emulates more than 4 accelerators.",
         .differs = "Asked whatever the case of `verification' is. The text of "
                    "the rule counts, not the table that says 'minimal 4'."),
    RULE("4.6.3", "checkpointClosedCheckpointParameters", ERROR, LEAF, BOTH,
         SAVE, parameters,
         "Only parameters that the division leaves free were set, and the run "
         "says that it is of the division.",
         .differs =
             "What was set counts (override_parameters); there yaml_params are "
             "compared with the template, where they are recorded."),
    RULE("4.6.4", "checkpointOpenSubmissionScaling", ERROR, LEAF, OPEN, SAVE,
         groups, "The number of processes is a multiple of TP x PP.",
         .differs = "Asked whatever the case of `verification' is. As 4.6.1."),
    RULE("PROV-01", "leafProvenance", ERROR, LEAF, ANY, 0, stamp,
         "provenance.json is as it must be and names the leaf's code image; it "
         "is there if the metadata say so."),
    RULE("EDN-02", "comparabilityClass", ERROR, LEAF, ANY, 0, class,
         "The core-config hash is that of the workload and accelerator; in "
         "open and what-if only a note.",
         .commands = RUN,
         .differs = "Waived in a rehearsal, whose configuration is another. In "
                    "open no configuration is of a class there; here those of "
                    "closed are."),
    RULE("EDN-03", "dlioRevision", WARNING, LEAF, ANY, 0, revision,
         "The revision of DLIO, if it is known, is one of the edition's.",
         .commands = RUN),
};

const size_t lb_mlperf_n_rules =
    sizeof lb_mlperf_rules / sizeof lb_mlperf_rules[0];

/* ---- shown ---- */

void lb_mlperf_rules_text(struct lb_buf *b)
{
  for (size_t i = 0; i < lb_mlperf_n_rules; i++) {
    const struct lb_mlperf_rule *r = &lb_mlperf_rules[i];
    lb_buf_printf(b, "%-8s  %-7s  %s\n%21s%s\n", r->id,
                  lb_mlperf_severity_names[r->severity], r->name, "", r->doc);
    if (r->differs)
      lb_buf_printf(b, "%21sDiffers: %s\n", "", r->differs);
  }
}

static json_t *word_list(const char *const *names, int n, unsigned bits)
{
  json_t *list = json_array();
  for (int i = 0; i < n; i++)
    if (bits & 1U << i)
      json_array_append_new(list, json_string(names[i]));
  return list;
}

json_t *lb_mlperf_rules_json(void)
{
  json_t *list = json_array();
  for (size_t i = 0; i < lb_mlperf_n_rules; i++) {
    const struct lb_mlperf_rule *r = &lb_mlperf_rules[i];
    json_t *o = json_object();
    lb_json_put_text(o, "id", r->id);
    lb_json_put_text(o, "name", r->name);
    lb_json_put_text(o, "severity", lb_mlperf_severity_names[r->severity]);
    lb_json_put_text(o, "scope", lb_mlperf_scope_names[r->scope]);
    json_object_set_new(
        o, "divisions",
        word_list(lb_mlperf_mode_names, LB_MLPERF_N_MODES, r->modes));
    json_object_set_new(
        o, "kinds",
        word_list(lb_mlperf_kind_names, LB_MLPERF_N_KINDS, r->kinds));
    lb_json_put_text(o, "checks", r->doc);
    lb_json_put_text(o, "differs", r->differs);
    json_array_append_new(list, o);
  }
  return list;
}
