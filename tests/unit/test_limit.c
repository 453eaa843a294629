/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limited_by: a table of runs and what limited them. */
#include "lb-config.h"

#include "loadbank/limit.h"

#include <math.h>
#include <stddef.h>

#include "tap.h"

static const struct row {
  const char *what;
  struct lb_limit_input in; /* window, load, late, io, cpu, delay, preprocess,
                                lock */
  enum lb_limit_by by;
} rows[] = {
    {"no window", {0, 5, 5, 1, 1, 1, 0, 0}, LB_LIMIT_UNKNOWN},
    {"nothing ran", {0, 0, 0, 0, 0, 0, 0, 0}, LB_LIMIT_UNKNOWN},
    {"no wait at all", {100, 0, 0, 10, 1, 0, 0, 0}, LB_LIMIT_COMPUTE},
    {"wait just below 2 %", {100, 1.99, 0, 10, 0, 0, 0, 0}, LB_LIMIT_COMPUTE},
    {"wait of 2 %, slow storage",
     {100, 2, 0, 10, 0, 0, 0, 0},
     LB_LIMIT_STORAGE},
    {"wait below 2 %, readers busy with themselves",
     {100, 1, 0, 0, 50, 50, 0, 0},
     LB_LIMIT_COMPUTE},
    {"no wait, but late releases",
     {100, 0, 30, 1, 0, 0, 0, 0},
     LB_LIMIT_CLIENT},
    {"no wait, slightly late", {100, 0, 1.9, 1, 0, 0, 0, 0}, LB_LIMIT_COMPUTE},
    {"slow storage", {100, 60, 0.1, 240, 5, 1, 0, 0}, LB_LIMIT_STORAGE},
    {"readers' own CPU dominates",
     {100, 60, 0, 50, 190, 0, 0, 0},
     LB_LIMIT_CLIENT},
    {"exactly half is the storage's",
     {100, 60, 0, 50, 50, 0, 0, 0},
     LB_LIMIT_STORAGE},
    {"a little more than half",
     {100, 60, 0, 50, 50.1, 0, 0, 0},
     LB_LIMIT_CLIENT},
    {"no processor for the readers, counted in the calls",
     {100, 60, 0, 200, 0, 150, 0, 0},
     LB_LIMIT_CLIENT},
    {"no processor for the readers, outside the calls",
     {100, 60, 0, 20, 10, 150, 0, 0},
     LB_LIMIT_CLIENT},
    {"lateness as large as a fast storage's wait",
     {100, 5, 20, 20, 0, 0, 0, 0},
     LB_LIMIT_CLIENT},
    {"lateness small against the wait",
     {100, 40, 5, 160, 1, 1, 0, 0},
     LB_LIMIT_STORAGE},
    {"preprocessing is the job itself",
     {100, 60, 0, 10, 1, 1, 200, 0},
     LB_LIMIT_COMPUTE},
    {"some preprocessing, slow storage",
     {100, 60, 0, 200, 1, 1, 50, 0},
     LB_LIMIT_STORAGE},
    {"some wait for a lock, slow storage",
     {100, 60, 0, 100, 1, 0, 0, 80},
     LB_LIMIT_STORAGE},
    {"readers wait for each other",
     {100, 60, 0, 100, 1, 0, 0, 120},
     LB_LIMIT_CLIENT},
    {"no wait, late by 2 %", {100, 0, 2, 1, 0, 0, 0, 0}, LB_LIMIT_CLIENT},
    {"wait and lateness both below 2 %",
     {100, 1.9, 1.9, 1, 1, 1, 1, 1},
     LB_LIMIT_COMPUTE},
    {"CPU and lock together are more than half",
     {100, 60, 0, 100, 60, 0, 0, 60},
     LB_LIMIT_CLIENT},
    {"readers' own time and lateness together are more than half",
     {100, 30, 20, 100, 25, 0, 0, 0},
     LB_LIMIT_CLIENT},
    {"the job's preprocessing, but steps end later still",
     {100, 20, 30, 1, 1, 0, 80, 0},
     LB_LIMIT_CLIENT},
    {"wait although readers did nothing",
     {100, 60, 0, 0, 0, 0, 0, 0},
     LB_LIMIT_STORAGE},
};

int main(void)
{
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct lb_limit l = lb_limited_by(&rows[i].in);
    is_str(lb_limit_names[l.by], lb_limit_names[rows[i].by], "%s",
           rows[i].what);
    ok(isfinite(l.load_percent) && isfinite(l.late_percent) &&
           l.client_share >= 0 && l.client_share <= 1 && isfinite(l.client_s),
       "evidence is finite");
  }
  struct lb_limit l =
      lb_limited_by(&(struct lb_limit_input){100, 40, 10, 60, 20, 0, 20, 0});
  is_near(l.load_percent, 40, 1e-12, "load percent");
  is_near(l.late_percent, 10, 1e-12, "late percent");
  is_near(l.client_share, 0.2, 1e-12, "20 of 60 + 20 + 20");
  is_near(l.client_s, 18, 1e-12, "40 x 0.2 + 10");
  return done();
}
