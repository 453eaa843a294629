/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lb-config.h"

#include "world/proc.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

static void test_parse(void)
{
  struct lb_proc p = {.state = '?'};
  ok(lb_proc_parse(&p, "12 (a) (b) T 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 "
                       "18 777 20 21\n"),
     "a name with brackets");
  is_int(p.state, 'T', "state");
  is_int(p.start, 777, "start");
  ok(!lb_proc_parse(&p, "12 (a) T 1 2 3"), "too short");
  ok(!lb_proc_parse(&p, ""), "empty");
}

static void test_child(void)
{
  pid_t child = fork();
  if (child == 0) {
    for (;;)
      pause();
  }
  struct lb_proc p;
  lb_proc_self(&p);
  ok(p.start > 0 && p.pid_ns > 0 && p.pid == getpid(), "knows itself");
  ok(lb_proc_look(&p), "and sees itself");
  struct lb_proc other = p;
  other.pid = child;
  other.start = p.start - 1;
  ok(!lb_proc_look(&other), "a pid with another start is not that process");
  other = p;
  other.pid_ns++;
  ok(!lb_proc_look(&other), "nor one of another pid namespace");
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  other = p;
  other.pid = child;
  ok(!lb_proc_look(&other), "nor one that is gone");
}

int main(void)
{
  test_parse();
  test_child();
  return done();
}
