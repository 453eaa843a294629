/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of indexed_binary (indexed.c), read as through a memory mapping:
 * what is asked of the storage are the pages that hold a sample, and those that
 * hold its entries of the index, unless the sample before had them, too.
 *
 * Nothing is mapped here: an executor does the reads. */
#include "lb-config.h"

#include "format/indexed.h"

#include <endian.h>
#include <limits.h>
#include <string.h>

#include "format/handles.h"

/* The data and the two indices, which all stay open. */
enum { DATA_SLOT, INDEX_SLOT };
/* What Linux reads at once for a mapping, unless it is told otherwise
 * (read_ahead_kb of the device). */
enum { READ_AHEAD = 131072 };

enum step { OPEN, PAGES, SAMPLE, DONE };

struct mm_reader {
  struct lb_handles open; /* with bytes; at is the length of the data */
  struct lb_kept kept;    /* without: what would be open */
  enum step step;
  uint64_t data_bytes; /* of the file that is read now */
  /* Which pages of the indices are in `page': of which file, from where. */
  bool has_page;
  enum lb_set set;
  int64_t file;
  uint64_t page_at;
  unsigned char page[LB_N_INDICES][LB_PAGE];
  char path[LB_N_INDICES][PATH_MAX];
};

static int mm_check(const struct lb_format_params *p, struct lb_err *err)
{
  if (p->open_flags & LB_IO_DIRECT)
    return lb_err_set(err, LB_USAGE,
                      "O_DIRECT with format mmap_indexed_binary: a mapping "
                      "goes through the page cache; indexed_binary does not");
  return lb_check_plain(p, "mmap_indexed_binary", err);
}

/* ---- a reader's life ---- */

static int mm_reader_init(struct lb_reader *r, struct lb_err *err)
{
  struct mm_reader *st = r->state;
  return r->params->has_bytes ? lb_handles_init(&st->open, r->params, err)
                              : lb_kept_init(&st->kept, r->params, true, err);
}

static uint64_t mm_reader_notes(const struct lb_format_params *p)
{
  return p->has_bytes ? lb_handles_bytes(p) : lb_kept_bits(p);
}

static bool mm_keeps_open(const struct lb_format_params *p)
{
  return p->has_bytes;
}

static void mm_reader_reset(struct lb_reader *r)
{
  struct mm_reader *st = r->state;
  st->has_page = false;
  lb_handles_close(&st->open);
  lb_kept_clear(&st->kept);
}

static void mm_reader_fini(struct lb_reader *r)
{
  struct mm_reader *st = r->state;
  lb_handles_fini(&st->open);
  lb_kept_fini(&st->kept);
}

/* ---- the lists ---- */

static uint64_t page_of(uint64_t at)
{
  return at - at % LB_PAGE;
}

static int list_opens(struct lb_reader *r, const struct lb_sample *s,
                      struct lb_iolist *list, struct lb_err *err)
{
  struct mm_reader *st = r->state;
  bool good = true;
  for (int i = 0; i < LB_N_INDICES; i++) {
    if (lb_index_name(st->path[i], sizeof st->path[i], &s->file, i, err) < 0)
      return -err->code;
    good = good && lb_indexed_list_open(list, INDEX_SLOT + i, st->path[i], 0);
  }
  good = good && lb_indexed_list_open(list, DATA_SLOT, s->file.path, 0);
  return good ? 1 : lb_list_full(err);
}

/* See lb_io.kept. */
static int kept(const struct lb_handle *h, int slot)
{
  return h ? h->fd[slot] : 0;
}

static int list_pages(struct lb_reader *r, const struct lb_sample *s,
                      struct lb_iolist *list, struct lb_err *err)
{
  struct mm_reader *st = r->state;
  bool good = true;
  const struct lb_handle *h = lb_handles_get(&st->open, &s->file);
  uint64_t length = lb_min_u64(LB_PAGE, lb_index_bytes(&s->file) - st->page_at);
  for (int i = 0; good && i < LB_N_INDICES; i++)
    good = lb_iolist_add(list, (struct lb_io){.op = LB_OP_READ,
                                              .slot = INDEX_SLOT + i,
                                              .kept = kept(h, INDEX_SLOT + i),
                                              .offset = st->page_at,
                                              .length = length,
                                              .buf = st->page[i]});
  return good ? 1 : lb_list_full(err);
}

static uint64_t entry(const struct mm_reader *st, enum lb_index index,
                      const struct lb_sample *s)
{
  uint64_t word;
  memcpy(&word,
         st->page[index] + (uint64_t)s->in_file * LB_INDEX_ENTRY % LB_PAGE,
         sizeof word);
  return le64toh(word);
}

/* Where the sample is, by the pages of the index that are there. */
static int find_sample(const struct mm_reader *st, const struct lb_sample *s,
                       uint64_t where[LB_N_INDICES], struct lb_err *err)
{
  char path[PATH_MAX];
  for (int i = 0; i < LB_N_INDICES; i++) {
    where[i] = entry(st, i, s);
    if (lb_index_name(path, sizeof path, &s->file, i, err) < 0 ||
        lb_index_check_entry(path, (uint64_t)s->in_file, where[i], err) < 0)
      return -err->code;
  }
  return lb_indexed_cut_short(&s->file, st->data_bytes, where[0] + where[1],
                              err);
}

