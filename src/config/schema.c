/* SPDX-License-Identifier: GPL-3.0-or-later */
/* THE table of keys: type, default, range, words, unit and meaning of each.
 * Keys of storage backends and formats are in their own tables (rows.c lists
 * them); names and texts whose values are names are in alias.c. */
#include "lb-config.h"

#include "config/config_impl.h"

#include "loadbank/checkpoint.h"

/* In the order of lb_loaders. */
static const char *const loader_words[] = {
#define X(n) #n,
    LB_LOADER_LIST(X)
#undef X
        NULL};

/* In the order of lb_checkpoint_schemes. */
static const char *const scheme_words[] = {
#define X(n) #n,
    LB_CHECKPOINT_LIST(X)
#undef X
        NULL};

#define OPT(field, ...) LB_OPTION(struct lb_workload, field, __VA_ARGS__)
#define WORDS(...)      \
  (const char *const[]) \
  {                     \
    __VA_ARGS__, NULL   \
  }

/* What is still to come, in the words of `not supported yet: ...'. */
#define LATER_OBJECT "object storage"
#define LATER_CLASS "Python classes cannot run here"

#define COUNT_MAX 1e15
#define BYTES_MAX 4611686018427387904.0 /* 2^62 */
#define SECONDS_MAX 1e9

