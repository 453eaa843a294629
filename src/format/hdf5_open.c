/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the HDF5 library asks of the storage until it knows where a sample is,
 * and for it, as seen by strace on files made here. */
#include "lb-config.h"

#include "format/hdf5_read.h"

enum {
  SIEVE_BYTES = 1 << 16, /* a buffer of the library, of one dataset */
  GUESS_BYTES = 512,     /* read first of what has no known size */
  /* A file in the oldest format. */
  ROOT_AT = 96,
  TREE_AT = 136,
  TREE_BYTES = 544,
  HEAP_AT = 680,
  HEADER_AT = 800,
  SYMBOLS_BYTES = 328,
  /* In the format of 1.10: superblock, root group, headers of datasets. */
  NEW_ROOT_AT = 48,
  NEW_ROOT_BYTES = 131,
  NEW_HEADER_BYTES = 268,
  MOST_LINKS = 8,   /* in the root group's header; beyond it: a heap, a tree */
  ROOT_LINKS = 3,   /* that fit into its first piece */
  PIECE_BYTES = 30, /* of the second one */
  HEAP_HEADER_BYTES = 146,
  LINKS_HEADER_BYTES = 38,
  BLOCK_LINKS = 20, /* in 512 bytes of the heap */
  LEAF_LINKS = 45,  /* in 512 bytes of the tree */
  /* Indexes of chunks. */
  ARRAY_HEADER_BYTES = 28,
  ARRAY_BLOCK_BYTES = 18, /* around the entries, when in one page */
  PAGE_ENTRIES = 1024,
  PAGE_BYTES = 4 /* around the entries of one page */
};

static bool list_begin(const struct lb_format_params *p,
                       const struct lb_file *f, struct lb_iolist *list)
{
  struct lb_io lock = {.op = LB_OP_LOCK};
  return lb_iolist_open(list, f->path, p->open_flags) && lb_iolist_stat(list) &&
         lb_iolist_add(list, lock) && lb_iolist_read(list, 0, 8, 0, NULL) &&
         lb_iolist_read(list, 0, 16, 0, NULL);
}

static bool list_plain(const struct lb_format_params *p,
                       const struct lb_file *f, struct lb_iolist *list)
{
  uint64_t payload = (uint64_t)f->samples * (uint64_t)f->sample_bytes;
  struct lb_io stat = {.op = LB_OP_STAT, .slot = -1, .path = f->path};
  return list_begin(p, f, list) &&
         lb_iolist_read(list, 16, ROOT_AT - 16, 0, NULL) &&
         lb_iolist_read(list, ROOT_AT, GUESS_BYTES, 0, NULL) &&
         lb_iolist_add(list, stat) &&
         lb_iolist_read(list, HEAP_AT, GUESS_BYTES, 0, NULL) &&
         lb_iolist_read(list, TREE_AT, TREE_BYTES, 0, NULL) &&
         lb_iolist_read(list, LB_H5_RECORDS_AT + payload, SYMBOLS_BYTES, 0,
                        NULL) &&
         lb_iolist_read(list, HEADER_AT, GUESS_BYTES, 0, NULL);
}

/* The names of the datasets, and of labels. */
static bool list_links(int links, struct lb_iolist *list)
{
  uint64_t at = NEW_ROOT_AT + NEW_ROOT_BYTES;
  bool good = true;
  if (links <= MOST_LINKS)
    return links <= ROOT_LINKS ||
           lb_iolist_read(list, at, PIECE_BYTES, 0, NULL);
  good = lb_iolist_read(list, at, LINKS_HEADER_BYTES, 0, NULL) &&
         lb_iolist_read(list, at, HEAP_HEADER_BYTES, 0, NULL);
  for (int i = 0; good && i < links; i += BLOCK_LINKS)
    good = lb_iolist_read(list, at, GUESS_BYTES, 0, NULL);
  for (int i = 0; good && i < links; i += LEAF_LINKS)
    good = lb_iolist_read(list, at, GUESS_BYTES, 0, NULL);
  return good;
}

/* Bytes of a number in an index: one more than it needs. */
static uint64_t entry_bytes(const struct lb_h5_shape *s)
{
  uint64_t n = lb_h5_chunk_bytes(s);
  int bits = 64 - __builtin_clzll(n) - 1 + 8;
  uint64_t size = 1 + (uint64_t)bits / 8;
  return s->n_filters > 0 ? 8 + (size < 8 ? size : 8) + 4 : 8;
}

/* What finding the chunks of a row reads of one dataset's index: its header,
 * and one block, or the pages that have their entries. */
static bool list_index(const struct lb_h5_shape *s, int64_t row, uint64_t at,
                       struct lb_iolist *list)
{
  int64_t chunks = lb_h5_chunks(s), first = lb_h5_chunk_of_row(s, row, 0);
  uint64_t entry = entry_bytes(s), pages = (uint64_t)chunks / PAGE_ENTRIES + 1;
  if (lb_h5_regular(s) || (chunks == 1 && !s->resizable))
    return true;
  if (!lb_iolist_read(list, at, ARRAY_HEADER_BYTES, 0, NULL))
    return false;
  if (chunks <= PAGE_ENTRIES)
    return lb_iolist_read(list, at + ARRAY_HEADER_BYTES,
                          ARRAY_BLOCK_BYTES + (uint64_t)chunks * entry, 0,
                          NULL);
  bool good =
      lb_iolist_read(list, at, ARRAY_BLOCK_BYTES + (pages + 7) / 8, 0, NULL);
  int64_t last = first + lb_h5_chunks_of_row(s) - 1;
  for (int64_t i = first / PAGE_ENTRIES; good && i <= last / PAGE_ENTRIES; i++)
    good = lb_iolist_read(list, at, PAGE_BYTES + PAGE_ENTRIES * entry, 0, NULL);
  return good;
}

bool lb_h5_list_open(const struct lb_format_params *p, const struct lb_file *f,
                     const struct lb_h5_shape *s, int64_t row,
                     struct lb_iolist *list)
{
  if (lb_h5_plain(s))
    return list_plain(p, f, list);
  struct lb_io stat = {.op = LB_OP_STAT, .slot = -1, .path = f->path};
  bool good = list_begin(p, f, list) &&
              lb_iolist_read(list, 16, NEW_ROOT_AT - 16, 0, NULL) &&
              lb_iolist_add(list, stat) &&
              lb_iolist_read(list, NEW_ROOT_AT, GUESS_BYTES, 0, NULL) &&
              list_links(s->n_sets + 1, list);
  for (int i = 0; good && i < s->n_sets; i++) {
    uint64_t at = NEW_ROOT_AT + NEW_ROOT_BYTES + (uint64_t)i * NEW_HEADER_BYTES;
    good = lb_iolist_read(list, at, GUESS_BYTES, 0, NULL) &&
           list_index(s, row, at + NEW_HEADER_BYTES, list);
  }
  return good;
}

uint64_t lb_h5_sieved(const struct lb_h5_shape *s, uint64_t at, uint64_t n)
{
  return s->chunked || n > SIEVE_BYTES
             ? n
             : lb_min_u64(SIEVE_BYTES, lb_h5_chunk_bytes(s) - at);
}
