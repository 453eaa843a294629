/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See run_overrides.h. */
#include "lb-config.h"

#include "mlperf/run_overrides.h"

#include <stdlib.h>
#include <string.h>

#include "loadbank/buf.h"
#include "loadbank/config.h"
#include "mlperf/metadata.h"

enum { MAX_LINE = 1 << 16 };

/* Takes the text. */
static int add(struct lb_run_overrides *o, struct lb_buf *text,
               struct lb_err *err)
{
  if (text->failed || !(o->line[o->n] = lb_buf_take(text)))
    lb_err_set(err, LB_FAILED,
               "no memory for overrides, or one is longer than "
               "%d bytes",
               MAX_LINE);
  else
    o->n++;
  lb_buf_fini(text);
  return -err->code;
}

/* As it is when it is one already, or takes something away. */
static bool is_whole(const char *line)
{
  return line[0] == '+' || line[0] == '~' || !strncmp(line, "hydra.", 6) ||
         !strncmp(line, "workload", 8);
}

static bool is_plain(const char *path)
{
  return path[strspn(path, LB_MLPERF_NAME_CHARACTERS "/")] == '\0';
}

static int add_folder(struct lb_run_overrides *o, const char *folder,
                      struct lb_err *err)
{
  struct lb_buf text;
  lb_buf_init(&text, MAX_LINE);
  lb_buf_puts(&text, "++hydra.run.dir=");
  if (is_plain(folder))
    lb_buf_puts(&text, folder);
  else
    lb_yaml_quote(folder, &text);
  if (add(o, &text, err))
    return -err->code;
  lb_buf_init(&text, MAX_LINE);
  lb_buf_puts(&text, "++hydra.output_subdir=" LB_MLPERF_DLIO_CONFIG);
  return add(o, &text, err);
}

int lb_run_overrides_make(const char *const *override, int n,
                          const char *folder, struct lb_run_overrides *out,
                          struct lb_err *err)
{
  *out = (struct lb_run_overrides){
      .line = calloc((size_t)n + 2, sizeof *out->line)};
  if (!out->line)
    return lb_err_set(err, LB_FAILED, "no memory for overrides");
  for (int i = 0; i < n; i++) {
    struct lb_buf text;
    lb_buf_init(&text, MAX_LINE);
    lb_buf_puts(&text, is_whole(override[i]) ? "" : "++workload.");
    lb_buf_puts(&text, override[i]);
    if (add(out, &text, err))
      return -err->code;
  }
  return folder ? add_folder(out, folder, err) : 0;
}

void lb_run_overrides_fini(struct lb_run_overrides *o)
{
  for (int i = 0; i < o->n; i++)
    free(o->line[i]);
  free(o->line);
  *o = (struct lb_run_overrides){.n = 0};
}
