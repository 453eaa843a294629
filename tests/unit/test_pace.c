/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests by the second. */
#include "lb-config.h"

#include "loadbank/clock.h"
#include "loadbank/iostats.h"
#include "tap.h"

enum { FAR = 2500 };

int main(void)
{
  struct lb_iostats a, b;
  lb_iostats_init(&a);
  lb_iostats_init(&b);
  uint64_t base = a.pace.base_s, second = LB_NS_PER_S;
  uint64_t first = base * second;
  lb_iostats_add_at(&a, LB_PHASE_TRAIN, LB_OP_READ, 5, first, 100, false);
  lb_iostats_add_at(&a, LB_PHASE_TRAIN, LB_OP_READ, 5, first + second - 1, 10,
                    false);
  lb_iostats_add_at(&a, LB_PHASE_TRAIN, LB_OP_OPEN, 5, first + second, 0,
                    false);
  lb_iostats_add_at(&b, LB_PHASE_TRAIN, LB_OP_WRITE, 5, first + FAR * second, 7,
                    false);
  lb_iostats_add_at(&b, LB_PHASE_TRAIN, LB_OP_READ, 5, first + FAR * second, 1,
                    false);
  lb_iostats_add_at(&b, LB_PHASE_TRAIN, LB_OP_READ, 5, 0, 1, false);
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
