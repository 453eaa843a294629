/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who writes and reads what: sizes to the byte, names, tensors, refusals. */
#include "lb-config.h"

#include "loadbank/checkpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tap.h"

static struct lb_checkpoint_model llama(int64_t layers, int64_t hidden,
                                        int64_t ffn, int64_t heads, int64_t kv)
{
  return (struct lb_checkpoint_model){
      .layers = layers,
      .hidden = hidden,
      .ffn = ffn,
      .vocab = 128256,
      .heads = heads,
      .kv_heads = kv,
      .weights = lb_model_dtype_find("fp16"),
      .optimizer = lb_model_dtype_find("fp32"),
      .data = -1,
  };
}

static void divide(struct lb_checkpoint_model *m, int accelerators,
                   int64_t tensor, int64_t pipeline, int zero)
{
  m->accelerators = accelerators;
  m->tensor = tensor;
  m->pipeline = pipeline;
  m->zero = zero;
}

static struct lb_checkpoint_model llama_8b(void)
{
  struct lb_checkpoint_model m = llama(32, 4096, 14336, 32, 8);
  divide(&m, 8, 1, 1, 3);
  return m;
}

static struct lb_checkpoint_model llama_405b(void)
{
  struct lb_checkpoint_model m = llama(126, 16384, 53248, 128, 8);
  divide(&m, 512, 8, 32, 1);
  return m;
}

static struct lb_checkpoint_model bare(uint64_t bytes, int accelerators)
{
  struct lb_checkpoint_model m = llama(-1, 2048, 8192, 32, 8);
  divide(&m, accelerators, 1, 1, 0);
  m.model_bytes = bytes;
  return m;
}

static struct lb_shard shard_of(const struct lb_checkpoint_scheme *s,
                                const struct lb_checkpoint_model *m,
                                int accelerator, int64_t i)
{
  struct lb_shard shard;
  struct lb_shard_ref ref = {.accelerator = accelerator, .i = i};
  s->shard(m, &ref, &shard);
  return shard;
}

/* ---- DLIO's sizes ---- */

/* What a checkpoint of the model has. */
static void dlio_is(const char *what, const struct lb_checkpoint_model *m,
                    int64_t files, uint64_t bytes, uint64_t first,
                    uint64_t last, uint64_t optimizer)
{
  const struct lb_checkpoint_scheme *s = &lb_checkpoint_dlio;
  struct lb_checkpoint_sum sum = {0}, all = {0};
  struct lb_err err = LB_ERR_INIT;
  ok(s->check(m, &err) == 0, "%s: can be", what);
  for (int a = 0; a < m->accelerators; a++) {
    lb_checkpoint_sum(s, m, a, &sum);
    all.files += sum.files;
    all.bytes += sum.bytes;
    if (a == 0)
      is_int(sum.bytes, first, "%s: bytes of accelerator 0", what);
  }
  is_int(sum.bytes, last, "%s: of the last", what);
  is_int(sum.optimizer_bytes, optimizer, "%s: its optimizer's", what);
  is_int(all.bytes, bytes, "%s: of all", what);
  is_int(all.files, files, "%s: files", what);
}

static void test_mlperf(void)
{
  struct lb_checkpoint_model m = llama_8b();
  dlio_is("8b", &m, 16, 112425623552, 2007565312 + 12045637632,
          2007565312 + 12045637632, 12045637632);
  m = llama(80, 8192, 28672, 128, 8);
  divide(&m, 64, 8, 1, 3);
  dlio_is("70b", &m, 128, 978406572032, 2184120320 + 13103482368,
          2184120320 + 13103482368, 13103482368);
  m = llama_405b();
  dlio_is("405b", &m, 1544, 5682508791808, 3713269760 + 9513171840, 9513171840,
          9513171840);
  m = llama(128, 25872, 98304, 192, 32);
  divide(&m, 1024, 8, 64, 1);
  dlio_is("1t", &m, 2072, 16564174094592, 5425047936 + 13865244924, 13865244924,
          13865244924);
}

