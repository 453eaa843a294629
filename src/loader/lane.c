/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A lane's work: which sample is next, and what is drawn for it. */
#include "lb-config.h"

#include "loader_impl.h"

#include "loadbank/clock.h"

/* Of a sample of an accelerator's share, so that any number of ranks and
 * readers draws the same. */
static struct lb_rng sample_stream(const struct lb_loader *l, int acc,
                                   int64_t sample, const struct lb_rng *of_pass)
{
  struct lb_rng own =
      lb_rng_fork(of_pass, (uint64_t)l->c.first + (uint64_t)acc);
  return lb_rng_fork(&own, (uint64_t)sample);
}

double sample_preprocess(const struct lb_loader *l, int acc, int64_t sample)
{
  struct lb_rng rng = sample_stream(l, acc, sample, &l->preprocess);
  return lb_dist_sample(l->c.preprocess, &rng);
}

double lane_preprocess(const struct lb_loader *l, const struct lane *lane)
{
  return sample_preprocess(l, lane->acc, lane->pos);
}

void lane_cut(const struct lb_loader *l, const struct lane *lane,
              struct lb_iolist *list)
{
  if (!l->c.request)
    return;
  struct lb_rng rng = sample_stream(l, lane->acc, lane->pos, &l->request);
  double drawn = lb_dist_sample(l->c.request, &rng);
  double longest = l->c.longest_request;
  uint32_t bytes = (uint32_t)(drawn < longest ? drawn : longest);
  if (bytes == 0)
    bytes = 1;
  for (size_t i = 0; i < list->n; i++)
    if (list->v[i].op == LB_OP_READ &&
        list->v[i].request == l->c.params->request)
      list->v[i].request = bytes;
}

struct lb_rng lane_latency(const struct lb_loader *l, const struct lane *lane)
{
  return sample_stream(l, lane->acc, lane->pos, &l->latency);
}

bool lane_verifies(const struct lb_loader *l, const struct lane *lane)
{
  const struct lb_loader_pass *p = &l->pass;
  if (l->c.verify != LB_VERIFY_SAMPLE)
    return l->c.verify == LB_VERIFY_FULL;
  if (lane->reader.in_hand.end) /* what is read is read for many */
    return lane->done == lane->part_begin;
  int64_t batch = lane->pos / p->batch;
  return lane->pos % p->batch == lb_verify_choice(l->c.seed, p->set, p->epoch,
                                                  l->c.first + lane->acc, batch,
                                                  p->batch);
}

void lane_begin_verify(struct lane *lane, struct lb_verifier *v,
                       const struct lb_sample *s, struct lb_iothread *io)
{
  lane->payload_before = lane->payload_bytes;
  lb_verify_begin(v, &lane->reader, s, io);
}

int lane_end_verify(struct lane *lane, struct lb_verifier *v,
                    struct lb_iothread *io, struct lb_err *err)
{
  uint64_t bytes = lane->payload_bytes - lane->payload_before;
  lane->verified_samples += bytes > 0;
  lane->verified_bytes += bytes;
  return lb_verify_end(v, io, err);
}

int lane_parse(struct lane *lane, const struct lb_sample *s, int stage,
               const struct lb_iolist *list, struct lb_iothread *io,
               struct lb_err *err)
{
  struct lb_reader *r = &lane->reader;
  if (!r->format->parse)
    return 0;
  if (!s->verify)
    return r->format->parse(r, s, stage, list, err);
  uint64_t start = lb_clock_ns();
  int rc = r->format->parse(r, s, stage, list, err);
  io->inspect_ns += lb_clock_ns() - start;
  return rc;
}

void lane_begin_part(const struct lb_loader *l, struct lane *lane)
{
  const struct lb_share *share = &l->acc[lane->acc].share;
  const struct lb_deal *deal = l->pace.deal;
  lane->part_batch = deal->batch_of(share, lane->w, lane->done);
  lane->part_end = deal->until(share, lane->w, lane->part_batch);
  lane->part_begin = lane->done;
}

/* The lane goes on to another file and closes the one before. */
static void leave_file(const struct lb_loader *l, struct lane *lane,
                       int64_t next)
{
  if (lane->file >= 0) {
    lb_storage_release(l->c.storage, lane->reader.fd);
    lb_reader_reset(&lane->reader);
  }
  lane->file = next;
}

static int64_t least(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

void lane_position(const struct lb_loader *l, struct lane *lane, int64_t *file,
                   int64_t *in_file)
{
  const struct lb_share *share = &l->acc[lane->acc].share;
  struct lb_order_row *row = &lane->row;
  if (lane->run == 0)
    lane->pos = l->pace.deal->at(share, lane->w, lane->done, &lane->run);
  uint64_t at = (uint64_t)(share->begin + lane->pos);
  if (at - row->first >= row->n)
    lb_sampler_row(&l->pass.sampler, at, (size_t)least(lane->run, LB_ORDER_ROW),
                   row);
  *file = row->file[at - row->first];
  *in_file = row->in_file[at - row->first];
  if (l->c.leaves_files && lane->file != *file)
    leave_file(l, lane, *file);
}

static void advance(struct lane *lane, int64_t n)
{
  lane->done += n;
  lane->pos += n;
  lane->run -= n;
}

void lane_next(const struct lb_loader *l, struct lane *lane)
{
  const struct lb_reader *r = &lane->reader;
  int64_t file, in_file;
  advance(lane, 1);
  if (!r->in_hand.end || l->preprocesses || lane->run <= 0 ||
      lane->done >= lane->part_end)
    return;
  lane_position(l, lane, &file, &in_file);
  if (r->in_hand.file != file || r->in_hand.set != l->pass.set ||
      in_file < r->in_hand.first || in_file >= r->in_hand.end)
    return;
  int64_t n = least(lb_sampler_run(&l->pass.sampler, in_file),
                    r->in_hand.end - in_file);
  advance(lane, least(n, least(lane->run, lane->part_end - lane->done)));
}
