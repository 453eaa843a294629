/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Not a test.  bench_gate [STEP_MS [STEPS]]: gates with a constant deadline and
 * no work; nominal efficiency = sum of the requested times / wall time. */
#include "lb-config.h"

#include "loadbank/gate.h"

#include <stdio.h>
#include <stdlib.h>

#include "loadbank/clock.h"

int main(int argc, char **argv)
{
  struct lb_world w;
  struct lb_gate *g;
  struct lb_err err = LB_ERR_INIT;
  if (lb_world_init(&w, &argc, &argv, &err) ||
      lb_gate_new(&g, &w, LB_NEVER, &err)) {
    fprintf(stderr, "%s\n", err.msg);
    return 1;
  }
  double ms = argc > 1 ? strtod(argv[1], NULL) : 5;
  int steps = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 600;
  uint64_t request = (uint64_t)(ms * 1e6);
  struct lb_release r = lb_gate_meet(g);
  struct lb_gate_cost before = lb_gate_cost(g);
  uint64_t begin = r.ns, cpu = lb_clock_process_cpu_ns();
  for (int i = 0; i < steps; i++) {
    lb_gate_post(g, r.ns + request);
    while (!lb_gate_wait(g, LB_NEVER, &r))
      ;
  }
  struct lb_gate_cost cost = lb_gate_cost(g);
  double wall = (double)(r.ns - begin);
  double sums[3] = {(double)(cost.late_ns - before.late_ns),
                    (double)(cost.spin_ns - before.spin_ns),
                    (double)(lb_clock_process_cpu_ns() - cpu)};
  lb_world_sum(&w, sums, 3);
  if (w.rank == 0)
    printf("ranks %d nodes %d step %g ms: efficiency %.2f %%, late %.1f us a "
           "gate, tail %.0f us, spin %.3f core, cpu %.3f core\n",
           w.n_ranks, w.n_nodes, ms, 100.0 * steps * (double)request / wall,
           sums[0] / 1e3 / steps / w.n_nodes, (double)cost.tail_ns / 1e3,
           sums[1] / wall, sums[2] / wall);
  lb_gate_free(g);
  lb_world_fini(&w);
  return 0;
}
