/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a workload asks for that cannot run: what is still to come, what this
 * build lacks.  Parts of the workflow that are off are not looked at. */
#include "lb-config.h"

#include "config/config_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/verify.h"

/* Does the field hold what the default says?  Compared as they print. */
static bool is_default(const struct lb_option *o, const void *field)
{
  bool same = false;
  struct lb_err err = LB_ERR_INIT;
  struct lb_buf a, b;
  lb_buf_init(&a, 1 << 20);
  lb_buf_init(&b, 1 << 20);
  void *def = calloc(1, o->size);
  if (def && !value_set_default(o, def, &err)) {
    value_print(o, field, &a);
    value_print(o, def, &b);
    same = !a.failed && !b.failed && !strcmp(a.data, b.data);
  }
  if (def)
    value_free(o, def);
  free(def);
  lb_buf_fini(&a);
  lb_buf_fini(&b);
  return same;
}

/* Is word among "a|b|c"? */
static bool among(const char *words, const char *word)
{
  size_t n = strlen(word);
  for (const char *w = words; w && *w;
       w = strchr(w, '|') ? strchr(w, '|') + 1 : NULL)
    if (!strncmp(w, word, n) && (!w[n] || w[n] == '|'))
      return true;
  return false;
}

static bool is_of_buffer(const char *key)
{
  static const char section[] = "checkpoint.burst_buffer.";
  return !strncmp(key, section, sizeof section - 1);
}

static int check_option(const struct lb_workload *w, const char *key,
                        const struct lb_option *o, const void *field,
                        struct lb_err *err)
{
  if (o->later_words && among(o->later_words, o->words[*(const int *)field]))
    return lb_workload_error(w, key, err, "'%s'%s is not supported yet",
                             o->words[*(const int *)field],
                             lb_workload_is_set(w, key) ? ""
                                                        : " (the default)");
  if (!*w->checkpoint.burst_buffer.folder && is_of_buffer(key) &&
      !is_default(o, field))
    return lb_workload_error(w, key, err,
                             "there is no burst buffer: it needs "
                             "checkpoint.burst_buffer.folder");
  if (!o->later || is_default(o, field))
    return 0;
  return lb_workload_error(w, key, err, "not supported yet: %s", o->later);
}

static int check_options(const struct lb_workload *w, struct lb_err *err)
{
  const struct lb_workload_own *own = w->own;
  for (size_t i = 0; i < own->n_blocks; i++)
    for (size_t j = 0; j < own->blocks[i].n; j++) {
      const struct block *b = &own->blocks[i];
      const struct lb_option *o = &b->options[j];
      char key[LB_KEY_LEN];
      option_key(b, o, key);
      int rc = workload_uses(w, key)
                   ? check_option(w, key, o, b->data + o->offset, err)
                   : 0;
      if (rc)
        return rc;
    }
  return 0;
}

/* The format names the key that it cannot take, or the reason alone. */
static int format_error(const struct lb_workload *w, const struct lb_err *cause,
                        struct lb_err *err)
{
  char key[LB_KEY_LEN];
  size_t n = strcspn(cause->msg, ": ");
  bool named = !strncmp(cause->msg, "dataset.", 8) && cause->msg[n] == ':' &&
               n < sizeof key;
  if (!named)
    return lb_workload_error(w, "dataset.format", err, "%s", cause->msg);
  memcpy(key, cause->msg, n);
  key[n] = '\0';
  return lb_workload_error(w, key, err, "%s",
                           cause->msg + n + 1 + (cause->msg[n + 1] == ' '));
}

static int check_rows(const struct lb_workload *w, struct lb_err *err)
{
  const struct lb_derived *d = &w->derived;
  const char *key = "storage.storage_type", *name = w->storage.storage_type;
  if (!d->backend)
    return lb_workload_error(w, key, err, "'%s' is not supported yet", name);
  if (d->backend->unavailable)
    return lb_workload_error(w, key, err, "'%s': %s", name,
                             d->backend->unavailable);
  if (!workload_uses(w, "dataset.format"))
    return 0;
  key = "dataset.format";
  name = w->dataset.format;
  if (!d->format)
    return lb_workload_error(w, key, err, "'%s'%s is not supported yet", name,
                             lb_workload_is_set(w, key) ? ""
                                                        : " (the default)");
  if (d->format->unavailable)
    return lb_workload_error(w, key, err, "'%s': %s", name,
                             d->format->unavailable);
  struct lb_format_params p;
  struct lb_err cause = LB_ERR_INIT;
  lb_workload_format_params(w, &p);
  if (d->format->check && d->format->check(&p, &cause))
    return format_error(w, &cause, err);
  return 0;
}