static void test_stages_of_zero(void)
{
  struct lb_checkpoint_model m = llama_8b();
  m.zero = 1;
  dlio_is("ZeRO 1", &m, 9, 112425623552, 28106160128, 12045637632, 12045637632);
  m.zero = 2;
  dlio_is("ZeRO 2", &m, 9, 112425623552, 28106160128, 12045637632, 12045637632);
  divide(&m, 4, 2, 1, 0); /* the first copy alone */
  dlio_is("ZeRO 0", &m, 4, 112424681472, 56212340736, 0, 0);
  m = llama(7, 64, 256, 8, 2); /* 7 layers in 3 stages: 3, 2, 2 */
  m.vocab = 1000;
  divide(&m, 12, 2, 3, 1);
  dlio_is("uneven", &m, 32, 7673856, 242944 + 548544, 548544, 548544);
  m = llama_405b();
  m.accelerators = 8;
  m.subset = true;
  m.data = 2;
  dlio_is("subset", &m, 48, 105811532800, 13226441600, 13226441600, 9513171840);
  m = llama_8b(); /* bytes of the types */
  m.weights = lb_model_dtype_find("fp32");
  m.optimizer = lb_model_dtype_find("bf16");
  dlio_is("types", &m, 16, UINT64_C(2) * 16060522496 + 4 * 12045637632,
          10037949440, 10037949440, 6022818816);
}

/* What megatron_deepspeed gives: layers and groups in bytes. */
static void test_given(void)
{
  struct lb_checkpoint_model m = bare(30102, 64);
  const uint64_t optimizer = 5625369600;
  const uint64_t layer = (52583936 + 209715200) / 4;
  struct lb_tensor t;
  struct lb_shard_ref ref = {.accelerator = 33, .i = 1};
  m.layers = 40;
  m.layer_parameters = (struct lb_ints){.v = {52583936, 209715200, 0}, .n = 3};
  m.optimization_groups =
      (struct lb_ints){.v = {1009254400, 865075200, 0, 793600}, .n = 4};
  divide(&m, 64, 4, 8, 1);
  dlio_is("given", &m, 64 * 2 + 32 * 5,
          64 * (optimizer + 30102) + 32 * 5 * layer,
          30102 + 5 * layer + optimizer, 30102 + optimizer, optimizer);
  struct lb_shard s = shard_of(&lb_checkpoint_dlio, &m, 33, 1);
  is_int(s.tensors, 2 * 3 + 1, "two tensors a group, and all of them");
  lb_checkpoint_dlio.tensor(&m, &ref, 5, &t);
  is_str(t.name, "3.b", "an empty group has none");
  is_int(t.elements, 793600, "its size");
  lb_checkpoint_dlio.tensor(&m, &ref, 6, &t);
  is_str(t.name, "combined", "all of them, last");
}

/* ---- names ---- */

static void named(const struct lb_checkpoint_scheme *s,
                  const struct lb_checkpoint_model *m, int accelerator,
                  int64_t i, const char *name)
{
  struct lb_shard shard = shard_of(s, m, accelerator, i);
  is_str(shard.name, name, "%s: accelerator %d, file %d", s->name, accelerator,
         (int)i);
}

static void test_names(void)
{
  const struct lb_checkpoint_scheme *s = &lb_checkpoint_dlio;
  struct lb_checkpoint_model m = bare(12345678901, 8);
  named(s, &m, 0, 0, "model_states-0.pt");
  is_int(s->count(&m, 0, 0), 1, "rank_zero: accelerator 0 writes");
  is_int(s->count(&m, 0, 1) + s->count(&m, 0, 7), 0, "the others do not");
  m.all_ranks = true;
  named(s, &m, 7, 0, "model_states-7.pt");
  is_int(s->count(&m, 0, 7), 1, "all_ranks: all do");
  m = llama_8b();
  named(s, &m, 5, 0, "zero_pp_rank_5_mp_rank_0_model_states.pt");
  named(s, &m, 5, 1, "zero_pp_rank_5_mp_rank_0_optim_states.pt");
  m.zero = 1;
  named(s, &m, 0, 0, "model_0_model_states.pt");
  named(s, &m, 0, 1, "zero_pp_rank_0_mp_rank_0_optim_states.pt");
  named(s, &m, 3, 0, "zero_pp_rank_3_mp_rank_0_optim_states.pt");
  m = llama_405b(); /* 126 layers in 32 stages: 30 of 4, 2 of 3 */
  named(s, &m, 0, 0, "layer_0-model_0_model_states.pt");
  named(s, &m, 7, 4, "layer_4-model_7_model_states.pt");
  named(s, &m, 8, 0, "layer_5-model_8_model_states.pt");
  named(s, &m, 255, 0, "layer_124-model_255_model_states.pt");
  named(s, &m, 255, 4, "layer_128-model_255_model_states.pt");
  named(s, &m, 255, 5, "zero_pp_rank_0_mp_rank_255_optim_states.pt");
  named(s, &m, 511, 0, "zero_pp_rank_1_mp_rank_255_optim_states.pt");
}