const struct lb_option schema[] = {
    /* ---- model ---- */
    OPT(model.name, .doc = "Name of the model, for the results."),
    OPT(model.type, .doc = "Kind of model (cnn, transformer ...)."),
    OPT(model.model_size_bytes, .def = "10240", .min = 0, .max = BYTES_MAX,
        .unit = "bytes",
        .doc = "Bytes of the model's state that a checkpoint holds; a model "
               "of type transformer has only layers."),
    OPT(model.model_datatype, .def = "fp16",
        .doc = "Element type of a model's weights."),
    OPT(model.optimizer_datatype, .def = "fp32",
        .doc = "Element type of the optimizer's state."),
    OPT(model.optimization_groups, .min = 0, .max = BYTES_MAX, .unit = "bytes",
        .doc = "Each group of the optimizer's state, which a checkpoint holds "
               "three times; else it follows from the transformer."),
    OPT(model.layer_parameters, .min = 0, .max = BYTES_MAX, .unit = "bytes",
        .doc = "Each parameter of a layer; else they follow from the "
               "transformer."),
    OPT(model.num_layers, .def = "-1", .min = -1, .max = 1e6, .unit = "layers",

        .doc = "Layers of the model; -1: no layers are modelled."),
    OPT(model.parallelism.tensor, .def = "1", .min = 1, .max = 1e6,
        .doc = "Accelerators that share each layer."),
    OPT(model.parallelism.pipeline, .def = "1", .min = 1, .max = 1e6,

        .doc = "Groups of accelerators that share the layers."),
    OPT(model.parallelism.data, .def = "-1", .min = -1, .max = 1e9,

        .doc = "Copies of the model; -1: as many as the accelerators give."),
    OPT(model.parallelism.zero_stage, .def = "0", .min = 0, .max = 3,

        .doc = "Stage of ZeRO: what of the state is sharded over the copies."),
    OPT(model.transformer.hidden_size, .def = "2048", .min = 1, .max = 1e9,
        .doc = "Width of a transformer's layers."),
    OPT(model.transformer.ffn_hidden_size, .def = "8192", .min = 1, .max = 1e9,
        .doc = "Width of its feed-forward layers."),
    OPT(model.transformer.vocab_size, .def = "32000", .min = 1, .max = 1e9,
        .doc = "Tokens of its vocabulary."),
    OPT(model.transformer.num_attention_heads, .def = "32", .min = 1,
        .max = 1e6, .doc = "Its attention heads."),
    OPT(model.transformer.num_kv_heads, .def = "8", .min = 1, .max = 1e6,
        .doc = "Its key and value heads."),

    OPT(framework, .def = "tensorflow", .words = WORDS("tensorflow", "pytorch"),
        .doc = "The framework that is emulated; chooses reader.data_loader "
               "when that is not given."),

    /* ---- workflow ---- */
    OPT(workflow.generate_data, .def = "false",
        .doc = "Make the dataset before training."),
    OPT(workflow.train, .def = "true", .doc = "Train."),
    OPT(workflow.evaluation, .def = "false",
        .doc = "Evaluate between epochs of training."),
    OPT(workflow.checkpoint, .def = "false", .doc = "Write checkpoints."),
    OPT(workflow.profiling, .def = "false", .later = "profiling",
        .doc = "Run a profiler beside the job."),
    OPT(workflow.debug, .def = "false",
        .ignored = "--verbose says more about a run", .doc = "More messages."),
    OPT(workflow.query, .def = "false", .later = "queries",
        .doc = "Run queries on the storage."),

    /* ---- storage ---- */
    OPT(storage.storage_type, .def = "local_fs",
        .doc = "The storage backend: who does the I/O."),
    OPT(storage.storage_root, .def = "./",
        .doc = "Folder (or bucket) that data_folder and checkpoint_folder are "
               "below, unless they are absolute; a list: mounts of one file "
               "system, over which accelerators are spread (a list is not "
               "DLIO's)."),
    OPT(storage.storage_library, .later = LATER_OBJECT,
        .doc = "Client library for object storage."),
    OPT(storage.post_generation_settle_seconds, .def = "0", .min = 0,
        .max = SECONDS_MAX, .unit = "s", .later = LATER_OBJECT,
        .doc = "Wait between generating and reading."),
    OPT(storage.endpoint_uris, .later = LATER_OBJECT,
        .doc = "Endpoints of object storage."),
    OPT(storage.load_balance_strategy, .later = LATER_OBJECT,
        .doc = "How requests are spread over the endpoints."),
    OPT(storage.use_mpi_endpoint_distribution, .def = "false",
        .later = LATER_OBJECT, .doc = "One endpoint per rank, in turn."),
    OPT(storage.drop_caches, .def = "never",
        .words = WORDS("never", "epoch", "run"),
        .doc = "Empty the hosts' page caches before the first epoch, or before "
               "each pass over a set (not a DLIO key)."),
    OPT(storage.storage_options.access_key_id, .later = LATER_OBJECT,
        .doc = "Access key; never written to results."),
    OPT(storage.storage_options.secret_access_key, .later = LATER_OBJECT,
        .doc = "Secret key; never written to results."),
    OPT(storage.storage_options.connection_string, .later = LATER_OBJECT,
        .doc = "Connection string with a key; never written to results."),
    OPT(storage.storage_options.endpoint_url, .later = LATER_OBJECT,
        .doc = "Endpoint of object storage; several with commas."),
    OPT(storage.storage_options.region, .later = LATER_OBJECT,
        .doc = "Region of the bucket."),
    OPT(storage.storage_options.s3_force_path_style, .def = "false",
        .later = LATER_OBJECT, .doc = "Bucket in the path, not the host."),
    OPT(storage.storage_options.s3_max_attempts, .def = "5", .min = 1,
        .max = 1000, .later = LATER_OBJECT, .doc = "Attempts of a request."),
    OPT(storage.storage_options.secure, .def = "true", .later = LATER_OBJECT,
        .doc = "Use TLS."),
    OPT(storage.storage_options.uri_scheme, .later = LATER_OBJECT,
        .doc = "Scheme of the objects' URIs."),
    OPT(storage.storage_options.storage_library, .later = LATER_OBJECT,
        .doc = "Client library for object storage."),
    OPT(storage.storage_options.prefetch_workers, .def = "0", .min = 0,
        .max = 65536, .later = LATER_OBJECT,
        .doc = "Requests of a reader in parallel; 0: the library's choice."),
    OPT(storage.storage_options.prefetch_window, .def = "0", .min = 0,
        .max = 65536, .later = LATER_OBJECT,
        .doc = "Objects a reader asks for ahead; 0: the library's choice."),
    OPT(storage.storage_options.columns, .later = LATER_OBJECT,
        .doc = "Columns to read."),
    OPT(storage.storage_options.decode, .def = "false", .later = LATER_OBJECT,
        .doc = "Decode what is read."),

    /* ---- dataset ---- */
    OPT(dataset.record_length_bytes, .def = "65536", .min = 1, .max = BYTES_MAX,
        .unit = "bytes",
        .doc = "Payload of a sample; a mean when a stdev is given."),
    OPT(dataset.record_length_bytes_stdev, .def = "0", .min = 0,
        .max = BYTES_MAX, .unit = "bytes",
        .doc = "Standard deviation of the samples' sizes; one size per file."),
    OPT(dataset.record_length_bytes_resize, .def = "0", .min = 0,
        .max = BYTES_MAX, .unit = "bytes",
        .doc = "Size a sample is resized to after reading; changes no I/O."),
    OPT(dataset.format, .def = "tfrecord", .doc = "Format of the files."),
    OPT(dataset.num_files_train, .def = "8", .min = 0, .max = COUNT_MAX,
        .unit = "files", .doc = "Files of the training set."),
    OPT(dataset.num_files_eval, .def = "0", .min = 0, .max = COUNT_MAX,
        .unit = "files", .doc = "Files of the validation set."),
    OPT(dataset.num_samples_per_file, .def = "1", .min = 1, .max = COUNT_MAX,
        .unit = "samples", .doc = "Samples in each file."),
    OPT(dataset.data_folder, .def = "./data",
        .doc = "Folder of the dataset, below storage.storage_root."),
    OPT(dataset.num_subfolders_train, .def = "0", .min = 0, .max = 1e9,
        .unit = "folders",
        .doc = "Sub-folders of the training set; 0 and 1: none."),
    OPT(dataset.num_subfolders_eval, .def = "0", .min = 0, .max = 1e9,
        .unit = "folders",
        .doc = "Sub-folders of the validation set; 0 and 1: none."),
    OPT(dataset.file_prefix, .def = "img",
        .doc = "First part of the files' "
               "names."),
    OPT(dataset.compression, .def = "none", .doc = "Compression of the files."),
    OPT(dataset.compression_level, .def = "4", .min = 0, .max = 9,
        .doc = "Level of compression."),
    OPT(dataset.enable_chunking, .def = "false",
        .doc = "Store HDF5 datasets in chunks."),
    OPT(dataset.chunk_size, .def = "0", .min = 0, .max = BYTES_MAX,
        .unit = "bytes",
        .doc = "Bytes of a chunk at most; 0: chosen as h5py does."),
    OPT(dataset.keep_files, .def = "true",
        .doc = "Leave the dataset where it is; false: at the end of a run that "
               "was complete it is removed, if its manifest claims it."),
    OPT(dataset.record_dims, .min = 1, .max = COUNT_MAX,
        .doc = "Shape of a sample, at most 8 dimensions; with the element type "
               "it replaces record_length_bytes."),
    OPT(dataset.record_element_type, .def = "uint8",
        .doc = "Element type of a sample."),
    OPT(dataset.record_element_bytes, .def = "0", .min = 0, .max = 16,
        .unit = "bytes",
        .doc = "Bytes of an element, which must be those of the type; 0: "
               "not given."),
    OPT(dataset.generation_buffer_size, .def = "2097152", .min = 65536,
        .max = 1073741824, .unit = "bytes",
        .doc = "Buffer that files are generated through."),
    OPT(dataset.data_gen_method,
        .ignored = "contents are always made natively, the same for all ranks",
        .doc = "How the contents are made."),
    OPT(dataset.skip_listing, .def = "false",
        .doc = "Do not list folders: trust that the names follow the rule."),
    OPT(dataset.listing_validation_interval, .def = "-1", .min = -1,
        .max = COUNT_MAX, .unit = "files",
        .doc = "Without listing, every so many files one is looked at; 0: "
               "none; -1: all of less than 10^4 files, every 10th of less than "
               "10^5, and so on to every 10000th."),
    OPT(dataset.seed, .def = "10",
        .doc = "Decides sizes and contents of the dataset."),
    OPT(dataset.compressibility, .def = "0", .min = 0, .max = 0.99,
        .later = "compressible contents",
        .doc = "Part of the contents that compression can save."),
    OPT(dataset.dedup, .def = "0", .min = 0, .max = 0.99,
        .later = "contents that deduplicate",
        .doc = "Part of the contents that deduplication can save."),

    /* ---- reader ---- */
    OPT(reader.data_loader, .def = "tensorflow", .words = loader_words,
        .doc = "The data loader that is emulated (loadbank list loaders); "
               "pytorch when framework is pytorch."),
    OPT(reader.batch_size, .def = "1", .min = 1, .max = 1e9, .unit = "samples",
        .doc = "Samples of a step of one accelerator."),
    OPT(reader.batch_size_eval, .def = "1", .min = 1, .max = 1e9,
        .unit = "samples", .doc = "The same in evaluation."),
    OPT(reader.read_threads, .def = "1", .min = 0, .max = 65536,
        .unit = "readers",
        .doc = "Readers of each accelerator; 0: one, that with pytorch and "
               "dali reads nothing ahead."),
    OPT(reader.write_threads, .def = "1", .min = 0, .max = 65536,
        .ignored = "every rank generates with one writer",
        .doc = "Threads that generate."),
    OPT(reader.computation_threads, .def = "1", .min = 0, .max = 65536,
        .doc =
            "Threads that preprocess in the tensorflow loader, a batch each; "
            "in the others readers do it."),
    OPT(reader.prefetch_size, .def = "2", .min = 0, .max = 1e6,
        .unit = "batches",
        .doc = "Batches of an accelerator that are read ahead; for pytorch "
               "over all its readers, rounded up to as many for each; 0: two "
               "per reader with pytorch, two with dali, one with native_dali, "
               "none with tensorflow."),
    OPT(reader.file_shuffle, .def = "off",
        .words = WORDS("off", "seed", "random"),
        .doc = "Order of the files: as they are, by train.seed, or by a seed "
               "from the system."),
    OPT(reader.sample_shuffle, .def = "off",
        .words = WORDS("off", "seed", "random"),
        .doc = "Order of the samples, likewise."),
    OPT(reader.shuffle_size, .def = "1024", .min = 0, .max = 1e9,
        .unit = "samples",
        .doc = "Shuffle buffer of the tensorflow loader, with sample_shuffle; "
               "the others have none."),
    OPT(reader.transfer_size, .def = "262144", .min = 1, .max = 1073741824,
        .unit = "bytes",
        .doc = "Most bytes of one request; of a distribution each sample "
               "draws its own, cut at 8 times the mean."),
    OPT(reader.preprocess_time, .def = "0", .min = 0, .max = SECONDS_MAX,
        .unit = "s", .doc = "Time a reader spends on each sample."),
    OPT(reader.preprocess_time_stdev, .def = "0", .min = 0, .max = SECONDS_MAX,
        .unit = "s", .doc = "Makes preprocess_time normal."),
    OPT(reader.odirect, .def = "false",
        .doc = "Open the files of the dataset with O_DIRECT: reads go past the "
               "page cache."),
    OPT(reader.read_type, .def = "on_demand",
        .words = WORDS("on_demand", "memory"),
        .doc = "Open and close per sample, or keep what was opened."),
    OPT(reader.file_access, .def = "multi",
        .words = WORDS("multi", "shared", "collective"),
        .doc = "Who opens a file: multi and shared, each reader for itself; "
               "collective reading is not emulated."),
    OPT(reader.cache_hits, .def = "false",
        .doc = "Ask the kernel of each read whether the page cache has it: a "
               "further call for what it has not (not a DLIO key)."),
    OPT(reader.verify, .def = "off", .words = WORDS("off", "sample", "full"),
        .doc = "Compare what was read with what dataset.seed makes: one sample "
               "of each batch, or all (not a DLIO key)."),
    OPT(reader.call_profile, .def = "framework",
        .words = WORDS("framework", "lean"),
        .doc = "What reading a sample asks of the storage: the calls of the "
               "real framework's reader, or the least that bring the same "
               "samples (not a DLIO key)."),
    OPT(reader.pin_memory, .def = "true",
        .ignored = "no batch goes to an accelerator's memory",
        .doc = "Copy batches to pinned memory."),
    OPT(reader.decode, .def = "false",
        .doc = "Decode jpeg and png images after reading, in the reader's "
               "thread."),
    OPT(reader.dont_use_mmap, .def = "false",
        .doc = "DALI's own readers (native_dali) do not map files; here only "
               "storage_type mmap does, with which this is refused."),
    OPT(reader.multiprocessing_context, .def = "fork",
        .ignored = "readers are threads, no process is started",
        .doc = "How worker processes are started."),
    OPT(reader.data_loader_sampler, .def = "default",
        .words = WORDS("default", "index", "iterative", "none"),
        .doc = "Order of the samples: index permutes all of them, iterative "
               "goes through files; default and none: as the loader does."),
    OPT(reader.transformed_record_dims, .min = 1, .max = COUNT_MAX,
        .ignored = "bytes are dropped after reading",
        .doc = "Shape after preprocessing."),
    OPT(reader.transformed_record_element_type, .def = "uint8",
        .ignored = "bytes are dropped after reading",
        .doc = "Element type after preprocessing."),
    OPT(reader.reader_classname, .later = LATER_CLASS,
        .doc = "Python class that reads."),
    OPT(reader.data_loader_classname, .later = LATER_CLASS,
        .doc = "Python class that loads."),

    /* ---- train ---- */
    OPT(train.epochs, .def = "1", .min = 1, .max = 1e9, .unit = "epochs",
        .doc = "Epochs: how often the training set is read."),
    OPT(train.computation_time, .def = "0", .min = 0, .max = SECONDS_MAX,
        .unit = "s", .doc = "Compute of one step of one accelerator."),
    OPT(train.computation_time_stdev, .def = "0", .min = 0, .max = SECONDS_MAX,
        .unit = "s", .doc = "Makes computation_time normal."),
    OPT(train.total_training_steps, .def = "-1", .min = -1, .max = COUNT_MAX,
        .unit = "steps",
        .doc = "Steps after which the run ends; -1 and 0: no limit."),
    OPT(train.seed, .def = "123", .doc = "Decides the order."),
    OPT(train.seed_change_epoch, .def = "true",
        .doc = "Another order in every epoch."),

    /* ---- evaluation ---- */
    OPT(evaluation.eval_time, .def = "0", .min = 0, .max = SECONDS_MAX,
        .unit = "s", .doc = "Compute of one step of evaluation."),
    OPT(evaluation.eval_time_stdev, .def = "0", .min = 0, .max = SECONDS_MAX,
        .unit = "s", .doc = "Makes eval_time normal."),
    OPT(evaluation.eval_after_epoch, .def = "1", .min = 1, .max = 1e9,
        .unit = "epochs", .doc = "Epoch of the first evaluation."),
    OPT(evaluation.epochs_between_evals, .def = "1", .min = 1, .max = 1e9,
        .unit = "epochs", .doc = "Epochs from one evaluation to the next."),

    /* ---- checkpoint ---- */
    OPT(checkpoint.checkpoint_folder, .def = "./checkpoints",
        .doc = "Folder of the checkpoints, below storage.storage_root."),
    OPT(checkpoint.checkpoint_after_epoch, .def = "1", .min = 1, .max = 1e9,
        .unit = "epochs", .doc = "Epoch of the first checkpoint."),
    OPT(checkpoint.epochs_between_checkpoints, .def = "1", .min = 1, .max = 1e9,
        .unit = "epochs", .doc = "Epochs from one checkpoint to the next."),
    OPT(checkpoint.steps_between_checkpoints, .def = "-1", .min = -1,
        .max = COUNT_MAX, .unit = "steps",
        .doc = "Steps of an epoch from one checkpoint to the next; above 0 it "
               "replaces the epochs."),
    OPT(checkpoint.type, .def = "rank_zero",
        .words = WORDS("rank_zero", "all_ranks"),
        .doc = "Who writes a model without layers: accelerator 0, or each a "
               "copy.  Layers are written by all that hold them."),
    OPT(checkpoint.scheme, .def = "dlio", .words = scheme_words,
        .doc = "Which files a checkpoint has and who reads them; `loadbank "
               "list` says what each is."),
    OPT(checkpoint.container, .def = "raw", .words = WORDS("raw", "torch"),
        .doc = "What is around the tensors of a file: nothing, or what "
               "torch.save makes."),
    OPT(checkpoint.fsync, .def = "false",
        .doc = "Every file is on the medium before a save is over."),
    OPT(checkpoint.time_between_checkpoints, .def = "-1", .min = -1,
        .max = SECONDS_MAX, .unit = "s",
        .doc = "Wait between checkpoints that are written or read without "
               "training; -1: none."),
    OPT(checkpoint.num_checkpoints_write, .def = "-1", .min = -1,
        .max = COUNT_MAX,
        .doc = "Checkpoints to write without training; -1: none."),
    OPT(checkpoint.num_checkpoints_read, .def = "-1", .min = -1,
        .max = COUNT_MAX,
        .doc = "Checkpoints to read back without training, after those that "
               "are written; -1: none."),
    OPT(checkpoint.recovery_rank_shift, .def = "false",
        .doc = "Read what another node wrote."),
    OPT(checkpoint.rank_sync, .def = "false",
        .doc = "An accelerator's own duration is until all are done."),
    OPT(checkpoint.write_threads, .def = "1", .min = 1, .max = 1024,
        .doc = "Threads of each accelerator that write or read its files side "
               "by side."),
    OPT(checkpoint.request_size, .def = "4194304", .min = 4096, .max = 1 << 30,
        .unit = "bytes",
        .doc = "Bytes of one write or read of a checkpoint's file; whole "
               "4096 bytes."),
    OPT(checkpoint.atomic, .def = "false",
        .doc = "Save into a temporary folder and rename it when all is "
               "written."),
    OPT(checkpoint.keep_last, .def = "0", .min = 0, .max = COUNT_MAX,
        .doc = "Whole checkpoints to keep; older ones are removed after each "
               "save; 0: all are kept."),
    OPT(checkpoint.async, .def = "false",
        .doc = "Training goes on while a checkpoint is written; the next save "
               "waits until it is."),
    OPT(checkpoint.burst_buffer.folder,
        .doc =
            "A fast folder that checkpoints are saved into; from there they "
            "are copied to checkpoint_folder while training goes on.  Empty: "
            "none."),
    OPT(checkpoint.burst_buffer.drain_threads, .def = "1", .min = 1,
        .max = 1024, .doc = "Threads of each rank that copy."),
    OPT(checkpoint.burst_buffer.drain_bandwidth, .def = "0", .min = 0,
        .max = 1e15, .unit = "bytes/s",
        .doc = "Limit of the copying of all ranks together; 0: none."),
    OPT(checkpoint.burst_buffer.keep_last, .def = "1", .min = 0,
        .max = COUNT_MAX,
        .doc = "Whole checkpoints to keep in that folder; 0: all."),
    OPT(checkpoint.mode, .def = "default", .words = WORDS("default", "subset"),
        .doc = "Write the whole state, or the part of it that the accelerators "
               "have of a larger model (model.parallelism.data)."),
    OPT(checkpoint.randomize_tensor, .def = "true",
        .ignored = "what is written never compresses or repeats",
        .doc = "Random contents."),
    OPT(checkpoint.ksm.madv_mergeable_id, .def = "12", .min = 0, .max = 1e6,
        .ignored = "checkpoints are streamed, no copy of them is in memory",
        .doc = "Advice number for merging memory."),
    OPT(checkpoint.ksm.high_ram_trigger, .def = "30", .min = 0, .max = 100,
        .ignored = "checkpoints are streamed, no copy of them is in memory",
        .doc = "Memory in use at which merging is waited for."),
    OPT(checkpoint.ksm.low_ram_exit, .def = "15", .min = 0, .max = 100,
        .ignored = "checkpoints are streamed, no copy of them is in memory",
        .doc = "Memory in use at which the waiting ends."),
    OPT(checkpoint.ksm.await_time, .def = "200", .min = 0, .max = SECONDS_MAX,
        .unit = "s",
        .ignored = "checkpoints are streamed, no copy of them is in memory",
        .doc = "Longest wait for merging."),
    OPT(checkpoint.checkpoint_mechanism_classname, .later = LATER_CLASS,
        .doc = "Python class that writes."),

    /* ---- output, profiling, metric ---- */
    OPT(output.folder, .doc = "Folder of the results; empty: results/<workload>"
                              "/<UTC time>."),
    OPT(output.log_file, .def = "dlio.log", .doc = "Name of the log in it."),
    OPT(output.hydra_folder, .def = ".hydra",
        .doc = "Name of the folder in it for the saved configuration."),
    OPT(output.steps, .def = "all", .words = WORDS("all", "summary", "none"),
        .doc = "What of every step is kept in steps.h5."),
    OPT(output.per_accelerator, .def = "false",
        .doc = "Files for every accelerator, also when there are more than "
               "64."),
    OPT(output.metric.exclude_start_steps, .def = "1", .min = 0,
        .max = COUNT_MAX, .unit = "steps",
        .doc = "First steps of a block that no metric counts."),
    OPT(output.metric.exclude_end_steps, .def = "0", .min = 0, .max = COUNT_MAX,
        .unit = "steps", .doc = "Last steps of a block that no metric counts."),
    OPT(profiling.profiler, .def = "iostat", .doc = "The profiler."),
    OPT(profiling.iostat_devices, .doc = "Block devices that iostat watches."),
    OPT(metric.au, .def = "0.90", .min = 0, .max = 1,
        .doc = "Accelerator utilisation that must be reached."),
};

const size_t n_schema = sizeof schema / sizeof *schema;
