/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of a command line: which sub-command, of which mode and model.
 * Pure. `MODE training MODEL run file' as well as `training run --model MODEL'
 * of older scripts, which without a mode is a closed one. */
#include "lb-config.h"

#include "mlperf/parse_impl.h"

#include <stdio.h>
#include <string.h>

#include "loadbank/nearest.h"
#include "mlperf/place.h"

/* Words of the benchmark's own command line that mean nothing here. */
static const struct {
  const char *word, *why;
} absent[] = {
    {"vectordb", "a database's storage is its server's to drive, and loadbank "
                 "starts none"},
    {"kvcache", "loadbank does not emulate a key-value cache"},
    {"lockfile", "loadbank uses no Python packages, so there are none to lock"},
    {"rules-coverage", "that is about the sources of the official checker; "
                       "`rules' lists those that are known here"},
    {"runs", "the results folder is yours to tidy; `history' lists commands"},
    {"status", "`report' and `validate' say how far a results folder is"},
    {"submit", "what is submitted must come from the official tool"},
    {"config", "--config-file and the environment hold what does not change"},
};

void lb_mlperf_where(const struct lb_mlperf_call *call,
                     char out[LB_MLPERF_WHERE_LEN])
{
  bool has_mode = call->has_mode || (call->verb && call->verb->is_workload);
  const char *mode = has_mode ? lb_mlperf_mode_names[call->args.mode] : "";
  const char *rest = call->verb       ? call->verb->words
                     : call->has_kind ? lb_mlperf_kind_names[call->args.kind]
                                      : "";
  snprintf(out, LB_MLPERF_WHERE_LEN, "%s%s%s", mode, *mode && *rest ? " " : "",
           rest);
}

static int refuse_absent(const char *word, struct lb_err *err)
{
  for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
    if (!strcmp(word, absent[i].word))
      return lb_err_set(err, LB_USAGE, "mlperf: %s is not supported: %s", word,
                        absent[i].why);
  return 0;
}

/* ---- workloads ---- */

static int unexpected(const struct lb_mlperf_call *call, const char *word,
                      struct lb_err *err)
{
  struct lb_nearest near = {.word = word};
  char where[LB_MLPERF_WHERE_LEN], hint[LB_NEAREST_LEN];
  for (int i = 0; call->has_kind && i < LB_MLPERF_N_COMMANDS; i++)
    lb_nearest_try(&near, lb_mlperf_command_names[i]);
  for (int i = 0; !call->has_kind && i < LB_MLPERF_N_KINDS; i++)
    lb_nearest_try(&near, lb_mlperf_kind_names[i]);
  lb_nearest_hint(&near, call->has_kind ? "" : "; training or checkpointing?",
                  hint);
  lb_mlperf_where(call, where);
  return lb_err_set(err, LB_USAGE, "mlperf: %s: unexpected word '%.60s'%s",
                    where, word, hint);
}

/* What the words of a workload say; -1 and NULL: nothing yet.  `file' is the
 * only protocol. */
struct said {
  int mode, kind, command;
  const char *model;
};

/* A second word of a kind that there can be only one of. */
static int put(int *field, int value, const char *const *names,
               struct lb_err *err)
{
  if (*field >= 0 && *field != value)
    return lb_err_set(err, LB_USAGE, "mlperf: both '%s' and '%s'",
                      names[*field], names[value]);
  *field = value;
  return 0;
}

static int take_word(struct said *s, struct lb_mlperf_call *call,
                     const char *word, struct lb_err *err)
{
  int v;
  if ((v = lb_mlperf_word(lb_mlperf_mode_names, LB_MLPERF_N_MODES, word)) >=
      0) {
    call->has_mode = true;
    call->args.mode = v;
    return put(&s->mode, v, lb_mlperf_mode_names, err);
  }
  if ((v = lb_mlperf_word(lb_mlperf_kind_names, LB_MLPERF_N_KINDS, word)) >=
      0) {
    call->has_kind = true;
    call->args.kind = v;
    return put(&s->kind, v, lb_mlperf_kind_names, err);
  }
  if (s->kind < 0)
    return refuse_absent(word, err) ? -err->code : unexpected(call, word, err);
  v = lb_mlperf_word(lb_mlperf_command_names, LB_MLPERF_N_COMMANDS, word);
  if (v >= 0)
    return put(&s->command, v, lb_mlperf_command_names, err);
  if (!strcmp(word, "object"))
    return lb_err_set(err, LB_USAGE,
                      "mlperf: object storage is not supported; `file' is");
  if (!strcmp(word, "file"))
    return 0;
  if (s->model)
    return unexpected(call, word, err);
  s->model = word;
  return 0;
}

static const struct lb_mlperf_verb *verb_of(int kind, int command)
{
  const struct lb_mlperf_verb *v = lb_mlperf_verbs;
  while (v->words &&
         !(v->is_workload && v->kind == kind && v->command == command))
    v++;
  return v->words ? v : NULL;
}

/* The commands of a kind, for messages. */
static int which_command(const struct said *s, struct lb_err *err)
{
  char list[200] = "";
  size_t n = 0;
  for (const struct lb_mlperf_verb *v = lb_mlperf_verbs; v->words; v++)
    if (v->is_workload && v->kind == s->kind && n < sizeof list)
      n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "",
                            lb_mlperf_command_names[v->command]);
  return lb_err_set(err, LB_USAGE, "mlperf: %s %s %s",
                    lb_mlperf_kind_names[s->kind],
                    s->command < 0 ? "needs one of" : "has only", list);
}

