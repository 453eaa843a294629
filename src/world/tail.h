/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calibrated tail: how long before a deadline the timekeeper stops sleeping
 * and spins, because a sleep ends late. */
#ifndef LB_WORLD_TAIL_H
#define LB_WORLD_TAIL_H

#include <stdint.h>

#include "loadbank/world.h"

/* Collective.  0 where no core is free for spinning: with as many ranks on the
 * machine as cores they may run on, a spinning one would take another's. */
uint64_t lb_tail_calibrate(const struct lb_world *w);

#endif