/* Layers 0 to 2 by the first stage, 3 to 6 by the second: none twice. */
static void test_layers(void)
{
  struct lb_checkpoint_model m = llama(4, 64, 256, 8, 2);
  int seen[7] = {0}, wrong = 0, layer, part;
  divide(&m, 2, 1, 2, 1);
  for (int a = 0; a < 2; a++)
    for (int64_t i = 0; i + 1 < lb_checkpoint_dlio.count(&m, 0, a); i++) {
      struct lb_shard s = shard_of(&lb_checkpoint_dlio, &m, a, i);
      if (sscanf(s.name, "layer_%d-model_%d_", &layer, &part) != 2 ||
          layer < 0 || layer > 6 || part != a || (layer > 2) != a)
        wrong++;
      else
        seen[layer]++;
    }
  for (int i = 0; i < 7; i++)
    wrong += seen[i] != 1;
  is_int(wrong, 0, "layers 0..2 on the first stage, 3..6 on the second");
}

/* ---- all schemes ---- */

static void test_table(void)
{
  ok(lb_checkpoint_find("no such") == NULL, "not found");
  for (int i = 0; lb_checkpoint_schemes[i]; i++) {
    const struct lb_checkpoint_scheme *s = lb_checkpoint_schemes[i];
    size_t n = strlen(s->doc);
    ok(lb_checkpoint_find(s->name) == s, "%s: found by name", s->name);
    ok(n && s->doc[n - 1] == '.', "%s: says what it is", s->name);
    ok(s->stages > 0 && s->check && s->count && s->shard && s->tensor,
       "%s: has what it must", s->name);
    ok(!s->load || (s->load_stages > 0 && s->load_count), "%s: loads in stages",
       s->name);
  }
}

/* Are the tensors of a file what the file says?  Returns faults. */
static int tensors_wrong(const struct lb_checkpoint_scheme *s,
                         const struct lb_checkpoint_model *m,
                         const struct lb_shard_ref *ref)
{
  struct lb_shard shard;
  struct lb_tensor t, before = {.name = ""};
  uint64_t sum = 0;
  int wrong = 0;
  s->shard(m, ref, &shard);
  for (int64_t i = 0; i < shard.tensors; i++) {
    s->tensor(m, ref, i, &t);
    sum += t.elements * (uint64_t)t.dtype->bytes;
    wrong += t.elements == 0 || !strcmp(t.name, before.name);
    before = t;
  }
  if (shard.layout == LB_SHARD_PLAIN)
    return shard.tensors != 0;
  return wrong + (sum != shard.bytes);
}

static void add_up(const char *what, const struct lb_checkpoint_model *m)
{
  for (int i = 0; lb_checkpoint_schemes[i]; i++) {
    const struct lb_checkpoint_scheme *s = lb_checkpoint_schemes[i];
    int wrong = 0, files = 0;
    struct lb_shard_ref ref;
    for (ref.stage = 0; ref.stage < s->stages; ref.stage++)
      for (ref.accelerator = 0; ref.accelerator < m->accelerators;
           ref.accelerator++)
        for (ref.i = 0; ref.i < s->count(m, ref.stage, ref.accelerator);
             ref.i++, files++)
          wrong += tensors_wrong(s, m, &ref);
    ok(wrong == 0 && files > 0, "%s, %s: tensors of %d files: %d wrong", what,
       s->name, files, wrong);
  }
}

static void test_tensors(void)
{
  struct lb_checkpoint_model m = llama_8b();
  add_up("8b", &m);
  m.zero = 1;
  add_up("8b, ZeRO 1", &m);
  m = llama(7, 64, 256, 8, 2);
  divide(&m, 100, 1, 1, 3); /* more than a norm has elements */
  add_up("small", &m);
  divide(&m, 12, 2, 3, 1);
  add_up("uneven", &m);
  m.layer_parameters = (struct lb_ints){.v = {1000, 0, 7}, .n = 3};
  m.optimization_groups = (struct lb_ints){.v = {50, 0, 9}, .n = 3};
  m.model_bytes = 5;
  add_up("given", &m);
  m = bare(1001, 4);
  add_up("bare", &m);
}

static uint64_t saved(const struct lb_checkpoint_scheme *s,
                      const struct lb_checkpoint_model *m)
{
  uint64_t all = 0;
  for (int a = 0; a < m->accelerators; a++)
    all += lb_checkpoint_bytes(s, m, a);
  return all;
}

static uint64_t loaded(const struct lb_checkpoint_scheme *s,
                       const struct lb_checkpoint_model *m, int readers)
{
  uint64_t all = 0;
  for (int r = 0; r < readers; r++)
    all += lb_checkpoint_load_bytes(s, m, readers, r);
  return all;
}

