/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes with the figures of a report: the system's description, raw steps,
 * the files that are written and those that are left alone. */
#include "lb-config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loadbank/json.h"
#include "loadbank/page.h"
#include "loadbank/world.h"
#include "mlperf/report.h"
#include "mlperf_rig.h"
#include "result_rig.h"
#include "tap.h"

/* ---- the system's description ---- */

/* 2 nodes of 2 units and 4 power supplies, of which 2 must be active, at the
 * mean of 900, 900, 900 and 1500 W; a switch of 1 unit and 300 W. */
enum { UNITS = 5, WATTS = 2 * 2 * 1050 + 300 };
static const char description[] =
    "system_under_test:\n"
    "  solution:\n"
    "    submission_name: box\n"
    "    friendly_description: \"A box, red\"\n"
    "    architecture: {storage_location: remote, benchmark_API: file,\n"
    "      product_API: block, client_footprint: open_source,\n"
    "      client_installation: in_box}\n"
    "    capabilities: {multi_host: true, simultaneous_write: true,\n"
    "      simultaneous_read: false, remap_time_in_seconds: 4}\n"
    "  deployment: onprem\n"
    "  total_rack_units: 5\n"
    "  product_nodes:\n"
    "    - friendly_description: Node\n"
    "      quantity: 2\n"
    "      chassis: {model_name: N, rack_units: 2, cpu_model: C, cpu_qty: 2,\n"
    "        cpu_cores: 64, memory_capacity: 512, power: {min_psus_active: 2,\n"
    "        psus_configured: [{unit_count: 3, inlet_voltage: 230,\n"
    "        nameplate_power_watts: 900, efficiency: Gold},\n"
    "        {unit_count: 1, inlet_voltage: 230,\n"
    "        nameplate_power_watts: 1500, efficiency: Gold}]}}\n"
    "      networking: [{unit_count: 1, type: ethernet, state: up,\n"
    "        speed: 100, traffic: [data]}]\n"
    "      operating_system: {name: Os, version: \"9.5\"}\n"
    "  product_switches:\n"
    "    - {unit_count: 1, vendor_name: V, model_name: S, rack_units: 1,\n"
    "       ports: [{unit_count: 32, type: ethernet, state: up, speed: 400,\n"
    "         traffic: [data]}],\n"
    "       power: {min_psus_active: 1, psus_configured: [{unit_count: 2,\n"
    "         inlet_voltage: 230, nameplate_power_watts: 300,\n"
    "         efficiency: Platinum}]}}\n"
    "  clients:\n"
    "    - friendly_description: Client\n"
    "      quantity: 1\n"
    "      chassis: {model_name: C, rack_units: 1, cpu_model: C, cpu_qty: 1,\n"
    "        cpu_cores: 32, memory_capacity: 256, power: {min_psus_active: 1,\n"
    "        psus_configured: [{unit_count: 2, inlet_voltage: 230,\n"
    "        nameplate_power_watts: 500, efficiency: Bronze}]}}\n"
    "      networking: [{unit_count: 1, type: ethernet, state: up,\n"
    "        speed: 100, traffic: [data]}]\n"
    "      operating_system: {name: Os, version: \"9.5\"}\n";

