/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dataset formats: plan the I/O of a sample, make the bytes of a file.  A
 * format never reads; executors run what it plans.
 *
 * To add one: src/format/NAME.c, its name in LB_FORMAT_LIST, its line in
 * src/format/local.mk. */
#ifndef LOADBANK_FORMAT_H
#define LOADBANK_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loadbank/dtype.h"
#include "loadbank/err.h"
#include "loadbank/iolist.h"
#include "loadbank/option.h"
#include "loadbank/set.h"

struct lb_buf;

enum { LB_MAX_DIMS = 8 };

/* What every format is told; one a run, not changed after that. */
struct lb_format_params {
  int64_t samples_per_file;
  const struct lb_dtype *dtype; /* element type */
  int n_dims;                   /* of a sample; 0: a flat run of bytes */
  int64_t dims[LB_MAX_DIMS];
  char compression[16]; /* "none", "gzip" ... */
  int compression_level;
  bool chunking;       /* dataset.enable_chunking */
  int64_t chunk_size;  /* bytes; 0: as the format chooses */
  bool memory;         /* read_type: memory: a reader keeps what it opened */
  bool in_order;       /* a reader takes the samples of a file one after the
                        * other, and one file after the other */
  bool has_bytes;      /* false on a virtual backend: parse is not called */
  bool lean;           /* reader.call_profile: the least calls; only if the
                        * format has two profiles */
  bool decode;         /* reader.decode: images, in the reader's thread */
  uint32_t request;    /* bytes of one request (reader.transfer_size) */
  unsigned open_flags; /* LB_IO_DIRECT or 0 */
  int64_t n_files[LB_N_SETS]; /* file indices are 0 .. n-1 */
  uint64_t content_seed;      /* dataset.seed */
  const void *options;        /* the format's own, options_size bytes */
};

/* One dataset file. */
struct lb_file {
  enum lb_set set;
  int64_t index;
  int64_t samples;      /* in the file */
  int64_t sample_bytes; /* payload bytes of each of its samples, as planned */
  const char *path;     /* borrowed; NULL where only sizes are asked */
};

/* One sample to read. */
struct lb_sample {
  struct lb_file file;
  int64_t in_file; /* 0 .. file.samples-1 */
  bool verify;     /* compare it with what should be there */
};

struct lb_file_sizes {
  uint64_t file_bytes;    /* on disk */
  uint64_t beside_bytes;  /* of its sidecars; lb_format_sizes fills it in */
  uint64_t payload_bytes; /* of samples */
  uint64_t memory_bytes;  /* that a reader with read_type memory would keep */
  /* file_bytes is about right: how long the file is, its bytes decide
   * (compression); never less than payload that does not compress. */
  bool estimated;
};

/* Where a file's bytes go while it is made: any order of offsets. */
struct lb_sink {
  const char *path; /* the temporary file, already made and empty, for a
                     * library that must write itself */
  int (*write)(struct lb_sink *sink, uint64_t offset, const void *bytes,
               size_t n, struct lb_err *err);
  void *scratch;        /* for content; page-aligned */
  size_t scratch_bytes; /* >= 64 KiB (dataset.generation_buffer_size) */
};

/* One reader's state: embedded head, the format's own part behind it.  Used by
 * one thread at a time. */
struct lb_reader {
  const struct lb_format *format;
  const struct lb_format_params *params;
  int fd[LB_IO_SLOTS]; /* open files between lists; -1 when closed */
  /* Set by plan: samples first .. end-1 of this file need no list as long as
   * nothing else is read: a loader may pass over them.  end 0: none. */
  struct {
    enum lb_set set;
    int64_t file, first, end;
  } in_hand;
  /* Measured by parse, for what the dataset really holds. */
  uint64_t samples_seen, sample_bytes_seen;
  void *state; /* format's own, reader_size bytes, zeroed at init */
};

/* A file that goes with every file of the dataset: its index. */
struct lb_sidecar {
  const char *folder; /* of data_folder, the set's below it; NULL: beside it */
  const char *ending; /* behind the whole name of the dataset file */
  /* Both required; as those of struct lb_format. */
  int (*size)(const struct lb_format_params *p, const struct lb_file *f,
              uint64_t *bytes, struct lb_err *err);
  int (*make)(const struct lb_format_params *p, const struct lb_file *f,
              struct lb_sink *sink, struct lb_err *err);
};

