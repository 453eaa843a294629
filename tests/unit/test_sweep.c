/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values, points, order and time of sweeps. */
#include "lb-config.h"

#include "loadbank/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadbank/sweep_file.h"
#include "tap.h"

/* The values, each in <>, or what is wrong. */
static const char *joined(const struct lb_texts *t)
{
  static char out[2000];
  size_t n = 0;
  out[0] = '\0';
  for (size_t i = 0; i < t->n && n < sizeof out; i++)
    n += (size_t)snprintf(out + n, sizeof out - n, "<%s>", t->text[i]);
  return out;
}

static void gives(const char *text, const char *want)
{
  struct lb_texts t = {.n = 0};
  struct lb_err err = LB_ERR_INIT;
  int rc = lb_sweep_values(text, &t, &err);
  is_str(rc ? err.msg : joined(&t), want, "%s", text);
  lb_texts_fini(&t);
}

static void refuses(const char *text, const char *word)
{
  struct lb_texts t = {.n = 0};
  struct lb_err err = LB_ERR_INIT;
  int rc = lb_sweep_values(text, &t, &err);
  ok(rc == -LB_USAGE && strstr(err.msg, word), "'%s' is refused: %s", text,
     err.msg);
  lb_texts_fini(&t);
}

static void test_values(void)
{
  gives("1", "<1>");
  gives("1,2,30", "<1><2><30>");
  gives("a , b", "<a><b>");
  gives("'a,b',\"c,\\\",d\",''", "<'a,b'><\"c,\\\",d\"><''>");
  gives("[1,2],[3]", "<[1,2]><[3]>");
  gives("{mean: 1, stdev: 0.1},{a: [1,2], b: '}'}",
        "<{mean: 1, stdev: 0.1}><{a: [1,2], b: '}'}>");
  gives("1..4", "<1><2><3><4>");
  gives("-1..1", "<-1><0><1>");
  gives("1..16:*2", "<1><2><4><8><16>");
  gives("1..15:*2", "<1><2><4><8>");
  gives("2..9:+3,12", "<2><5><8><12>");
  gives("0.1..0.5:+0.1", "<0.1><0.2><0.3><0.4><0.5>");
  gives("0.5..1:+0.25", "<0.50><0.75><1.00>");
  gives("0.1..0.8:*2", "<0.1><0.2><0.4><0.8>");
  gives("1..4:*1.5", "<1><1.5><2.25><3.375>");
  gives("64KiB..256KiB:*2", "<64KiB><128KiB><256KiB>");
  gives("1MiB..3MiB:+1MiB", "<1MiB><2MiB><3MiB>");
  gives("5..5", "<5>");
  gives("../data,a..b,/x/../y", "<../data><a..b></x/../y>");
  gives("1...3,1..2:3,..3", "<1...3><1..2:3><..3>");
  refuses("1,,2", "empty");
  refuses("1,", "empty");
  refuses("[1,2", "not closed");
  refuses("[1,2}", "not closed");
  refuses("'a,b", "not closed");
  refuses("1],2", "not closed");
  refuses("4..1", "below its beginning");
  refuses("1..4:+0", "above 0");
  refuses("1..4:*1", "above 1");
  refuses("0..4:*2", "above 0");
  refuses("1KiB..4MiB:*2", "same unit");
  refuses("1..2x", "same unit");
  refuses("1..1000000", "more values");
  refuses("choice(1,2)", "functions");
}

static void adds(struct lb_sweep *s, const char *operand)
{
  struct lb_err err = LB_ERR_INIT;
  ok(!lb_sweep_add(s, operand, &err), "%s %s", operand, err.msg);
}

static void test_points(void)
{
  struct lb_sweep s = {.repeat = 2, .seed = 7};
  struct lb_err err = LB_ERR_INIT;
  struct lb_buf text;
  adds(&s, "++workload.a.b=1,2,3");
  adds(&s, "c=x");
  adds(&s, "~d");
  adds(&s, "e=");
  adds(&s, "accelerators=4");
  adds(&s, "f='1,2',g");
  is_int((long)s.n_keys, 3, "keys that are swept");
  is_str(joined(&s.fixed), "<c=x><~d><e=>", "the others are fixed");
  ok(!lb_sweep_count(&s, &err) && s.n_points == 6 && s.n_runs == 12,
     "their product");
  lb_buf_init(&text, 1000);
  lb_sweep_describe(&s, 3, &text);
  is_str(text.data, "a.b=2 accelerators=4 f=g", "the last varies fastest");
  lb_buf_fini(&text);
  is_str(lb_sweep_value_of(&s, 5, "a.b"), "3", "by name");
  ok(!lb_sweep_value_of(&s, 5, "c"), "which c is none of");
  adds(&s, "a.b=9");
  adds(&s, "c=1,2");
  is_str(joined(&s.fixed), "<~d><e=><a.b=9>", "a later one replaces:");
  is_str(s.key[2].name, "c", "a fixed one");
  ok(!lb_sweep_count(&s, &err) && s.n_points == 4, "and a key");
  lb_sweep_fini(&s);
}

static bool has_all(const size_t *run, size_t n, size_t repeat, size_t r)
{
  bool seen[64] = {false};
  for (size_t i = 0; i < n; i++)
    seen[run[i] / repeat] |= run[i] % repeat == r;
  for (size_t i = 0; i < n; i++)
    if (!seen[i])
      return false;
  return true;
}

