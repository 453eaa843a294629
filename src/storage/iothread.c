/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a thread brings along to run lists: scratch and counters, all made
 * before the clock starts, by the thread itself: its pages then lie in memory
 * near the processor that it runs on. */
#include "lb-config.h"

#include "loadbank/storage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadbank/rng.h"
#include "storage/storage_impl.h"

void lb_iothread_fill(struct lb_iothread *t)
{
  struct lb_rng rng = {.key = LB_RNG_GOLDEN};
  char *bytes = t->scratch;
  for (size_t at = 0; at < t->scratch_bytes; at += sizeof(uint64_t)) {
    uint64_t word = lb_rng_u64(&rng);
    size_t left = t->scratch_bytes - at;
    memcpy(bytes + at, &word, left < sizeof word ? left : sizeof word);
  }
}

int lb_iothread_init(struct lb_iothread *t, size_t scratch_bytes,
                     struct lb_err *err)
{
  return lb_iothread_init_part(t, scratch_bytes, scratch_bytes, err);
}

int lb_iothread_init_part(struct lb_iothread *t, size_t scratch_bytes,
                          size_t mapped, struct lb_err *err)
{
  *t = (struct lb_iothread){.phase = LB_PHASE_SETUP,
                            .scratch_bytes = scratch_bytes};
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t whole = 0;
  bool too_large = __builtin_add_overflow(
      scratch_bytes, page - 1 + LB_SCRATCH_ROOM, &whole); /* round up */
  whole -= whole % page;
  t->stats = malloc(sizeof *t->stats);
  if (scratch_bytes && !too_large)
    t->scratch = aligned_alloc(page, whole);
  if (!t->stats || (scratch_bytes && !t->scratch)) {
    free(t->stats);
    free(t->scratch);
    *t = (struct lb_iothread){.phase = LB_PHASE_SETUP};
    return lb_err_sys(err, LB_FAILED, ENOMEM, "%zu bytes of scratch",
                      scratch_bytes);
  }
  lb_iostats_init(t->stats);
  if (t->scratch)
    memset(t->scratch, 0, mapped < scratch_bytes ? mapped : scratch_bytes);
  return 0;
}

void lb_iothread_fini(struct lb_iothread *t)
{
  if (t->stats)
    lb_iostats_fini(t->stats);
  free(t->stats);
  free(t->scratch);
  *t = (struct lb_iothread){.phase = LB_PHASE_SETUP};
}