static int check_reader(const struct lb_workload *w, struct lb_err *err)
{
  if (w->reader.decode && w->derived.format && !w->derived.format->decodes)
    return lb_workload_error(w, "reader.decode", err,
                             "format %s has nothing that is decoded; jpeg and "
                             "png have",
                             w->derived.format->name);
  if (w->reader.file_access == LB_ACCESS_COLLECTIVE)
    return lb_workload_error(w, "reader.file_access", err,
                             "collective reading through MPI-IO is not "
                             "emulated: no data loader reads so, and DLIO's "
                             "readers do not look at this key");
  if (w->reader.cache_hits && !w->derived.backend->tells_cache)
    return lb_workload_error(w, "reader.cache_hits", err,
                             "storage '%s' cannot tell what the page cache has",
                             w->derived.backend->name);
  if (w->reader.verify != LB_VERIFY_OFF && w->derived.backend->is_virtual)
    return lb_workload_error(w, "reader.verify", err,
                             "storage '%s' delivers no bytes to compare",
                             w->derived.backend->name);
  bool no_data = w->derived.format->no_data;
  if (w->reader.verify != LB_VERIFY_OFF &&
      (no_data || w->derived.pace.readers == 0))
    return lb_workload_error(
        w, "reader.verify", err, "%s '%s' reads nothing that could be compared",
        no_data ? "format" : "loader",
        no_data ? w->derived.format->name : w->derived.loader->name);
  return 0;
}

/* Pairs of keys that exclude each other, as far as only their values say so. */
static int check_storage(const struct lb_workload *w, struct lb_err *err)
{
  const struct lb_derived *d = &w->derived;
  if (w->reader.odirect && d->backend->is_cached)
    return lb_workload_error(w, "reader.odirect", err,
                             "cannot go with storage_type %s: its reads are "
                             "those of the page cache",
                             d->backend->name);
  if (w->reader.dont_use_mmap && d->loader == &lb_loader_native_dali &&
      d->backend->is_cached)
    return lb_workload_error(w, "reader.dont_use_mmap", err,
                             "cannot go with storage_type %s, which maps "
                             "files; local_fs reads them",
                             d->backend->name);
  if (w->reader.odirect && w->reader.cache_hits)
    return lb_workload_error(w, "reader.cache_hits", err,
                             "cannot go with reader.odirect: such reads go "
                             "past the page cache");
  if (d->backend->ring && d->format->calls_library)
    return lb_workload_error(
        w, "storage.storage_type", err,
        "'%s' cannot go with format %s, which a library opens by calls of its "
        "own that block; local_fs, direct_fs, mmap and parallel_fs can",
        d->backend->name, d->format->name);
  return 0;
}

static int check_dataset(const struct lb_workload *w, struct lb_err *err)
{
  const struct lb_workload_dataset *s = &w->dataset;
  int64_t bytes = s->record_element_bytes;
  if (bytes && bytes != w->derived.dtype->bytes)
    return lb_workload_error(w, "dataset.record_element_bytes", err,
                             "%" PRId64 " bytes, but a %s has %d", bytes,
                             s->record_element_type, w->derived.dtype->bytes);
  return 0;
}

int lb_workload_check_run(const struct lb_workload *w, struct lb_err *err)
{
  /* Beside a generation it waits for the run that trains. */
  if (w->workflow.checkpoint && !w->workflow.train &&
      !w->workflow.generate_data && w->checkpoint.num_checkpoints_write <= 0 &&
      w->checkpoint.num_checkpoints_read <= 0)
    return lb_workload_error(
        w, "workflow.checkpoint", err,
        "without training (workflow.train is off) "
        "checkpoint.num_checkpoints_write or num_checkpoints_read says how "
        "many; both are 0 or less");
  int rc = check_names(w, err);
  if (!rc)
    rc = check_rows(w, err);
  if (!rc)
    rc = check_options(w, err);
  if (!rc && workload_uses(w, "dataset."))
    rc = check_dataset(w, err);
  if (!rc && workload_uses(w, "reader."))
    rc = check_reader(w, err);
  if (!rc && workload_uses(w, "reader."))
    rc = check_storage(w, err);
  return rc;
}
