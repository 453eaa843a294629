/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests by the second. */
#include "lb-config.h"

#include "loadbank/clock.h"
#include "loadbank/iostats.h"
#include "tap.h"

enum { FAR = 2500 };

static void count(struct lb_iostats *s, enum lb_op op, uint64_t end_ns,
                  uint64_t bytes)
{
  const struct lb_done d = {.phase = LB_PHASE_TRAIN,
                            .op = op,
                            .ns = 5,
                            .end_ns = end_ns,
                            .bytes = bytes};
  lb_iostats_count(s, &d);
}

int main(void)
{
  struct lb_iostats a, b;
  lb_iostats_init(&a);
  lb_iostats_init(&b);
  uint64_t base = a.pace.base_s, second = LB_NS_PER_S;
  uint64_t first = base * second;
  count(&a, LB_OP_READ, first, 100);
  count(&a, LB_OP_READ, first + second - 1, 10);
  count(&a, LB_OP_OPEN, first + second, 0);
  count(&b, LB_OP_WRITE, first + FAR * second, 7);
  count(&b, LB_OP_READ, first + FAR * second, 1);
  count(&b, LB_OP_READ, 0, 1);
  is_int(a.pace.n, 2, "two seconds");
  is_int(lb_pace_at(&a.pace, base)->count[LB_PACE_READ], 2, "reads");
  is_int(lb_pace_at(&a.pace, base)->bytes[LB_PACE_READ], 110, "their bytes");
  is_int(lb_pace_at(&a.pace, base + 1)->count[LB_PACE_OTHER], 1, "an open");
  ok(!lb_pace_at(&a.pace, base + 2) && !lb_pace_at(&a.pace, base - 1),
     "nothing around them");
  lb_iostats_merge(&a, &b);
  is_int(a.pace.n, FAR + 1, "merged");
  is_int(lb_pace_at(&a.pace, base + FAR)->bytes[LB_PACE_WRITE], 7, "a write");
  is_int(lb_pace_at(&a.pace, base)->count[LB_PACE_READ], 2,
         "one from before the first second is not kept");
  is_int(a.cell[LB_PHASE_TRAIN][LB_OP_READ]->ns.count, 4, "but it is counted");
  lb_iostats_fini(&a);
  lb_iostats_fini(&b);
  return done();
}
