/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plan as text for people: what `plan' prints and a run begins with. */
#include "lb-config.h"

#include "loadbank/plan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "loadbank/checkpoint.h"
#include "loadbank/config.h"
#include "loadbank/units.h"

void lb_plan_row(struct lb_buf *out, const char *label, const char *fmt, ...)
{
  char text[512];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  lb_buf_printf(out, "%-18s %s\n", label, text);
}

enum { SHORT = 40 };

/* "22.94 GiB"; "512 B" below one KiB. */
static const char *bytes_text(double bytes, char out[SHORT])
{
  static const char *const units[] = {"B",   "KiB", "MiB", "GiB",
                                      "TiB", "PiB", "EiB"};
  size_t u = 0;
  while (bytes >= 1024 && u + 1 < sizeof units / sizeof units[0]) {
    bytes /= 1024;
    u++;
  }
  snprintf(out, SHORT, u == 0 ? "%.0f %s" : "%.2f %s", bytes, units[u]);
  return out;
}

/* "0.1846 s"; "1234 s (0:20:34)" from ten minutes on. */
static const char *seconds_text(double s, char out[SHORT])
{
  if (s < 600 || s > 1e15) {
    snprintf(out, SHORT, "%.4g s", s);
  } else {
    int64_t whole = (int64_t)(s + 0.5);
    snprintf(out, SHORT, "%" PRId64 " s (%" PRId64 ":%02d:%02d)", whole,
             whole / 3600, (int)(whole / 60 % 60), (int)(whole % 60));
  }
  return out;
}

static void text_set(const struct lb_plan_set *s, const char *label,
                     struct lb_buf *out)
{
  char size[SHORT];
  if (s->files == 0) {
    lb_plan_row(out, label, "none");
    return;
  }
  lb_plan_row(out, label,
              "%" PRId64 " file%s x %" PRId64 " sample%s = %" PRId64
              " sample%s%s",
              s->files, lb_plural(s->files), s->samples_per_file,
              lb_plural(s->samples_per_file), s->samples, lb_plural(s->samples),
              s->written && s->read ? ", generated and read"
              : s->written          ? ", generated"
              : s->read             ? ""
                                    : ", not read");
  lb_plan_row(out, "", "%s of samples, %" PRIu64 " bytes%s",
              bytes_text((double)s->payload_bytes, size), s->payload_bytes,
              s->exact ? "" : " (count x mean)");
  if (s->known)
    lb_plan_row(out, "", "%s of files, %" PRIu64 " bytes%s",
                bytes_text((double)s->file_bytes, size), s->file_bytes,
                s->exact ? "" : " (count x mean)");
}

/* "1 open, 560 reads, 1 close: 146600878 bytes" */
static void text_cost(const struct lb_plan_set *s, struct lb_buf *out)
{
  char text[400];
  size_t n = 0;
  text[0] = 0;
  for (int i = 0; i < LB_N_OPS && n < sizeof text; i++)
    if (s->ops[i] > 0)
      n += (size_t)snprintf(text + n, sizeof text - n, "%s%" PRIu64 " %s%s",
                            n ? ", " : "", s->ops[i], lb_op_names[i],
                            i == LB_OP_READ && s->ops[i] != 1 ? "s" : "");
  if (n == 0)
    return;
  if (s->samples_per_file > 1 && s->read_bytes > 0 &&
      s->read_bytes < 0.95 * (double)s->op_bytes[LB_OP_READ])
    lb_plan_row(out, "one sample",
                "%s: %" PRIu64 " bytes read of a file's first, %.0f on average",
                text, s->op_bytes[LB_OP_READ], s->read_bytes);
  else
    lb_plan_row(out, "one sample", "%s: %" PRIu64 " bytes read", text,
                s->op_bytes[LB_OP_READ]);
}

static void text_profile(const struct lb_workload *w, struct lb_buf *out)
{
  bool lean = w->reader.call_profile == LB_CALLS_LEAN;
  bool differs = w->derived.format && w->derived.format->has_lean;
  lb_plan_row(out, "",
              !lean ? "the calls of the framework's reader"
              : differs
                  ? "the least calls (reader.call_profile lean)"
                  : "reader.call_profile lean is framework with this format");
}

/* Which accelerators go through which mount. */
static void text_roots(const struct lb_plan *p, const struct lb_workload *w,
                       struct lb_buf *out)
{
  char path[PATH_MAX];
  int n = w->derived.n_roots;
  for (int i = 0; n > 1 && i < n; i++) {
    int users = p->accelerators / n + (i < p->accelerators % n);
    lb_workload_path(w, i, w->dataset.data_folder, path);
    lb_plan_row(out, i == 0 ? "roots" : "", "%d accelerator%s through %s",
                users, lb_plural(users), path);
  }
}

static void text_dataset(const struct lb_plan *p, const struct lb_workload *w,
                         struct lb_buf *out)
{
  lb_plan_row(out, "dataset", "%s on %s in %s", w->dataset.format,
              w->storage.storage_type, w->derived.data_folder);
  text_roots(p, w, out);
  if (p->stdev_asked > 0)
    lb_plan_row(out, "sample", "%" PRId64 " bytes, standard deviation %.0f",
                w->derived.sample_bytes, p->stdev_got);
  else
    lb_plan_row(out, "sample", "%" PRId64 " bytes", w->derived.sample_bytes);
  text_set(&p->set[LB_SET_TRAIN], "train", out);
  text_set(&p->set[LB_SET_EVAL], "evaluation", out);
  text_cost(&p->set[LB_SET_TRAIN], out);
  if (p->set[LB_SET_TRAIN].ops[LB_OP_READ] > 0)
    text_profile(w, out);
  if (p->request_varies)
    lb_plan_row(out, "",
                "by requests of %" PRId64
                " bytes, the mean; none is longer than "
                "%" PRId64,
                w->derived.request_bytes, w->derived.longest_request);
}

/* What one checkpoint is: GiB as MLPerf's tables have them. */
static void text_checkpoint(const struct lb_plan *p, struct lb_buf *out)
{
  const struct lb_plan_checkpoints *c = &p->checkpoints;
  char least[SHORT], most[SHORT];
  lb_plan_row(out, "", "%s: %" PRIu64 " bytes in %" PRId64 " file%s",
              c->scheme->name, c->bytes, c->files, lb_plural(c->files));
  if (c->optimizer_bytes > 0)
    lb_plan_row(out, "", "model %.3f + optimizer %.3f = %.3f GiB",
                (double)(c->bytes - c->optimizer_bytes) / LB_GIB,
                (double)c->optimizer_bytes / LB_GIB, (double)c->bytes / LB_GIB);
  bytes_text((double)c->least_bytes, least);
  bytes_text((double)c->most_bytes, most);
  if (c->writers > 1 && c->least_bytes == c->most_bytes)
    lb_plan_row(out, "", "each accelerator writes %s, %" PRIu64 " bytes", most,
                c->most_bytes);
  else if (c->writers > 1)
    lb_plan_row(out, "",
                "%d accelerators write, one %s to %s, %" PRIu64 " to %" PRIu64
                " bytes",
                c->writers, least, most, c->least_bytes, c->most_bytes);
  if (c->reads > 0 && c->read_bytes != c->bytes)
    lb_plan_row(out, "", "reading one back reads %s",
                bytes_text((double)c->read_bytes, most));
}

/* What of a save training does not wait for. */
static void text_background(const struct lb_workload *w, struct lb_buf *out)
{
  const struct lb_workload_checkpoint *c = &w->checkpoint;
  int64_t threads = c->burst_buffer.drain_threads;
  if (c->async)
    lb_plan_row(out, "", "written while training goes on");
  if (*w->derived.burst_folder)
    lb_plan_row(out, "",
                "first to %s, from there copied by %" PRId64
                " thread%s of a rank",
                w->derived.burst_folder, threads, lb_plural(threads));
}

static void text_checkpoints(const struct lb_plan *p,
                             const struct lb_workload *w, struct lb_buf *out)
{
  char one[SHORT], all[SHORT], reads[SHORT] = "";
  const struct lb_plan_checkpoints *c = &p->checkpoints;
  if (!c->scheme) {
    lb_plan_row(out, "checkpoints", "none");
    return;
  }
  if (c->reads > 0)
    snprintf(reads, sizeof reads, "%s%" PRId64 " read back",
             c->count > 0 ? ", " : "", c->reads);
  if (c->count > 0)
    lb_plan_row(out, "checkpoints", "%" PRId64 " x %s = %s%s", c->count,
                bytes_text((double)c->bytes, one),
                bytes_text((double)c->total_bytes, all), reads);
  else
    lb_plan_row(out, "checkpoints", "%s", reads);
  text_checkpoint(p, out);
  if (c->count > 0)
    text_background(w, out);
}

static void text_evaluations(const struct lb_plan *p,
                             const struct lb_workload *w, struct lb_buf *out)
{
  char compute[SHORT];
  if (p->evals > 0)
    lb_plan_row(out, "evaluations",
                "%" PRId64 " x %" PRId64 " step%s of batch %" PRId64
                ", %s a step",
                p->evals, p->set[LB_SET_EVAL].steps,
                lb_plural(p->set[LB_SET_EVAL].steps), p->set[LB_SET_EVAL].batch,
                seconds_text(lb_dist_mean(w->derived.eval), compute));
  else
    lb_plan_row(out, "evaluations", "none");
}

static void text_schedule(const struct lb_plan *p, const struct lb_workload *w,
                          struct lb_buf *out)
{
  char compute[SHORT], full[SHORT];
  int64_t epochs = lb_plan_epochs(p), last = lb_plan_epoch_steps(p, epochs);
  int64_t steps = p->set[LB_SET_TRAIN].steps;
  if (!p->train) {
    lb_plan_row(out, "training", "none");
    if (p->checkpoint_asked)
      text_checkpoints(p, w, out);
    return;
  }
  lb_plan_row(out, "training",
              "%" PRId64 " epoch%s x %" PRId64 " step%s of batch %" PRId64
              ", %s a step",
              epochs, lb_plural(epochs), steps, lb_plural(steps),
              p->set[LB_SET_TRAIN].batch,
              seconds_text(p->demand.compute_s, compute));
  if (last != steps)
    lb_plan_row(out, "", "the last epoch ends after %" PRId64 " step%s", last,
                lb_plural(last));
  if (lb_plan_blocks(p, 1) > 1)
    lb_plan_row(out, "", "%" PRId64 " blocks in an epoch",
                lb_plan_blocks(p, 1));
  text_evaluations(p, w, out);
  text_checkpoints(p, w, out);
  lb_plan_row(out, "full utilisation",
              "%" PRId64 " step%s, %s if nothing ever waits", lb_plan_steps(p),
              lb_plural(lb_plan_steps(p)), seconds_text(p->full_s, full));
  if (p->spread.best_au < 1)
    lb_plan_row(
        out, "best possible",
        "AU %.1f %%, %s a step: it waits for the slowest of %d computes",
        100 * p->spread.best_au, seconds_text(p->spread.step_s, full),
        p->accelerators);
}

/* One line: a figure at full utilisation and at metric.au. */
static void columns(struct lb_buf *out, const char *label, const char *full,
                    const char *au, const char *unit)
{
  char cell[SHORT + 8];
  snprintf(cell, sizeof cell, "%s%s", full, unit);
  lb_plan_row(out, label, "%-16s %s%s", cell, au, unit);
}

static void text_demand(const struct lb_plan *p, struct lb_buf *out)
{
  const struct lb_plan_demand *d = &p->demand;
  char full[SHORT], au[SHORT], all[SHORT];
  if (!p->train)
    return;
  if (p->pace.readers == 0) {
    lb_plan_row(out, "demand", "none");
    return;
  }
  if (d->compute_s <= 0) {
    lb_plan_row(out, "demand", "no compute: all that the storage can give");
    return;
  }
  snprintf(au, sizeof au, "at %g %%", d->au * 100);
  columns(out, "demand", "at 100 %", au, "");
  columns(out, "  an accelerator",
          bytes_text(d->accelerator_bytes_per_s[LB_AT_FULL], full),
          bytes_text(d->accelerator_bytes_per_s[LB_AT_AU], au), "/s");
  if (p->accelerators > 1) {
    snprintf(all, sizeof all, "  all %d", p->accelerators);
    columns(out, all, bytes_text(d->job_bytes_per_s[LB_AT_FULL], full),
            bytes_text(d->job_bytes_per_s[LB_AT_AU], au), "/s");
  }
  columns(out, "  really read",
          bytes_text(d->job_read_bytes_per_s[LB_AT_FULL], full),
          bytes_text(d->job_read_bytes_per_s[LB_AT_AU], au), "/s");
  columns(out, "  a sample within",
          d->read_s[LB_AT_FULL] > 0 ? seconds_text(d->read_s[LB_AT_FULL], full)
                                    : "never",
          d->read_s[LB_AT_AU] > 0 ? seconds_text(d->read_s[LB_AT_AU], au)
                                  : "never",
          "");
  lb_plan_row(out, "", "with %" PRId64 " reader%s for each accelerator",
              p->pace.readers,
              p->pace.ahead > 0 ? lb_plural(p->pace.readers)
                                : " and nothing read ahead");
}

/* Samples that the first batch waits for. */
static int64_t first_samples(const struct lb_plan *p)
{
  int64_t n = p->set[LB_SET_TRAIN].batch;
  int64_t all = p->set[LB_SET_TRAIN].steps * n;
  if (p->pace.buffer > 0)
    n += p->pace.buffer - 1;
  return n < all ? n : all;
}

static void text_ahead(const struct lb_plan *p, struct lb_buf *out)
{
  const struct lb_loader_pace *pace = &p->pace;
  char size[SHORT];
  if (pace->ahead > 0)
    lb_plan_row(out, "", "%" PRId64 " batch%s of an accelerator ahead",
                pace->ahead, pace->ahead == 1 ? "" : "es");
  else
    lb_plan_row(out, "",
                "nothing ahead: a batch is read when the step needs it");
  if (pace->buffer > 0)
    lb_plan_row(out, "",
                "a shuffle buffer of %" PRId64
                ": the first batch waits for %" PRId64 " sample%s",
                pace->buffer, first_samples(p), lb_plural(first_samples(p)));
  if (pace->computing > 0 && p->preprocesses)
    lb_plan_row(out, "", "%" PRId64 " thread%s preprocess%s, a batch each",
                pace->computing, lb_plural(pace->computing),
                pace->computing == 1 ? "es" : "");
  if (p->memory.real_ahead_bytes > 0)
    lb_plan_row(out, "",
                "real readers of a rank would hold up to %s of samples",
                bytes_text((double)p->memory.real_ahead_bytes, size));
}

static void text_loader(const struct lb_plan *p, const struct lb_workload *w,
                        struct lb_buf *out)
{
  const struct lb_loader_pace *pace = &p->pace;
  const char *name = w->derived.loader->name;
  if (!p->train)
    return;
  if (pace->readers == 0) {
    lb_plan_row(out, "loader", "%s: nothing is read, batches are there at once",
                name);
    return;
  }
  lb_plan_row(out, "loader",
              "%s: %" PRId64 " reader%s for each accelerator, each takes %s%s",
              name, pace->readers, lb_plural(pace->readers), pace->deal->doc,
              pace->by_file ? ", file by file" : "");
  text_ahead(p, out);
}

static const char *checkpoint_text(const struct lb_plan_memory *m, char *text,
                                   size_t size)
{
  char request[SHORT];
  int n = snprintf(text, size, "buffers for checkpoints");
  if (m->checkpoint_requests > 0)
    snprintf(text + n, size - (size_t)n, " (%" PRId64 " request%s x %s)",
             m->checkpoint_requests, lb_plural(m->checkpoint_requests),
             bytes_text((double)m->checkpoint_request, request));
  return text;
}

static void text_memory(const struct lb_plan *p, struct lb_buf *out)
{
  const struct lb_plan_memory *m = &p->memory;
  char checkpoints[96];
  const struct {
    uint64_t bytes;
    const char *what;
  } parts[] = {{m->readers_bytes, "what readers note"},
               {m->main_bytes, "a buffer to write from"},
               {m->checkpoint_bytes,
                checkpoint_text(m, checkpoints, sizeof checkpoints)},
               {m->steps_bytes, "raw steps"}};
  char text[SHORT], line[256];
  int n = snprintf(line, sizeof line, "%s",
                   bytes_text((double)m->rank_bytes, text));
  if (m->buffers > m->threads)
    n += snprintf(line + n, sizeof line - (size_t)n,
                  ": %" PRId64 " reading thread%s, %" PRId64 " buffers of %s",
                  m->threads, lb_plural(m->threads), m->buffers,
                  bytes_text((double)m->buffer_bytes, text));
  else if (m->threads > 0)
    n += snprintf(line + n, sizeof line - (size_t)n,
                  ": %" PRId64 " reading thread%s x %s", m->threads,
                  lb_plural(m->threads),
                  bytes_text((double)m->buffer_bytes, text));
  else
    n += snprintf(line + n, sizeof line - (size_t)n, ": no reading threads");
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    if (parts[i].bytes > 0)
      n += snprintf(line + n, sizeof line - (size_t)n, ", %s %s",
                    bytes_text((double)parts[i].bytes, text), parts[i].what);
  lb_plan_row(out, "memory of a rank", "%s", line);
  if (m->real_bytes > 0)
    lb_plan_row(out, "", "real readers would keep up to %s",
                bytes_text((double)m->real_bytes, text));
  if (m->open_files > (uint64_t)m->threads)
    lb_plan_row(out, "", "up to %" PRIu64 " open files", m->open_files);
}

void lb_plan_text(const struct lb_plan *p, const struct lb_workload *w,
                  struct lb_buf *out)
{
  lb_plan_row(out, "plan of", "%s", w->name);
  lb_plan_row(out, "accelerators", "%d: %d rank%s x %d", p->accelerators,
              p->ranks, lb_plural(p->ranks), p->k);
  if (p->train || p->generate_asked)
    text_dataset(p, w, out);
  text_schedule(p, w, out);
  text_loader(p, w, out);
  text_demand(p, out);
  text_memory(p, out);
  for (int i = 0; i < lb_workload_n_notes(w); i++)
    lb_plan_row(out, "note", "%s", lb_workload_note(w, i));
}
