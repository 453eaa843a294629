/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The storage that answers at once: measures what the emulator itself costs,
 * and is the tests' double. */
#include "lb-config.h"

#include "storage/storage_impl.h"

static int none_open(void **self, const void *options,
                     const struct lb_storage_env *env, struct lb_err *err)
{
  (void)options, (void)env, (void)err;
  *self = NULL;
  return 0;
}

static void none_close(void *self)
{
  (void)self;
}

static uint64_t none_charge(void *self, const struct lb_io *io, size_t length,
                            uint64_t t_ns, struct lb_rng *rng)
{
  (void)self, (void)io, (void)length, (void)rng;
  return t_ns;
}

const struct lb_backend lb_backend_none = {
    .name = "none",
    .doc = "Answers at once and moves no bytes: the cost of loadbank itself.",
    .is_virtual = true,
    .open = none_open,
    .close = none_close,
    .charge = none_charge,
};