struct lb_format {
  const char *name;        /* dataset.format, and `loadbank list' */
  const char *doc;         /* one sentence */
  const char *unavailable; /* NULL, or why this build lacks it */
  const char *extension;   /* without the dot */
  bool no_data;            /* there are no files: nothing is made or read */
  bool decodes;            /* knows reader.decode */
  bool has_lean;           /* lean is another list than the framework's */
  int64_t least_bytes;     /* of a sample whose size is drawn; 0: 1 will do */
  int kept_files;          /* that keeps_open is about, for each file; 0: 1 */
  /* Optional, pure.  What follows the extension in the names of files with this
   * compression, with its dot (".gz"), or "". */
  const char *(*ending)(const char *compression);
  const struct lb_option *options; /* dataset.<name>.* */
  size_t n_options, options_size;
  /* Required, pure.  Is what params ask possible?  One clear sentence. */
  int (*check)(const struct lb_format_params *p, struct lb_err *err);
  /* Required, pure.  Sizes of a file as `make' writes it. */
  int (*sizes)(const struct lb_format_params *p, const struct lb_file *f,
               struct lb_file_sizes *out, struct lb_err *err);
  /* Required.  The file's bytes, the same on every rank and at every time. */
  int (*make)(const struct lb_format_params *p, const struct lb_file *f,
              struct lb_sink *sink, struct lb_err *err);
  /* Optional, pure.  What of params, beyond what the manifest names by itself,
   * decides the bytes: adds "key=value;" for all that is not the default. */
  void (*describe)(const struct lb_format_params *p, struct lb_buf *out);
  const struct lb_sidecar *sidecars; /* NULL: none */
  size_t n_sidecars;
  bool calls_library; /* lists may have calls (lb_io.call), which block */
  size_t reader_size;
  /* Optional: beyond zeroed state / what must be released. */
  int (*reader_init)(struct lb_reader *r, struct lb_err *err);
  void (*reader_fini)(struct lb_reader *r);
  /* Optional, pure.  Bytes beyond reader_size that a reader has at most. */
  uint64_t (*reader_notes)(const struct lb_format_params *p);
  /* Optional, pure.  Does a reader keep the files open that it has read? */
  bool (*keeps_open)(const struct lb_format_params *p);
  /* Optional, between passes: forgets which files it has and closes what it
   * kept open, as if it were new.  Allocates nothing. */
  void (*reader_reset)(struct lb_reader *r);
  /* Required; does no I/O; any thread.  Appends stage `stage' (0, 1, ...) of
   * reading the sample to an empty list.  1: there is such a stage; 0: the
   * sample was complete with the stage before (its payload_bytes count all the
   * same: of a sample that was read along with an earlier one); negative:
   * error. */
  int (*plan)(struct lb_reader *r, const struct lb_sample *s, int stage,
              struct lb_iolist *list, struct lb_err *err);
  /* Optional: of a sample that takes one READ of a file that the reader keeps
   * open (lb_io.kept): adds it to a list that may hold those of others.  false:
   * it takes more, which plan has.  The file may have no path.  Does no I/O;
   * what is listed counts as seen. */
  bool (*append)(struct lb_reader *r, const struct lb_sample *s,
                 struct lb_iolist *list);
  /* Optional: takes what the stage's list has read (only where the backend has
   * bytes; otherwise the next stage is planned from the known layout).
   * Errors say what the file holds and what was configured. */
  int (*parse)(struct lb_reader *r, const struct lb_sample *s, int stage,
               const struct lb_iolist *list, struct lb_err *err);
  /* Optional: of a sample that is verified, each request of a READ, n bytes
   * from `at' of it on, in order: for checksums.  Content that is in the file
   * as it is (lb_io.content) is compared by whoever runs the list. */
  int (*inspect)(struct lb_reader *r, const struct lb_sample *s,
                 const struct lb_io *io, uint64_t at, const void *bytes,
                 size_t n, struct lb_err *err);
};

#define LB_FORMAT_LIST(X) \
  X(npz)                  \
  X(npy)                  \
  X(hdf5)                 \
  X(tfrecord)             \
  X(parquet)              \
  X(csv)                  \
  X(indexed_binary)       \
  X(mmap_indexed_binary) X(jpeg) X(png) X(synthetic)
#define X(n) extern const struct lb_format lb_format_##n;
LB_FORMAT_LIST(X)
#undef X
extern const struct lb_format *const lb_formats[];        /* NULL at the end */
const struct lb_format *lb_format_find(const char *name); /* or NULL */

/* What the names of files end with, without the first dot. */
void lb_format_extension(const struct lb_format *f, const char *compression,
                         char *out, size_t size);

int lb_reader_init(struct lb_reader *r, const struct lb_format *f,
                   const struct lb_format_params *p, struct lb_err *err);
/* For both: files in fd must have been released by the storage before. */
void lb_reader_reset(struct lb_reader *r); /* what it has seen stays counted */
void lb_reader_fini(struct lb_reader *r);

/* Path of what goes with a file whose path is <root>/<set>/[sub/]name; in any
 * other place its folder counts as the root.  Its length, or -1 when it does
 * not fit. */
int lb_format_sidecar(const struct lb_sidecar *sidecar, const struct lb_file *f,
                      char *buf, size_t size);

/* Sizes of a file and of what goes with it. */
int lb_format_sizes(const struct lb_format *f, const struct lb_format_params *p,
                    const struct lb_file *file, struct lb_file_sizes *out,
                    struct lb_err *err);

/* Memory of one reader. */
uint64_t lb_format_reader_bytes(const struct lb_format *f,
                                const struct lb_format_params *p);

#endif
