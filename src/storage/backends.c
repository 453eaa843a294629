/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of storage backends, and opening one. */
#include "lb-config.h"

#include "loadbank/backend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "storage/storage_impl.h"

/* Names that workloads may carry before their backend exists: they load and
 * show, and say why they cannot run. */
#define LATER_LIST(X)                                                \
  X(s3, "An object store with the S3 interface.")                    \
  X(s3dlio, "An object store, in the manner of the s3dlio library.") \
  X(aistore, "An object store of the AIStore kind.")                 \
  X(adls_gen2, "An object store with Azure's Data Lake interface.")

#define X(n, doc_)                             \
  static const struct lb_backend later_##n = { \
      .name = #n, .doc = doc_, .unavailable = "not supported yet"};
LATER_LIST(X)
#undef X

const struct lb_backend *const lb_backends[] = {
#define X(n) &lb_backend_##n,
    LB_BACKEND_LIST(X)
#undef X
#define X(n, doc_) &later_##n,
        LATER_LIST(X)
#undef X
            NULL,
};

const struct lb_backend *lb_backend_find(const char *name)
{
  for (const struct lb_backend *const *b = lb_backends; *b; b++)
    if (!strcmp((*b)->name, name))
      return *b;
  return NULL;
}

unsigned lb_backend_open_flags(const struct lb_backend *b, const void *options)
{
  return b->open_flags ? b->open_flags(options) : 0;
}

int lb_storage_open(struct lb_storage **s, const struct lb_backend *backend,
                    const void *options, const struct lb_storage_env *env,
                    struct lb_err *err)
{
  *s = NULL;
  if (backend->unavailable)
    return lb_err_set(err, LB_FAILED, "storage '%s': %s", backend->name,
                      backend->unavailable);
  struct lb_storage *new = calloc(1, sizeof *new);
  if (!new)
    return lb_err_sys(err, LB_FAILED, ENOMEM, "storage '%s'", backend->name);
  new->backend = backend;
  new->tell_cache = env && env->tell_cache;
  new->open_flags = lb_backend_open_flags(backend, options);
  if (backend->ring)
    new->ring = backend->ring(options);
  /* A page of it is touched when the first file is opened with O_DIRECT. */
  new->direct = backend->is_virtual ? NULL : calloc(LB_DIRECT_FILES, 1);
  new->needs_paths = backend->needs_paths && backend->needs_paths(options);
  int rc = backend->open(&new->self, options, env, err);
  if (rc) {
    free(new->direct);
    free(new);
    return rc;
  }
  *s = new;
  return 0;
}

void lb_storage_close(struct lb_storage *s)
{
  while (s) {
    struct lb_storage *inner = s->inner;
    s->backend->close(s->self);
    free(s->direct);
    free(s);
    s = inner;
  }
}
