/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lb-config.h"

#include "world/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* From field `from' to field `to' of a line with blanks between them. */
static const char *to_field(const char *at, int from, int to)
{
  for (at += strspn(at, " "); from < to; from++) {
    at += strcspn(at, " ");
    at += strspn(at, " ");
  }
  return at;
}

bool lb_proc_parse(struct lb_proc *p, const char *stat)
{
  /* The name of the program, in brackets, may itself hold brackets. */
  const char *at = strrchr(stat, ')');
  char *end;
  if (!at || !at[1])
    return false;
  at = to_field(at + 1, 3, 3);
  p->state = *at;
  at = to_field(at, 3, 22);
  p->start = strtoull(at, &end, 10);
  return end > at;
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
