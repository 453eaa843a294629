/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The core-config hash: which benchmark a run was, whatever its site tuned.
 * SHA-256 over the canonical JSON of the parameters that define the workload,
 * its first 16 digits.  Numbers written as 7, 7.0 or "7" count as the same. */
#include "lb-config.h"

#include "mlperf/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifdef HAVE_NETTLE
#include <nettle/sha2.h>
#endif

#include "loadbank/buf.h"
#include "loadbank/json.h"
#include "loadbank/units.h"

/* A name that ends in a dot stands for all that is below. */
static const struct allowlist {
  const char *name;
  const char *include[24], *exclude[4];
} allowlists[LB_MLPERF_N_KINDS] = {
    [LB_MLPERF_TRAINING] =
        {
            .name = "training@1",
            .include = {"framework",
                        "metric.au",
                        "model.",
                        "workflow.",
                        "dataset.format",
                        "dataset.num_samples_per_file",
                        "dataset.record_length_bytes",
                        "dataset.record_length_bytes_stdev",
                        "dataset.record_length_bytes_resize",
                        "dataset.record_length",
                        "dataset.record_length_stdev",
                        "dataset.record_length_resize",
                        "reader.data_loader",
                        "reader.batch_size",
                        "reader.file_shuffle",
                        "reader.sample_shuffle",
                        "reader.shuffle_size",
                        "train.epochs",
                        "train.computation_time",
                        "train.computation_time_stdev",
                        "train.total_training_steps",
                        "checkpoint."},
            .exclude = {"checkpoint.checkpoint_folder"},
        },
    [LB_MLPERF_CHECKPOINTING] =
        {
            .name = "checkpointing@1",
            .include = {"framework", "model.", "workflow.", "checkpoint."},
            .exclude = {"checkpoint.checkpoint_folder",
                        "checkpoint.num_checkpoints_write",
                        "checkpoint.num_checkpoints_read"},
        },
};

const char *lb_mlperf_hash_allowlist(int kind)
{
  return allowlists[kind].name;
}

static bool is_core(const struct allowlist *a, const char *key)
{
  for (const char *const *x = a->exclude; *x; x++)
    if (!strcmp(key, *x))
      return false;
  for (const char *const *i = a->include; *i; i++) {
    size_t n = strlen(*i);
    if ((*i)[n - 1] == '.' ? !strncmp(key, *i, n) : !strcmp(key, *i))
      return true;
  }
  return false;
}

/* Leaves of the tree that count, by dotted key, borrowed.  A key that does not
 * fit is longer than all that the tree of a workload can have. */
static void flatten(/* NOLINT(misc-no-recursion) */
                    const struct allowlist *a, const json_t *tree,
                    const char *prefix, json_t *flat)
{
  const char *name;
  json_t *v;
  json_object_foreach((json_t *)tree, name, v)
  {
    char key[512];
    int n = snprintf(key, sizeof key, "%s%s", prefix, name);
    if (n >= (int)sizeof key - 1)
      continue;
    if (json_is_object(v)) {
      snprintf(key + n, sizeof key - (size_t)n, ".");
      flatten(a, v, key, flat);
    } else if (is_core(a, key)) {
      json_object_set(flat, key, v);
    }
  }
}

