/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Help of `loadbank mlperf', made from its tables: for as many words as were
 * given, what may come next.  The first line is what completion reads. */
#include "lb-config.h"

#include "cli/cli_impl.h"

#include <string.h>

#include "loadbank/mlperf_cli.h"

enum { VERB_COLUMN = 36, FLAG_COLUMN = 24 };

static const char intro[] =
    "Sizes, generates, runs, checks and reports what a storage submission asks "
    "for,\nMLPerf-style: for sizing, rehearsal and comparison.  What is "
    "submitted officially\nmust come from the official tool.  docs/mlperf.md "
    "is a walk through it.\n";

static const char examples[] =
    "\nExamples:\n"
    "  loadbank mlperf init Acme /results\n"
    "  loadbank mlperf closed training unet3d datasize --max-accelerators 8 "
    "\\\n"
    "    --accelerator-type b200 --client-host-memory-in-gb 64 \\\n"
    "    --results-dir /results --systemname rack1\n"
    "  loadbank mlperf closed training unet3d run file --num-accelerators 8 "
    "\\\n"
    "    --accelerator-type b200 --client-host-memory-in-gb 64 \\\n"
    "    --data-dir /mnt/data --results-dir /results --systemname rack1\n";

static bool applies(const struct lb_mlperf_verb *v,
                    const struct lb_mlperf_call *call)
{
  if (call->verb)
    return v == call->verb;
  return v->is_workload && (!call->has_kind || v->kind == call->args.kind);
}

/* Those that what was said leaves open. */
static unsigned verbs(const struct lb_mlperf_call *call)
{
  unsigned bits = 0;
  for (const struct lb_mlperf_verb *v = lb_mlperf_verbs; v->words; v++)
    if (applies(v, call))
      bits |= v->bit;
  return bits;
}

/* ---- usage ---- */

static void put_commands(struct lb_buf *out, const struct lb_mlperf_call *call)
{
  const char *between = " ";
  for (const struct lb_mlperf_verb *v = lb_mlperf_verbs; v->words; v++)
    if (applies(v, call)) {
      lb_buf_printf(out, "%s%s", between, lb_mlperf_command_names[v->command]);
      between = "|";
    }
}

static void put_next(struct lb_buf *out, const struct lb_mlperf_call *call)
{
  const struct lb_mlperf_verb *v = call->verb;
  if (v && !v->is_workload) {
    lb_buf_printf(out, "%s%s", *v->args ? " " : "", v->args);
  } else if (!call->has_kind) {
    lb_buf_puts(out, " training|checkpointing");
  } else {
    if (!call->has_model)
      lb_buf_puts(out, " MODEL");
    if (!v)
      put_commands(out, call);
    if (!v || strstr(v->args, "[file]"))
      lb_buf_puts(out, " [file]");
  }
}

static void put_usage(struct lb_buf *out, const struct lb_mlperf_call *call)
{
  const struct lb_mlperf_verb *v = call->verb;
  lb_buf_puts(out, "Usage: loadbank mlperf");
  if (call->has_mode)
    lb_buf_printf(out, " %s", lb_mlperf_mode_names[call->args.mode]);
  else if (call->has_kind)
    lb_buf_puts(out, " MODE");
  if (v)
    lb_buf_printf(out, " %s", v->words);
  else if (call->has_kind)
    lb_buf_printf(out, " %s", lb_mlperf_kind_names[call->args.kind]);
  lb_buf_puts(out, " [OPTION]...");
  put_next(out, call);
}

/* ---- flags ---- */

static void put_flag(struct lb_buf *out, const struct lb_mlperf_flag *f,
                     unsigned needed_by)
{
  const struct lb_option *o = &f->option;
  char name[LB_MLPERF_FLAG_LEN];
  struct lb_buf left, doc;
  lb_mlperf_flag_name(f, name);
  lb_buf_init(&left, 400);
  lb_buf_init(&doc, 2000);
  lb_buf_puts(&left, name);
  if (o->unit)
    lb_buf_printf(&left, "=%s", o->unit);
  for (int i = 0; o->words && o->words[i]; i++)
    lb_buf_printf(&left, "%s%s", i ? "|" : "=", o->words[i]);
  if (f->brief)
    lb_buf_printf(&left, " %s", f->brief);
  lb_buf_puts(&doc, o->doc);
  if (needed_by)
    lb_buf_puts(&doc, "  Required.");
  if (o->def && *o->def)
    lb_buf_printf(&doc, "  Default %s.", o->def);
  if (o->ignored)
    lb_buf_printf(&doc, "  Ignored: %s.", o->ignored);
  if (left.data && doc.data)
    lb_help_entry(out, left.data, doc.data, FLAG_COLUMN);
  lb_buf_fini(&left);
  lb_buf_fini(&doc);
}

static void put_flags(struct lb_buf *out, const struct lb_mlperf_call *call)
{
  unsigned bits = verbs(call);
  lb_buf_puts(out, "\nOptions:\n");
  for (const struct lb_mlperf_flag *f = lb_mlperf_flags; f->option.key; f++) {
    bool in_mode =
        !f->modes || !call->has_mode || (f->modes & 1U << call->args.mode) != 0;
    if ((f->verbs & bits) && in_mode)
      put_flag(out, f, call->verb ? f->needs & bits : 0);
  }
  lb_help_entry(out, "--help -h", "Print help and exit.", FLAG_COLUMN);
}

/* ---- the index ---- */

static bool has_begun(const struct lb_mlperf_verb *v)
{
  size_t n = strcspn(v->words, " ");
  for (const struct lb_mlperf_verb *u = lb_mlperf_verbs; u < v; u++)
    if (!strncmp(u->words, v->words, n + 1))
      return true;
  return false;
}

/* First words, each once. */
static void put_first(struct lb_buf *out)
{
  const char *between = " ";
  for (const struct lb_mlperf_verb *v = lb_mlperf_verbs; v->words; v++) {
    if (v->is_workload || has_begun(v))
      continue;
    lb_buf_printf(out, "%s%.*s", between, (int)strcspn(v->words, " "),
                  v->words);
    between = "|";
  }
  for (int i = 0; i < LB_MLPERF_N_MODES; i++)
    lb_buf_printf(out, "|%s", lb_mlperf_mode_names[i]);
}

static void put_verb(struct lb_buf *out, const struct lb_mlperf_verb *v)
{
  struct lb_buf name;
  lb_buf_init(&name, 200);
  lb_buf_printf(&name, "%s%s%s%s", v->is_workload ? "MODE " : "", v->words,
                *v->args ? " " : "", v->args);
  if (name.data && (v->run || v->launches))
    lb_help_entry(out, name.data, v->doc, VERB_COLUMN);
  lb_buf_fini(&name);
}

void lb_help_mlperf_index(struct lb_buf *out)
{
  lb_buf_puts(out, "Usage: loadbank mlperf [OPTION]...");
  put_first(out);
  lb_buf_printf(out, "\n\n%s\nSub-commands:\n", intro);
  for (const struct lb_mlperf_verb *v = lb_mlperf_verbs; v->words; v++)
    put_verb(out, v);
  lb_buf_puts(out, "\nMODE is closed, open, or whatif, which is never "
                   "submitted.\n\nOptions:\n");
  lb_help_entry(out, "--help -h",
                "Print help for the words before it and exit.", FLAG_COLUMN);
  lb_buf_puts(out, examples);
}

/* Of those that share a first word. */
static void put_family(struct lb_buf *out, const char *first)
{
  size_t n = strlen(first);
  const char *between = " ";
  lb_buf_printf(out, "Usage: loadbank mlperf %s [OPTION]...", first);
  for (const struct lb_mlperf_verb *v = lb_mlperf_verbs; v->words; v++)
    if (!strncmp(v->words, first, n) && v->words[n] == ' ') {
      lb_buf_printf(out, "%s%s", between, v->words + n + 1);
      between = "|";
    }
  lb_buf_puts(out, "\n\nSub-commands:\n");
  for (const struct lb_mlperf_verb *v = lb_mlperf_verbs; v->words; v++)
    if (!strncmp(v->words, first, n) && v->words[n] == ' ')
      put_verb(out, v);
}

void lb_help_mlperf(const struct lb_mlperf_call *call, struct lb_buf *out)
{
  if (!call->verb && lb_mlperf_begins(call)) {
    put_family(out, call->operand[0]);
  } else if (!call->verb && !call->has_mode && !call->has_kind) {
    lb_help_mlperf_index(out);
  } else {
    put_usage(out, call);
    lb_buf_puts(out, "\n");
    if (call->verb)
      lb_buf_printf(out, "\n%s\n", call->verb->doc);
    put_flags(out, call);
  }
}