static int list_sample(struct lb_reader *r, const struct lb_sample *s,
                       struct lb_iolist *list, struct lb_err *err)
{
  struct mm_reader *st = r->state;
  const struct lb_handle *h = lb_handles_get(&st->open, &s->file);
  const uint64_t bytes = (uint64_t)s->file.sample_bytes;
  uint64_t where[LB_N_INDICES] = {(uint64_t)s->in_file * bytes, bytes};
  uint32_t request = r->params->request;
  if (r->params->has_bytes && find_sample(st, s, where, err) < 0)
    return -err->code;
  uint64_t end = where[0] + where[1];
  uint64_t page_end = lb_min_u64(page_of(end + LB_PAGE - 1), st->data_bytes);
  if (!request || request > READ_AHEAD)
    request = READ_AHEAD;
  r->samples_seen += h != NULL;
  r->sample_bytes_seen += h ? where[1] : 0;
  return lb_list_sample(list, s, kept(h, DATA_SLOT), where[0], where[1],
                        page_of(where[0]), page_end, request)
             ? 1
             : lb_list_full(err);
}

/* ---- the stages ---- */

static bool is_open(struct lb_reader *r, const struct lb_file *f)
{
  struct mm_reader *st = r->state;
  if (!r->params->has_bytes) {
    st->data_bytes = (uint64_t)f->samples * (uint64_t)f->sample_bytes;
    bool has = lb_kept_has(&st->kept, f);
    lb_kept_add(&st->kept, f);
    return has;
  }
  const struct lb_handle *h = lb_handles_get(&st->open, f);
  if (h)
    st->data_bytes = h->at;
  return h;
}

static uint64_t index_page(const struct lb_sample *s)
{
  return page_of((uint64_t)s->in_file * LB_INDEX_ENTRY);
}

/* Are the pages of the index there? */
static bool has_pages(const struct mm_reader *st, const struct lb_sample *s)
{
  return st->has_page && st->set == s->file.set && st->file == s->file.index &&
         st->page_at == index_page(s);
}

/* After the files are open. */
static enum step pages_or_sample(struct mm_reader *st,
                                 const struct lb_sample *s)
{
  if (has_pages(st, s))
    return SAMPLE;
  st->has_page = true;
  st->set = s->file.set;
  st->file = s->file.index;
  st->page_at = index_page(s);
  return PAGES;
}

static enum step next_step(struct lb_reader *r, const struct lb_sample *s,
                           int stage)
{
  struct mm_reader *st = r->state;
  if (stage == 0 && !is_open(r, &s->file))
    return OPEN;
  return stage == 0 || st->step == OPEN ? pages_or_sample(st, s) : st->step + 1;
}

static int mm_plan(struct lb_reader *r, const struct lb_sample *s, int stage,
                   struct lb_iolist *list, struct lb_err *err)
{
  static int (*const lists[DONE])(struct lb_reader *, const struct lb_sample *,
                                  struct lb_iolist *, struct lb_err *) = {
      [OPEN] = list_opens, [PAGES] = list_pages, [SAMPLE] = list_sample};
  struct mm_reader *st = r->state;
  st->step = next_step(r, s, stage);
  return st->step == DONE ? 0 : lists[st->step](r, s, list, err);
}

static bool mm_append(struct lb_reader *r, const struct lb_sample *s,
                      struct lb_iolist *list)
{
  struct mm_reader *st = r->state;
  struct lb_err unused = LB_ERR_INIT;
  return lb_handles_get(&st->open, &s->file) && is_open(r, &s->file) &&
         has_pages(st, s) && list_sample(r, s, list, &unused) > 0;
}

static int parse_opens(struct lb_reader *r, const struct lb_file *f,
                       const struct lb_iolist *list, struct lb_err *err)
{
  struct mm_reader *st = r->state;
  for (int i = 0; i < LB_N_INDICES; i++)
    if (lb_index_check(st->path[i], f, list->v[2 * i + 1].result, err) < 0)
      return -err->code;
  st->data_bytes = (uint64_t)list->v[2 * LB_N_INDICES + 1].result;
  const struct lb_handle known = {.at = st->data_bytes};
  lb_handles_take(&st->open, r, f, &known);
  return 0;
}

static int mm_parse(struct lb_reader *r, const struct lb_sample *s, int stage,
                    const struct lb_iolist *list, struct lb_err *err)
{
  const struct mm_reader *st = r->state;
  (void)stage;
  return st->step == OPEN ? parse_opens(r, &s->file, list, err) : 0;
}

const struct lb_format lb_format_mmap_indexed_binary = {
    .name = "mmap_indexed_binary",
    .doc = "The files of indexed_binary, read as through a memory mapping.",
    .extension = "mmap_indexed_binary",
    .check = mm_check,
    .sizes = lb_indexed_sizes,
    .make = lb_indexed_make,
    .sidecars = lb_indexed_sidecars,
    .n_sidecars = LB_N_INDICES,
    .reader_size = sizeof(struct mm_reader),
    .reader_init = mm_reader_init,
    .reader_fini = mm_reader_fini,
    .reader_reset = mm_reader_reset,
    .reader_notes = mm_reader_notes,
    .keeps_open = mm_keeps_open,
    .kept_files = 1 + LB_N_INDICES,
    .plan = mm_plan,
    .append = mm_append,
    .parse = mm_parse,
};