static void test_whole_state(void)
{
  const uint64_t state = UINT64_C(8030261248) * (2 + 3 * 4);
  /* of one piece each of 1 + 32 x 6 + 1 + 1 tensors, and three moments */
  const uint64_t tensors = 4 * (1 + 32 * 6 + 2);
  struct lb_checkpoint_model m = llama_8b();
  struct lb_shard_ref first = {.stage = 1};
  struct lb_shard shard;
  m.accelerators = 7; /* rows do not divide */
  is_int(saved(&lb_checkpoint_ddp, &m), state, "ddp: parameters x 14 bytes");
  is_int(loaded(&lb_checkpoint_ddp, &m, 7), 7 * state, "all read it");
  is_int(saved(&lb_checkpoint_full_state_dict, &m), state,
         "gathered: the same");
  is_int(loaded(&lb_checkpoint_full_state_dict, &m, 5), state, "one reads it");
  is_int(saved(&lb_checkpoint_consolidate, &m), state,
         "consolidate: in pieces");
  is_int(loaded(&lb_checkpoint_consolidate, &m, 3), 3 * state,
         "all of 3 readers read all");
  lb_checkpoint_fsdp.shard(&m, &first, &shard);
  is_str(shard.name, ".metadata", "fsdp: says where everything is");
  is_int(shard.bytes, 512 + tensors * (124 + 7 * 135), "its size");
  is_int(saved(&lb_checkpoint_fsdp, &m), state + shard.bytes, "fsdp: all rows");
  is_int(loaded(&lb_checkpoint_fsdp, &m, 7), state + 7 * shard.bytes,
         "each reads .metadata and its own");
  named(&lb_checkpoint_fsdp, &m, 6, 0, "__6_0.distcp");
  named(&lb_checkpoint_consolidate, &m, 6, 0, "state_00007-of-00007.pt");
  is_int(loaded(&lb_checkpoint_dlio, &m, 7), saved(&lb_checkpoint_dlio, &m),
         "dlio: each reads what it wrote");
}

/* Rows as torch.chunk deals them out: 10 over 4 are 3, 3, 3, 1. */
static void test_rows(void)
{
  struct lb_checkpoint_model m = bare(10, 4);
  const int rows[] = {3, 3, 3, 1};
  for (int a = 0; a < 4; a++)
    is_int(shard_of(&lb_checkpoint_fsdp, &m, a, 0).bytes, rows[a],
           "piece %d of 10 rows", a);
  m.accelerators = 7; /* 2, 2, 2, 2, 2, 0, 0 */
  is_int(lb_checkpoint_fsdp.count(&m, 0, 4), 1, "the last that has any");
  is_int(lb_checkpoint_fsdp.count(&m, 0, 5), 0, "who has none writes no file");
}

/* ---- what cannot be ---- */

static void refused(const struct lb_checkpoint_scheme *s,
                    const struct lb_checkpoint_model *m, const char *a,
                    const char *b)
{
  struct lb_err err = LB_ERR_INIT;
  ok(s->check(m, &err) == -LB_USAGE && strstr(err.msg, a) && strstr(err.msg, b),
     "refused: %s", err.msg);
}

static void test_refused(void)
{
  const struct lb_checkpoint_scheme *s = &lb_checkpoint_dlio;
  struct lb_checkpoint_model m = llama_405b();
  m.accelerators = 408;
  refused(s, &m, "tensor 8 x pipeline 32 = 256 accelerators", "408");
  m.accelerators = 512;
  m.data = 3;
  refused(s, &m, "data 3 = 768", "512 accelerators");
  m.subset = true;
  m.accelerators = 769;
  refused(s, &m, "769 accelerators", "= 768");
  m.data = -1;
  refused(s, &m, "subset needs", "model.parallelism.data");
  refused(&lb_checkpoint_fsdp, &m, "subset", "dlio");
  m.data = 1000000000;
  m.tensor = m.pipeline = 1000000;
  refused(s, &m, "data 1000000000", "can be counted");
  m = llama_8b();
  m.pipeline = 2;
  refused(s, &m, "zero_stage: 3", "pipeline 2");
  m = llama_8b();
  divide(&m, 64, 1, 64, 1);
  refused(s, &m, "64 stages", "32 layers");
  m = llama_8b();
  m.heads = 5000;
  refused(s, &m, "5000 heads", "4096");
  m = llama_8b();
  m.hidden = m.ffn = 1000000000;
  refused(s, &m, "can be counted", "model");
  m = bare(0, 1);
  m.layer_parameters = (struct lb_ints){.v = {5}, .n = 1};
  refused(s, &m, "layer_parameters: 1", "num_layers is -1");
}

int main(void)
{
  test_table();
  test_mlperf();
  test_stages_of_zero();
  test_given();
  test_names();
  test_layers();
  test_tensors();
  test_whole_state();
  test_rows();
  test_refused();
  return done();
}