static void test_description(void)
{
  rig_training_tree(RUNS);
  rig_checkpoints(0, 10, 10);
  rig_text(rig_below("closed/acme/systems"), "box.yaml", description);
  json_t *rows = rig_report();
  is_int(json_array_size(rows), 2, "two rows");
  for (size_t i = 0; i < 2; i++) {
    is_int(json_array_size(rig_at(rows, i, "loadbank.notes")), 0, "no note");
    is_near(rig_real(rows, i, "loadbank.rack_units"), UNITS, 0, "rack units");
    is_near(rig_real(rows, i, "loadbank.watts"), WATTS, 0, "watts");
    is_str(rig_text_at(rows, i, "Description"), "A box, red",
           "its description");
    is_str(rig_text_at(rows, i, "Type"), "Failover remote block", "its type");
    is_str(rig_text_at(rows, i, "Access Protocol"), "POSIX", "its protocol");
  }
  is_near(rig_real(rows, 0, "loadbank.recovery_seconds"), 9.5, 1e-9,
          "a load and the remap time");
  is_near(rig_real(rows, 1, "Read GiB/s per RU"), 0.6, 1e-12, "per rack unit");
  is_near(rig_real(rows, 1, "Samples/s per W"), 30.0 / WATTS, 1e-12,
          "per watt");
  json_decref(rows);
  rig_text(rig_below("closed/acme/systems"), "box.yaml", "- 1\n");
  rows = rig_report();
  const char *note =
      json_string_value(json_array_get(rig_at(rows, 1, "loadbank.notes"), 0));
  ok(note && strstr(note, "flaw"), "%s", note ? note : "a note");
  ok(json_is_null(rig_at(rows, 1, "loadbank.watts")), "and no watts");
  json_decref(rows);
}

/* ---- files ---- */

static bool exists(const char *name)
{
  return access(rig_path(rig_below(name), NULL), F_OK) == 0;
}

static ino_t number_of(const char *name)
{
  struct stat st;
  return stat(rig_path(rig_below(name), NULL), &st) ? 0 : st.st_ino;
}

static int write_report(struct lb_err *err)
{
  struct lb_mlperf_report *r;
  *err = (struct lb_err)LB_ERR_INIT;
  int rc = lb_mlperf_report_make(rig_root(), &r, err);
  if (!rc)
    rc = lb_mlperf_report_write(r, err);
  lb_mlperf_report_free(r);
  return rc;
}

