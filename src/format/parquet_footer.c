/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the footer of any Parquet file: which leaves of its schema are the
 * columns that are read, and where their chunks lie.  Trusts no number: counts
 * are below the bytes that are left, chunks lie in the file. */
#include "lb-config.h"

#include "format/parquet_meta.h"
#include "loadbank/units.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32 };
#define TABLE_MAX ((uint64_t)256 << 20)

/* A column of the file, and its chunk in the row group that is parsed. */
struct pq_leaf {
  int64_t column; /* of the layout; -1: none of those configured */
  bool read;
  int64_t physical, width;
  int64_t values, at, dictionary, length, expanded;
};

struct footer {
  struct thrift_in in;
  struct pq_scan *scan;
  const struct pq_layout *l;
  bool columns; /* are configured */
  const struct lb_file *f;
  uint64_t data_bytes; /* chunks end here */
  int64_t n_leaves, n_read, n_found;
  int64_t num_rows, n_groups;
  int64_t group, rows;    /* the one that is parsed; rows before it */
  uint64_t expanded;      /* bytes of all chunks */
  struct pq_table *table; /* NULL: all as planned, so far */
  struct lb_err *err;
};

void pq_scan_fini(struct pq_scan *scan)
{
  free(scan->leaf);
  *scan = (struct pq_scan){0};
}

static int damaged(const struct footer *t, const char *what)
{
  return lb_err_set(t->err, LB_FAILED,
                    "%s: not a Parquet file that can be read: %s", t->f->path,
                    what);
}

static int no_memory(const struct footer *t)
{
  return lb_err_set(t->err, LB_FAILED, "%s: no memory for its footer",
                    t->f->path);
}

/* ---- schema ---- */

static struct pq_leaf *add_leaf(struct footer *t)
{
  struct pq_scan *s = t->scan;
  if ((size_t)t->n_leaves == s->cap) {
    size_t cap = s->cap ? 2 * s->cap : 64;
    struct pq_leaf *more = realloc(s->leaf, cap * sizeof *more);
    if (!more)
      return NULL;
    s->leaf = more;
    s->cap = cap;
  }
  return &s->leaf[t->n_leaves++];
}

/* They mostly come in the order of the configuration. */
static int64_t find_column(const struct footer *t, const unsigned char *name,
                           size_t n)
{
  const struct pq_layout *l = t->l;
  for (int64_t k = 0; k < l->n && t->columns; k++) {
    int64_t i = (t->n_found + k) % l->n;
    if (strlen(l->column[i].name) == n && !memcmp(l->column[i].name, name, n))
      return i;
  }
  return -1;
}