/* The model is a word or --model, or the same by both. */
static int take_model(struct lb_mlperf_call *call, const char *word,
                      struct lb_err *err)
{
  int row = 0;
  while (lb_mlperf_flags[row].option.offset !=
         offsetof(struct lb_mlperf_args, model))
    row++;
  if (word && call->text[row] && strcmp(word, call->text[row]) != 0)
    return lb_err_set(err, LB_USAGE,
                      "mlperf: two models, '%.60s' and --model %.60s", word,
                      call->text[row]);
  if (word)
    call->text[row] = word;
  return 0;
}

static int workload(struct lb_mlperf_scan *scan, struct lb_mlperf_call *call,
                    struct lb_err *err)
{
  struct said s = {.mode = -1, .kind = -1, .command = -1};
  int rc = 0;
  for (int i = 0; !rc && i < scan->n_words; i++)
    rc = take_word(&s, call, scan->word[i], err);
  if (!rc && s.command >= 0)
    call->verb = verb_of(s.kind, s.command);
  call->has_model = s.model != NULL;
  if (rc || call->help)
    return rc;
  if (s.kind < 0)
    return lb_err_set(err, LB_USAGE,
                      "mlperf: %s what? training or checkpointing",
                      lb_mlperf_mode_names[s.mode]);
  if (!call->verb)
    return which_command(&s, err);
  call->args.mode = s.mode < 0 ? LB_MLPERF_CLOSED : s.mode;
  call->args.kind = s.kind;
  call->args.command = s.command;
  return take_model(call, s.model, err);
}

/* ---- the others ---- */

/* How many of the words are the row's; 0: it is another. */
static int matches(const struct lb_mlperf_verb *v, const char *const *word,
                   int n)
{
  const char *text = v->words;
  int i = 0;
  for (; *text && i < n; i++) {
    size_t len = strcspn(text, " ");
    if (strlen(word[i]) != len || strncmp(text, word[i], len) != 0)
      return 0;
    text += len + (text[len] == ' ');
  }
  return *text ? 0 : i;
}

static int unknown(const char *word, struct lb_err *err)
{
  struct lb_nearest near = {.word = word};
  char hint[LB_NEAREST_LEN];
  for (int i = 0; i < LB_MLPERF_N_MODES; i++)
    lb_nearest_try(&near, lb_mlperf_mode_names[i]);
  for (const struct lb_mlperf_verb *v = lb_mlperf_verbs; v->words; v++)
    if (!strchr(v->words, ' '))
      lb_nearest_try(&near, v->words);
  lb_nearest_hint(&near, "; see loadbank mlperf --help", hint);
  return lb_err_set(err, LB_USAGE, "mlperf: unknown word '%.60s'%s", word,
                    hint);
}

/* Other ways to say it: `history', `reports reportgen'. */
static void rename_words(struct lb_mlperf_scan *s)
{
  if (!strcmp(s->word[0], "history") && s->n_words == 1)
    s->word[s->n_words++] = "show";
  if (!strcmp(s->word[0], "reports") && s->n_words > 1 &&
      !strcmp(s->word[1], "reportgen")) {
    s->word++;
    s->n_words--;
    s->word[0] = "report";
  }
}

static int count_operands(const struct lb_mlperf_call *call, struct lb_err *err)
{
  const struct lb_mlperf_verb *v = call->verb;
  if (call->n_operands < v->min_operands)
    return lb_err_set(err, LB_USAGE, "mlperf: usage: loadbank mlperf %s %s",
                      v->words, v->args);
  if (call->n_operands > v->max_operands)
    return lb_err_set(err, LB_USAGE, "mlperf: %s: unexpected word '%.200s'",
                      v->words, call->operand[v->max_operands]);
  return 0;
}

const struct lb_mlperf_verb *lb_mlperf_begins(const struct lb_mlperf_call *call)
{
  const struct lb_mlperf_verb *v = lb_mlperf_verbs;
  size_t n = call->n_operands == 1 ? strlen(call->operand[0]) : 0;
  while (v->words &&
         (v->is_workload || !n || strncmp(v->words, call->operand[0], n) != 0 ||
          v->words[n] != ' '))
    v++;
  return v->words ? v : NULL;
}

static int other(struct lb_mlperf_scan *s, struct lb_mlperf_call *call,
                 struct lb_err *err)
{
  int n = 0;
  if (!call->help)
    rename_words(s);
  const struct lb_mlperf_verb *v = lb_mlperf_verbs;
  for (; v->words; v++)
    if (!v->is_workload && (n = matches(v, s->word, s->n_words)) > 0)
      break;
  if (!v->words) {
    call->operand = s->word;
    call->n_operands = s->n_words;
    if (call->help && lb_mlperf_begins(call))
      return 0;
    return refuse_absent(s->word[0], err) ? -err->code
                                          : unknown(s->word[0], err);
  }
  call->verb = v;
  call->operand = s->word + n;
  call->n_operands = s->n_words - n;
  return call->help ? 0 : count_operands(call, err);
}

int lb_mlperf_grammar(struct lb_mlperf_scan *s, struct lb_mlperf_call *call,
                      struct lb_err *err)
{
  if (s->n_words == 0)
    return call->help ? 0
                      : lb_err_set(err, LB_USAGE,
                                   "mlperf: no sub-command; see loadbank "
                                   "mlperf --help");
  const char *first = s->word[0];
  if (lb_mlperf_word(lb_mlperf_mode_names, LB_MLPERF_N_MODES, first) >= 0 ||
      lb_mlperf_word(lb_mlperf_kind_names, LB_MLPERF_N_KINDS, first) >= 0)
    return workload(s, call, err);
  return other(s, call, err);
}
