/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lb-config.h"

#include "world/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loadbank/usage.h"

bool lb_proc_parse(struct lb_proc *p, const char *stat)
{
  const char *state = lb_stat_field(stat, 3);
  const char *start = lb_stat_field(stat, 22);
  char *end;
  if (!*state)
    return false;
  p->state = *state;
  p->start = strtoull(start, &end, 10);
  return end > start;
}

static bool read_stat(struct lb_proc *p, const char *path)
{
  char text[1024];
  FILE *f = fopen(path, "re");
  if (!f)
    return false;
  size_t n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[n] = '\0';
  return lb_proc_parse(p, text);
}

static uint64_t own_pid_ns(void)
{
  struct stat st;
  return stat("/proc/self/ns/pid", &st) ? 0 : (uint64_t)st.st_ino;
}

void lb_proc_self(struct lb_proc *p)
{
  *p = (struct lb_proc){.pid = getpid(), .state = '?'};
  p->pid_ns = own_pid_ns();
  read_stat(p, "/proc/self/stat");
}

bool lb_proc_look(struct lb_proc *p)
{
  char path[64];
  struct lb_proc now = {.state = '?'};
  if (!p->pid_ns || p->pid_ns != own_pid_ns())
    return false;
  snprintf(path, sizeof path, "/proc/%d/stat", p->pid);
  if (!read_stat(&now, path) || now.start != p->start)
    return false;
  p->state = now.state;
  return true;
}
