/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who turns which spools into steps.h5, and why there is none.  The file
 * itself: steps_h5.c. */
#include "lb-config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/metrics_detail.h"
#include "report/report_impl.h"
#include "report/steps_h5.h"

static struct lb_steps_rank my_row(const struct lb_world *w,
                                   struct lb_metrics *m)
{
  struct lb_steps_rank row = {.node = w->node, .node_rank = w->node_rank};
  struct lb_spool *spool = m ? lb_metrics_spool(m) : NULL;
  struct lb_err ignored = LB_ERR_INIT;
  row.k = w->k;
  row.first = w->first;
  if (!spool)
    return row;
  lb_spool_finish(spool, &ignored); /* what it could not write is lost */
  row.lost = lb_spool_lost(spool);
  for (int set = 0; set < LB_N_SETS; set++)
    row.steps[set] = lb_metrics_steps(m, (enum lb_set)set);
  return row;
}

/* Collective: every rank's row on every rank; all bytes 0 when rank 0 has no
 * memory for that. */
static struct lb_steps_rank *all_rows(const struct lb_world *w,
                                      struct lb_metrics *m, struct lb_err *err)
{
  struct lb_steps_rank row = my_row(w, m), *all = NULL;
  size_t n = (size_t)w->n_ranks;
  uint64_t *sizes = NULL;
  void *gathered = NULL;
  lb_world_gather(w, &row, sizeof row, &gathered, &sizes, err);
  all = calloc(n, sizeof *all);
  if (!all)
    lb_err_set(err, LB_FAILED, "no memory for the ranks' steps");
  else if (gathered)
    memcpy(all, gathered, n * sizeof *all);
  free(gathered);
  free(sizes);
  if (lb_err_agree(w, err, NULL)) {
    free(all);
    return NULL;
  }
  lb_world_bcast(w, all, n * sizeof *all);
  return all;
}

static void add_up(struct lb_steps_job *job)
{
  for (int r = 0; r < job->n_ranks; r++) {
    job->lost += job->rank[r].lost;
    for (int set = 0; set < LB_N_SETS; set++)
      if (job->rank[r].steps[set] > job->steps[set])
        job->steps[set] = job->rank[r].steps[set];
  }
}

static int write_files(const struct lb_world *w, const struct lb_steps_job *job,
                       const struct lb_metrics *m, struct lb_err *err)
{
  if (w->node_rank == 0)
    lb_steps_h5_node(job, w->node, m, err);
  if (lb_err_agree(w, err, NULL) || w->n_nodes == 1)
    return -err->code;
  if (w->rank == 0)
    lb_steps_h5_join(job, m, err);
  return lb_err_agree(w, err, NULL);
}

const char *lb_report_steps(const struct lb_world *w, struct lb_metrics *m,
                            const struct lb_report *r, char *reason,
                            size_t size)
{
  const char *unavailable = lb_steps_h5_unavailable();
  if (r->steps != LB_STEPS_ALL)
    snprintf(reason, size, "output.steps does not ask for it");
  else if (!m)
    snprintf(reason, size, "nothing was trained or evaluated");
  else if (unavailable || r->no_steps)
    snprintf(reason, size, "%s", unavailable ? unavailable : r->no_steps);
  if (r->steps != LB_STEPS_ALL || !m || unavailable || r->no_steps)
    return NULL;

  struct lb_err err = LB_ERR_INIT;
  struct lb_steps_rank *rows = all_rows(w, m, &err);
  struct lb_steps_job job = {.folder = r->folder,
                             .rank = rows,
                             .n_ranks = w->n_ranks,
                             .n_nodes = w->n_nodes,
                             .accelerators = w->accelerators};
  if (rows)
    add_up(&job);
  int64_t steps = job.steps[LB_SET_TRAIN] + job.steps[LB_SET_EVAL];
  if (rows && steps > 0)
    write_files(w, &job, m, &err);
  free(rows);
  snprintf(reason, size, "%s",
           lb_err_is_set(&err) ? err.msg : "no step was recorded");
  return steps > 0 && !lb_err_is_set(&err) ? "steps.h5" : NULL;
}
