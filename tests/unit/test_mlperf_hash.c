/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The built-in workloads are those of MLPerf Storage: their core-config hashes,
 * as the files are written. */
#include "lb-config.h"

#include <stdlib.h>
#include <string.h>

#include "mlperf/config.h"
#include "mlperf/params_json.h"
#include "source_tree.h"
#include "tap.h"

#ifdef HAVE_NETTLE
/* The hash of a YAML text; keys: how many it covers. */
static void hash_of(int kind, const char *yaml, char out[LB_MLPERF_HASH],
                    size_t *n)
{
  struct lb_err err = LB_ERR_INIT;
  json_t *keys = NULL;
  json_t *tree = lb_params_of_yaml(yaml, strlen(yaml), "text", &err);
  lb_mlperf_core_hash(kind, tree, out, &keys);
  *n = json_array_size(keys);
  json_decref(keys);
  json_decref(tree);
}

static void test_builtin(void)
{
  int known = 0;
  for (size_t i = 0; i < lb_mlperf_n_workloads; i++) {
    const struct lb_mlperf_workload *w = &lb_mlperf_workloads[i];
    char file[128], hash[LB_MLPERF_HASH], *text;
    size_t n;
    snprintf(file, sizeof file, "workloads/%s.yaml", w->workload);
    text = read_source(file);
    hash_of(w->kind, text ? text : "", hash, &n);
    free(text);
    if (*w->hash)
      is_str(hash, w->hash, "%s: its published hash", w->workload);
    known += *w->hash != '\0';
    const char *class = lb_mlperf_class(hash);
    if (w->is_class)
      is_str(class, w->workload, "%s: a class", w->workload);
    else
      ok(!class, "%s: no class", w->workload);
  }
  is_int(known, 15, "all that are published");
  is_str(lb_mlperf_class("f636f5a57473fca2"), "unet3d_b200",
         "unet3d with workflow.checkpoint: the same class");
  ok(!lb_mlperf_class("unknown"), "what is not known is no class");
}

static const char small[] = "framework: pytorch\n"
                            "train: {epochs: 5, computation_time: 0.25}\n"
                            "reader: {batch_size: 7, read_threads: 4}\n";

/* Known from the definition: sha256 of
 * {"framework":"pytorch","reader.batch_size":7,"train.computation_time":0.25,
 *  "train.epochs":5}, without blanks. */
static void test_canonical(void)
{
  static const char *const same[] = {
      small,
      /* Numbers as texts and as reals; order; what is not listed. */
      "reader: {read_threads: 8, batch_size: '7'}\n"
      "train: {computation_time: 2.5e-1, epochs: 5.0}\n"
      "framework: ' pytorch '\n",
      "workload:\n  framework: pytorch\n  train: {epochs: 5, "
      "computation_time: 0.25}\n  reader: {batch_size: 7.0}\n",
  };
  char hash[LB_MLPERF_HASH];
  size_t n;
  for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
    hash_of(LB_MLPERF_TRAINING, same[i], hash, &n);
    is_str(hash, "361841b064e7ed49", "text %zu", i);
    is_int(n, 4, "its keys");
  }
  hash_of(LB_MLPERF_TRAINING, "framework: \303\244\"\\\nmodel: {a: [1, x]}\n",
          hash, &n);
  is_str(hash, "beff3cc969b6cdf2", "letters beyond ASCII, lists");
  hash_of(LB_MLPERF_TRAINING, "reader: {read_threads: 4}\n", hash, &n);
  is_str(hash, "unknown", "nothing that counts");
  is_int(n, 0, "no keys");
}

int main(void)
{
  test_builtin();
  test_canonical();
  return done();
}
#else
int main(void)
{
  printf("1..0 # SKIP this build has no hashes (nettle)\n");
  return 0;
}
#endif
