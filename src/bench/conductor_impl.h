/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What training and evaluation steps share; inside src/bench only. */
#ifndef CONDUCTOR_IMPL_H
#define CONDUCTOR_IMPL_H

#include "conductor.h"

void lb_conductor_seat_all(struct lb_conductor *c, uint64_t start_ns);
bool lb_conductor_start(struct lb_conductor *c, int a, uint64_t now_ns);
void lb_conductor_arrivals(struct lb_conductor *c, uint64_t now_ns);
void lb_conductor_wait(struct lb_conductor *c, uint64_t now_ns,
                       uint64_t until_ns);
bool lb_conductor_look_round(struct lb_conductor *c, uint64_t now_ns);

#endif