static void test_order(void)
{
  struct lb_sweep s = {.repeat = 3, .seed = 1};
  struct lb_err err = LB_ERR_INIT;
  adds(&s, "a=1..5");
  adds(&s, "b=1..4");
  lb_sweep_count(&s, &err);
  size_t *run = lb_sweep_order(&s), *again = lb_sweep_order(&s);
  size_t bytes = s.n_runs * sizeof *run, sorted = 0;
  for (size_t r = 0; r < 3; r++)
    ok(has_all(run + 20 * r, 20, 3, r), "part %zu has all points once", r);
  ok(!memcmp(run, again, bytes), "the same order each time");
  free(again);
  s.seed = 2;
  again = lb_sweep_order(&s);
  ok(memcmp(run, again, bytes) != 0, "another one by another seed");
  for (size_t i = 1; i < 20; i++)
    sorted += run[i] > run[i - 1];
  ok(sorted < 17, "not as they are written (%zu of 19 rise)", sorted);
  ok(run[0] / 3 != run[20] / 3 || run[1] / 3 != run[21] / 3,
     "nor the same in each part");
  free(run);
  free(again);
  lb_sweep_fini(&s);
}

static void test_time(void)
{
  static const struct {
    const char *text;
    double seconds; /* 0: refused */
  } limits[] = {{"90", 5400},     {"1:30", 90},      {"2:00:01", 7201},
                {"1-12", 129600}, {"1-0:30", 88200}, {"1-0:0:7", 86407},
                {"0", 0},         {"", 0},           {"1:2:3:4", 0},
                {"4h", 0},        {"-5", 0},         {"1.5", 0},
                {"1:", 0},        {"1-2:3:4:5", 0}};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    struct lb_err err = LB_ERR_INIT;
    double s = 0;
    int rc = lb_sweep_time_limit(limits[i].text, &s, &err);
    ok(limits[i].seconds > 0 ? !rc && s == limits[i].seconds : rc == -LB_USAGE,
       "'%s'", limits[i].text);
  }
  char text[LB_SWEEP_TIME_LEN];
  lb_sweep_time_text(90061.2, text);
  is_str(text, "25:01:02", "rounded up");
  lb_sweep_time_text(0, text);
  is_str(text, "0:00:00", "none");
}

static void test_pace(void)
{
  const struct lb_sweep_took took[] = {{10, 12}, {20, 44}, {0, 3}};
  struct lb_sweep_pace p = lb_sweep_pace(took, 0);
  ok(!p.known && lb_sweep_expect(&p, 7) == 7,
     "nothing known: the compute alone");
  p = lb_sweep_pace(took, 1);
  ok(p.known && lb_sweep_expect(&p, 10) == 12 && lb_sweep_expect(&p, 20) == 22,
     "one run: what it took beside its compute is every run's");
  p = lb_sweep_pace(took, 3);
  /* 2 s beside; at most (44 - 2) / 20 of the compute */
  ok(lb_sweep_expect(&p, 20) == 44 && lb_sweep_expect(&p, 10) == 23,
     "several: the one that waited most");
}

static void test_file(void)
{
  static const char good[] = "workload: unet3d_h100\n"
                             "sweep:\n"
                             "  reader.read_threads: [1, 2]\n"
                             "  train.computation_time: [{mean: 1, stdev: 0.1},"
                             " 0.5]\n"
                             "  accelerators: 1..4:*2\n"
                             "  dataset.file_prefix: ['a,b', \"[x\"]\n"
                             "  dataset.seed: 5\n"
                             "repeat: 3\n";
  static const char *const bad[] = {
      "sweep: [1]\n", "sweep: {a: []}\n", "sweep: {a: 1}\nrepeat: 0\n",
      "sweep: {a: 1}\nepochs: 3\n", "sweep: {a: '4..1'}\n"};
  struct lb_sweep s = {.repeat = 1, .seed = 4};
  struct lb_err err = LB_ERR_INIT;
  char workload[PATH_MAX];
  int rc = lb_sweep_file_read(good, strlen(good), "s.yaml", &s, workload, &err);
  ok(rc == 1 && s.repeat == 3 && s.seed == 4, "a file %s", err.msg);
  is_str(workload, "unet3d_h100", "its workload");
  is_int((long)s.n_keys, 4, "its keys");
  is_str(joined(&s.key[1].values),
         "<{\"mean\": \"1\", \"stdev\": \"0.1\"}><0.5>", "a map is a value");
  is_str(joined(&s.key[2].values), "<1><2><4>", "a text alone is split");
  is_str(joined(&s.key[3].values), "<a,b><\"[x\">",
         "an item of a list is one value");
  is_str(joined(&s.fixed), "<dataset.seed=5>", "one value is fixed");
  lb_sweep_fini(&s);
  rc = lb_sweep_file_read("model: unet\n", 12, "w.yaml", &s, workload, &err);
  ok(rc == 0, "a workload is none");
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct lb_err why = LB_ERR_INIT;
    rc = lb_sweep_file_read(bad[i], strlen(bad[i]), "s.yaml", &s, workload,
                            &why);
    ok(rc == -LB_USAGE && strstr(why.msg, "s.yaml:"), "refused: %s", why.msg);
    lb_sweep_fini(&s);
  }
}

int main(void)
{
  test_values();
  test_points();
  test_order();
  test_time();
  test_pace();
  test_file();
  return done();
}