static void test_writing(void)
{
  struct lb_err err;
  rig_training_tree(RUNS);
  rig_checkpoints(0, 3, 3);
  is_int(write_report(&err), 0, "written %s", err.msg);
  static const char *const files[] = {
      TRAINING "/results.json",           TRAINING "/results.csv",
      CHECKPOINTS "/results.json",        CHECKPOINTS "/results.csv",
      "closed/acme/results/results.json", "closed/acme/results/results.csv"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    ok(exists(files[i]), "%s", files[i]);
  json_t *one =
      json_load_file(rig_path(rig_below(TRAINING), "results.json"), 0, NULL);
  json_t *all = json_load_file(
      rig_path(rig_below("closed/acme/results"), "results.json"), 0, NULL);
  is_int(json_array_size(one), 1, "a row for the workload");
  is_int(json_array_size(all), 2, "two for the organisation");
  is_str(rig_text_at(all, 1, "Public ID"), rig_text_at(one, 0, "Public ID"),
         "with the same ID");
  ok(strstr(rig_text_at(one, 0, "Public ID"), "loadbank-") != NULL, "of ours");
  ok(json_is_null(rig_at(all, 0, "Public ID")), "none for what is no result");
  json_decref(one);
  json_decref(all);
  ino_t before = number_of(TRAINING "/results.json");
  is_int(write_report(&err), 0, "again %s", err.msg);
  is_int(number_of(TRAINING "/results.json"), before,
         "a file that says the same stays");
  rig_training(5, 96, 6);
  is_int(write_report(&err), 0, "with another run %s", err.msg);
  ok(number_of(TRAINING "/results.json") != before, "it is replaced");
}

static void test_foreign(void)
{
  struct lb_err err;
  rig_training_tree(RUNS);
  rig_text(rig_below(TRAINING), "results.json",
           "[{\"Public ID\": \"v3.0-0001\"}]");
  rig_text(rig_below("closed/acme/results"), "results.csv", "Public ID\nx\n");
  is_int(write_report(&err), -LB_FAILED, "files of another program");
  ok(strstr(err.msg, TRAINING "/results.json") != NULL, "%s", err.msg);
  json_t *rows =
      json_load_file(rig_path(rig_below(TRAINING), "results.json"), 0, NULL);
  is_str(rig_text_at(rows, 0, "Public ID"), "v3.0-0001", "they stay");
  ok(exists(TRAINING "/results.csv") &&
         exists("closed/acme/results/results.json"),
     "the others are written");
  json_decref(rows);
}

static void test_nothing(void)
{
  struct lb_err err = LB_ERR_INIT;
  struct lb_mlperf_report *r;
  rig_new_tree();
  rig_text(rig_below("closed"), "notes.txt", "");
  is_int(lb_mlperf_report_make(rig_root(), &r, &err), -LB_USAGE, "no run");
  ok(strstr(err.msg, "no run in it") && !r, "%s", err.msg);
}

static void test_page(void)
{
  static const char *const words[] = {"not a result: 3 of 6 runs",
                                      LB_MLPERF_STYLE, "<svg",
                                      "the run is interrupted"};
  struct lb_err err = LB_ERR_INIT;
  struct lb_mlperf_report *r;
  struct lb_buf text;
  rig_training_tree(RUNS);
  rig_checkpoints(0, 10, 10);
  rig_change(TRAINING, 3, "summary.json", "loadbank.status",
             json_string("interrupted"));
  lb_mlperf_report_make(rig_root(), &r, &err);
  struct lb_page *page = lb_page_new("a report");
  lb_mlperf_report_page(r, page);
  lb_buf_init(&text, 1 << 24);
  is_int(lb_page_write(page, lb_page_format_of("x.html"), &text, &err), 0,
         "a page %s", err.msg);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    ok(text.data && strstr(text.data, words[i]), "it has '%s'", words[i]);
  lb_buf_fini(&text);
  lb_page_free(page);
  lb_mlperf_report_free(r);
}

/* ---- raw steps ---- */

#ifdef HAVE_HDF5
/* A run that was really recorded: AU of accelerator a is 100 x 100 / (137 - a),
 * T = 137 - a ms for 5 steps of 4 samples. */
static void test_steps(int argc, char **argv)
{
  struct lb_world world;
  struct lb_err err = LB_ERR_INIT;
  struct lb_mlperf_tree t;
  struct lb_mlperf_again again;
  char why[LB_MLPERF_WHY];
  double au = 0, rate = 0;
  is_int(lb_world_init(&world, &argc, &argv, &err), 0, "a world %s", err.msg);
  rig_new_tree();
  const char *leaf = rig_leaf(TRAINING, 0);
  rig_text(rig_below(TRAINING), "x", "");
  rig_write(&world, rig_below(leaf));
  for (int a = 0; a < 3; a++) {
    au += 100 * 100.0 / (137 - a) / 3;
    rate += 20 / ((137 - a) / 1e3);
  }
  is_int(lb_mlperf_tree_read(rig_root(), &t, &err), 0, "read %s", err.msg);
  lb_mlperf_again(&t.leaf[0], &again);
  is_str(again.source, "steps.h5", "from raw steps %s", again.why);
  is_near(again.au, au, 1e-9, "AU");
  is_near(again.samples_per_s, rate, 1e-9, "samples/s");
  is_near(again.seconds, 24 * 0.027, 1e-9, "all steps");
  ok(lb_mlperf_again_agrees(&t.leaf[0], &again, why), "agrees %s", why);
  rig_set(t.leaf[0].file[LB_MLPERF_SUMMARY].json,
          "metric.train_au_mean_percentage", json_real(au + 0.06));
  ok(!lb_mlperf_again_agrees(&t.leaf[0], &again, why) &&
         strstr(why, "steps.h5 gives"),
     "0.06 points more: %s", why);
  lb_mlperf_tree_fini(&t);
  lb_world_fini(&world);
}
#endif

int main(int argc, char **argv)
{
  test_description();
  test_writing();
  test_foreign();
  test_nothing();
  test_page();
#ifdef HAVE_HDF5
  test_steps(argc, argv);
#else
  (void)argc, (void)argv;
#endif
  return done();
}