static void put_text(struct lb_buf *b, const char *text)
{
  json_t *v = json_string(text);
  char *s = v ? json_dumps(v, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
  json_decref(v);
  /* \u00E4: the hash is over lower-case digits. */
  for (char *c = s; c && *c; c += c[0] == '\\' && c[1] ? 2 : 1)
    for (int i = 2; c[0] == '\\' && c[1] == 'u' && i < 6; i++)
      if (c[i] >= 'A' && c[i] <= 'F')
        c[i] = (char)(c[i] - 'A' + 'a');
  lb_buf_puts(b, s ? s : "\"\"");
  free(s);
}

static void put_real(struct lb_buf *b, double v)
{
  char text[LB_REAL_LEN];
  if (v == floor(v)) {
    lb_buf_printf(b, "%.0f", v == 0 ? 0 : v);
    return;
  }
  lb_format_real(v, text);
  lb_buf_puts(b, text);
}

/* Not a name that only begins like a number. */
static bool is_number(const char *text)
{
  return *text && !text[strspn(text, "0123456789+-.eE")];
}

/* A text that is a number or a boolean counts as that. */
static void put_string(struct lb_buf *b, const char *text)
{
  char bare[256], *end;
  snprintf(bare, sizeof bare, "%s", text + strspn(text, " \t\r\n"));
  for (size_t n = strlen(bare); n && strchr(" \t\r\n", bare[n - 1]); n--)
    bare[n - 1] = '\0';
  if (strlen(text) >= sizeof bare) {
    put_text(b, text);
    return;
  }
  if (!strcasecmp(bare, "true") || !strcasecmp(bare, "false")) {
    lb_buf_puts(b, strlen(bare) == 4 ? "true" : "false");
    return;
  }
  long long whole = strtoll(bare, &end, 10);
  if (is_number(bare) && !*end) {
    lb_buf_printf(b, "%lld", whole);
    return;
  }
  double v = strtod(bare, &end);
  if (is_number(bare) && !*end && isfinite(v))
    put_real(b, v);
  else
    put_text(b, bare);
}

static void put(struct lb_buf *b, const json_t *v) /* NOLINT(misc-no-recursion)
                                                    */
{
  size_t i;
  json_t *one;
  if (json_is_string(v))
    put_string(b, json_string_value(v));
  else if (json_is_integer(v))
    lb_buf_printf(b, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
  else if (json_is_real(v))
    put_real(b, json_real_value(v));
  else if (json_is_array(v)) {
    lb_buf_puts(b, "[");
    json_array_foreach(v, i, one)
    {
      lb_buf_puts(b, i ? "," : "");
      put(b, one);
    }
    lb_buf_puts(b, "]");
  } else {
    lb_buf_puts(b, json_is_true(v)    ? "true"
                   : json_is_false(v) ? "false"
                                      : "null");
  }
}

static bool digest(const struct lb_buf *text, char out[LB_MLPERF_HASH])
{
#ifdef HAVE_NETTLE
  struct sha256_ctx ctx;
  uint8_t sum[SHA256_DIGEST_SIZE];
  sha256_init(&ctx);
  sha256_update(&ctx, text->len, (const uint8_t *)text->data);
  sha256_digest(&ctx, sizeof sum, sum);
  for (int i = 0; i < 8; i++)
    snprintf(out + 2 * (ptrdiff_t)i, 3, "%02x", sum[i]);
  return true;
#else
  (void)text;
  (void)out;
  return false;
#endif
}

void lb_mlperf_core_hash(int kind, const json_t *parameters,
                         char out[LB_MLPERF_HASH], json_t **keys)
{
  json_t *flat = json_object(), *names = json_array();
  size_t n = 0;
  struct lb_buf text;
  lb_buf_init(&text, 1 << 20);
  flatten(&allowlists[kind], parameters, "", flat);
  const char **key = lb_json_sorted_keys(flat);
  lb_buf_puts(&text, "{");
  for (; key && key[n]; n++) {
    lb_buf_puts(&text, n ? "," : "");
    put_text(&text, key[n]);
    lb_buf_puts(&text, ":");
    put(&text, json_object_get(flat, key[n]));
    json_array_append_new(names, json_string(key[n]));
  }
  lb_buf_puts(&text, "}");
  bool known = n && !text.failed && digest(&text, out);
  if (!known) {
    snprintf(out, LB_MLPERF_HASH, "unknown");
    json_array_clear(names);
  }
  if (keys)
    *keys = names;
  else
    json_decref(names);
  free(key);
  json_decref(flat);
  lb_buf_fini(&text);
}

/* Hashes of a class beside the one of its file. */
static const struct {
  const char *hash, *workload;
} also[] = {
    {"f636f5a57473fca2", "unet3d_b200"}, /* workflow.checkpoint: true */
};

const char *lb_mlperf_class(const char *hash)
{
  for (size_t i = 0; i < lb_mlperf_n_workloads; i++)
    if (lb_mlperf_workloads[i].is_class &&
        !strcmp(lb_mlperf_workloads[i].hash, hash))
      return lb_mlperf_workloads[i].workload;
  for (size_t i = 0; i < sizeof also / sizeof also[0]; i++)
    if (!strcmp(also[i].hash, hash))
      return also[i].workload;
  return NULL;
}