static int check_type(const struct footer *t, const struct pq_leaf *leaf)
{
  static const char *const names[PQ_N_PHYSICAL] = {
      "BOOLEAN", "INT32",  "INT64",      "INT96",
      "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};
  const struct pq_column *c = &t->l->column[leaf->column];
  const struct pq_type *want = c->type;
  bool same = leaf->physical == (int64_t)want->physical &&
              (want->physical != PQ_FIXED || leaf->width == (int64_t)c->width);
  if (same)
    return 0;
  bool known = leaf->physical >= 0 && leaf->physical < PQ_N_PHYSICAL;
  return lb_err_set(
      t->err, LB_FAILED, "%s: column '%s' is %s, and %s (%s) was configured",
      t->f->path, c->name, known ? names[leaf->physical] : "of no known type",
      names[want->physical], want->dtype);
}

static int take_leaf(struct footer *t, int64_t column, int64_t physical,
                     int64_t width)
{
  struct pq_leaf *leaf = add_leaf(t);
  if (!leaf)
    return no_memory(t);
  *leaf = (struct pq_leaf){.column = column,
                           .physical = physical,
                           .width = width,
                           .read = !t->columns ||
                                   (column >= 0 && t->l->column[column].read)};
  t->n_read += leaf->read;
  t->n_found += column >= 0;
  return column >= 0 ? check_type(t, leaf) : 0;
}

struct element {
  int64_t physical, width, children;
  const unsigned char *name;
  size_t name_bytes;
};

static struct element get_element(struct thrift_in *in)
{
  struct element e = {.physical = -1, .name = (const unsigned char *)""};
  struct thrift_field f = {0};
  while (thrift_next(in, &f))
    if (f.id == 1)
      e.physical = thrift_get_int(in, f.type);
    else if (f.id == 2)
      e.width = thrift_get_int(in, f.type);
    else if (f.id == 4)
      e.name = thrift_get_text(in, f.type, &e.name_bytes);
    else if (f.id == 5)
      e.children = thrift_get_int(in, f.type);
    else
      thrift_skip(in, f.type);
  return e;
}

/* Where the walk through the tree of elements stands. */
struct walk {
  int depth;
  int64_t left[DEPTH_MAX]; /* children still to come, by depth */
  int64_t column;          /* that the elements below belong to */
};

static int take_element(struct footer *t, struct walk *w,
                        const struct element *e)
{
  while (w->depth > 0 && w->left[w->depth] == 0)
    w->depth--;
  if (w->left[w->depth] == 0 || e->children < 0 || e->children > INT32_MAX)
    return damaged(t, "its schema is no tree");
  w->left[w->depth]--;
  if (w->depth == 0)
    w->column = find_column(t, e->name, e->name_bytes);
  if (e->children > 0) {
    if (w->depth + 1 == DEPTH_MAX)
      return damaged(t, "its schema is nested too deeply");
    w->left[++w->depth] = e->children;
    return 0;
  }
  return take_leaf(t, w->column, e->physical, e->width);
}

static int check_found(const struct footer *t)
{
  if (!t->columns || t->n_found == t->l->n)
    return t->n_read ? 0 : damaged(t, "it has no columns");
  for (int64_t i = 0; i < t->l->n; i++) {
    int64_t n = 0;
    for (int64_t k = 0; k < t->n_leaves; k++)
      n += t->scan->leaf[k].column == i;
    if (n != 1)
      return lb_err_set(t->err, LB_FAILED,
                        "%s: it has %s column '%s' (dataset.parquet.columns)",
                        t->f->path, n ? "more than one" : "no",
                        t->l->column[i].name);
  }
  return 0;
}

static int parse_schema(struct footer *t, enum thrift_type type)
{
  enum thrift_type element;
  struct walk w = {.depth = 0};
  uint32_t n = thrift_get_list(&t->in, type, &element);
  if (element != THRIFT_STRUCT || n == 0)
    return damaged(t, "it has no schema");
  w.left[0] = get_element(&t->in).children;
  for (uint32_t i = 1; i < n && !t->in.bad; i++) {
    struct element e = get_element(&t->in);
    if (!t->in.bad && take_element(t, &w, &e) < 0)
      return -t->err->code;
  }
  while (w.depth > 0 && w.left[w.depth] == 0)
    w.depth--;
  if (w.left[w.depth] != 0)
    return damaged(t, "its schema is no tree");
  return check_found(t);
}

/* ---- the table ---- */

static uint64_t *words_of(struct pq_table *t, int64_t group)
{
  return t->word + (uint64_t)group * (1 + 2 * (uint64_t)t->n_chunks);
}

/* What it would have said of the groups so far: as planned. */
static void fill_planned(struct footer *t)
{
  for (int64_t g = 0; g < t->group; g++) {
    uint64_t *to = words_of(t->table, g);
    *to++ = (uint64_t)(g * t->l->group_rows);
    for (int64_t i = 0; i < t->l->n; i++) {
      const struct pq_column *c = &t->l->column[i];
      if (!c->read)
        continue;
      *to++ = pq_chunk_at(t->l, g, c);
      *to++ = c->length[pq_kind(t->l, g)];
    }
  }
}

static int begin_table(struct footer *t)
{
  uint64_t words = (uint64_t)t->n_groups * (1 + 2 * (uint64_t)t->n_read);
  uint64_t bytes = sizeof *t->table + words * sizeof(uint64_t);
  if (bytes > TABLE_MAX)
    return damaged(t, "it has too many chunks");
  t->table = malloc((size_t)bytes);
  if (!t->table)
    return no_memory(t);
  *t->table = (struct pq_table){
      .n_groups = t->n_groups, .n_chunks = t->n_read, .bytes = bytes};
  fill_planned(t);
  return 0;
}

/* ---- row groups ---- */

static int check_chunk(const struct footer *t, const struct pq_leaf *leaf,
                       int64_t rows)
{
  const struct pq_column *c =
      leaf->column >= 0 ? &t->l->column[leaf->column] : NULL;
  uint64_t at = (uint64_t)leaf->at, length = (uint64_t)leaf->length;
  if (leaf->at < PQ_MAGIC_BYTES || leaf->length < 0 || leaf->expanded < 0 ||
      at > t->data_bytes || length > t->data_bytes - at)
    return lb_err_set(
        t->err, LB_FAILED,
        "%s: a chunk of row group %" PRId64 " is said to have %" PRId64
        " bytes at %" PRId64 ", and the data end at %" PRIu64,
        t->f->path, t->group, leaf->length, leaf->at, t->data_bytes);
  int64_t values;
  if (!c || (!__builtin_mul_overflow(rows, c->size, &values) &&
             values == leaf->values))
    return 0;
  return lb_err_set(t->err, LB_FAILED,
                    "%s: column '%s' has %" PRId64 " values in %" PRId64
                    " rows of row group %" PRId64 ", and %" PRId64
                    " a row were configured",
                    t->f->path, c->name, leaf->values, rows, t->group, c->size);
}

/* Is the chunk of the k-th column that is read where it was planned? */
static bool as_planned(const struct footer *t, const struct pq_leaf *leaf,
                       int64_t rows)
{
  const struct pq_layout *l = t->l;
  int64_t i = t->columns ? leaf->column : 0;
  if (t->n_read != l->n_read || t->n_groups != l->n_groups ||
      rows != pq_group_rows(l, t->group))
    return false;
  const struct pq_column *c = &l->column[i];
  return (uint64_t)leaf->at == pq_chunk_at(l, t->group, c) &&
         (uint64_t)leaf->length == c->length[pq_kind(l, t->group)];
}

static int take_chunks(struct footer *t, int64_t rows)
{
  uint64_t *to = t->table ? words_of(t->table, t->group) : NULL;
  uint64_t k = 0;
  for (int64_t i = 0; i < t->n_leaves; i++) {
    struct pq_leaf *leaf = &t->scan->leaf[i];
    /* A chunk begins with its dictionary, if it has one. */
    if (leaf->dictionary > 0 && leaf->dictionary < leaf->at)
      leaf->at = leaf->dictionary;
    if (check_chunk(t, leaf, rows) < 0)
      return -t->err->code;
    t->expanded += (uint64_t)leaf->expanded;
    if (!leaf->read)
      continue;
    if (!to && !as_planned(t, leaf, rows)) {
      if (begin_table(t) < 0)
        return -t->err->code;
      return take_chunks(t, rows);
    }
    if (to) {
      to[0] = (uint64_t)t->rows;
      to[1 + 2 * k] = (uint64_t)leaf->at;
      to[2 + 2 * k] = (uint64_t)leaf->length;
    }
    k++;
  }
  return 0;
}

/* Fields of a chunk's metadata. */
enum { VALUES = 5, EXPANDED = 6, LENGTH = 7, AT = 9, DICTIONARY = 11 };

static int parse_chunk(struct footer *t, struct pq_leaf *leaf)
{
  static const uint32_t want = 1U << VALUES | 1U << EXPANDED | 1U << LENGTH |
                               1U << AT | 1U << DICTIONARY;
  struct thrift_field f = {0};
  int64_t value[THRIFT_WANT_MAX] = {0};
  while (thrift_next(&t->in, &f))
    if (f.id == 3)
      thrift_get_ints(&t->in, f.type, want, value);
    else if (f.id == 1)
      return damaged(t, "a chunk lies in another file");
    else
      thrift_skip(&t->in, f.type);
  leaf->values = value[VALUES];
  leaf->expanded = value[EXPANDED];
  leaf->length = value[LENGTH];
  leaf->at = value[AT];
  leaf->dictionary = value[DICTIONARY];
  return 0;
}

static int parse_chunks(struct footer *t, enum thrift_type type)
{
  enum thrift_type element;
  uint32_t n = thrift_get_list(&t->in, type, &element);
  if (element != THRIFT_STRUCT || n != t->n_leaves)
    return damaged(t, "a row group has not a chunk of each column");
  for (int64_t i = 0; i < t->n_leaves; i++)
    if (parse_chunk(t, &t->scan->leaf[i]) < 0)
      return -t->err->code;
  return 0;
}

static int parse_group(struct footer *t)
{
  struct thrift_field f = {0};
  int64_t rows = -1;
  bool chunks = false;
  while (thrift_next(&t->in, &f))
    if (f.id == 1 && !chunks) {
      chunks = true;
      if (parse_chunks(t, f.type) < 0)
        return -t->err->code;
    } else if (f.id == 3)
      rows = thrift_get_int(&t->in, f.type);
    else
      thrift_skip(&t->in, f.type);
  if (t->in.bad || !chunks || rows < 0 || rows > t->num_rows - t->rows)
    return damaged(t, "a row group is damaged");
  if (take_chunks(t, rows) < 0)
    return -t->err->code;
  t->rows += rows;
  return 0;
}

static int parse_groups(struct footer *t, enum thrift_type type)
{
  enum thrift_type element;
  uint32_t n = thrift_get_list(&t->in, type, &element);
  if (t->in.bad || (n && element != THRIFT_STRUCT) ||
      (uint64_t)n * (uint64_t)t->n_leaves > (uint64_t)(t->in.end - t->in.p))
    return damaged(t, "its row groups are damaged");
  t->n_groups = n;
  for (t->group = 0; t->group < t->n_groups; t->group++)
    if (parse_group(t) < 0)
      return -t->err->code;
  if (t->rows != t->num_rows)
    return damaged(t, "its row groups have not all rows");
  return 0;
}

/* ---- the whole ---- */

/* A field to come back to. */
struct place {
  const unsigned char *p;
  enum thrift_type type;
};

static int check_rows(const struct footer *t)
{
  if (t->num_rows == t->f->samples)
    return 0;
  return lb_err_set(
      t->err, LB_FAILED,
      "%s: holds %" PRId64 " row%s, dataset.num_samples_per_file is "
      "%" PRId64,
      t->f->path, t->num_rows, lb_plural(t->num_rows), t->f->samples);
}

/* What is in the groups is told by the schema and the number of rows.  The end
 * of the groups is where parsing goes on. */
static int parse_both(struct footer *t, struct place schema,
                      struct place groups)
{
  if (check_rows(t) < 0)
    return -t->err->code;
  t->in.p = schema.p;
  if (parse_schema(t, schema.type) < 0)
    return -t->err->code;
  if (t->in.bad)
    return damaged(t, "its schema is damaged");
  t->in.p = groups.p;
  return parse_groups(t, groups.type);
}

/* Groups are nearly all of a footer: they are parsed where they are met, and
 * only come back to where they stand before what tells of them. */
static int parse_fields(struct footer *t)
{
  struct thrift_field f = {0};
  struct place schema = {NULL, THRIFT_STOP}, groups = {NULL, THRIFT_STOP};
  bool parsed = false;
  while (thrift_next(&t->in, &f)) {
    struct place here = {t->in.p, f.type};
    if (f.id == 2)
      schema = here;
    if (f.id == 4)
      groups = here;
    if (f.id == 3)
      t->num_rows = thrift_get_int(&t->in, f.type);
    else if (f.id == 4 && !parsed && schema.p && t->num_rows >= 0) {
      parsed = true;
      if (parse_both(t, schema, groups) < 0)
        return -t->err->code;
    } else
      thrift_skip(&t->in, f.type);
  }
  if (t->in.bad || !schema.p || !groups.p)
    return damaged(t, "its footer is damaged");
  return parsed ? 0 : parse_both(t, schema, groups);
}

/* Payload of a row: that of strings of bytes, or as far as one can tell. */
static uint64_t mean_bytes(const struct footer *t)
{
  const struct pq_leaf *only = &t->scan->leaf[0];
  if (t->columns)
    return t->l->row_bytes;
  if (t->n_leaves == 1 && only->physical == PQ_FIXED && only->width > 0)
    return (uint64_t)only->width;
  return t->expanded / (uint64_t)(t->num_rows > 0 ? t->num_rows : 1);
}

int pq_footer_parse(struct pq_scan *scan, const struct pq_layout *l,
                    const struct lb_file *f, const unsigned char *bytes,
                    size_t n, uint64_t data_bytes, struct pq_table **table,
                    struct lb_err *err)
{
  struct footer t = {.in = {.p = bytes, .end = bytes + n},
                     .scan = scan,
                     .l = l,
                     .columns = l->has_columns,
                     .f = f,
                     .data_bytes = data_bytes,
                     .num_rows = -1,
                     .err = err};
  int rc = parse_fields(&t);
  if (rc)
    free(t.table);
  else if (t.table)
    t.table->sample_bytes = mean_bytes(&t);
  *table = rc ? NULL : t.table;
  return rc;
}
