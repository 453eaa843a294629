/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Help texts, all made from the tables of commands, options and topics. */
#include "lb-config.h"

#include "cli/cli_impl.h"

#include <string.h>

enum { WIDTH = 78, DOC_COLUMN = 24 };

/* Words of text from column `at' on, lines begin at `indent'. */
static void put_wrapped(struct lb_buf *out, const char *text, size_t at,
                        size_t indent)
{
  while (*text) {
    size_t n = strcspn(text, " ");
    if (at > indent && at + n > WIDTH) {
      lb_buf_printf(out, "\n%*s", (int)indent, "");
      at = indent;
    }
    lb_buf_add(out, text, n);
    at += n;
    text += n;
    if (*text == ' ') {
      text++;
      if (at + strcspn(text, " ") < WIDTH) {
        lb_buf_puts(out, " ");
        at++;
      } else {
        at = WIDTH;
      }
    }
  }
  lb_buf_puts(out, "\n");
}

void lb_help_entry(struct lb_buf *out, const char *name, const char *doc,
                   size_t column)
{
  size_t at = strlen(name) + 2;
  lb_buf_printf(out, "  %s", name);
  if (at + 2 > column) {
    lb_buf_puts(out, "\n");
    at = 0;
  }
  lb_buf_printf(out, "%*s", (int)(column - at), "");
  put_wrapped(out, doc, column, column);
}

static void put_flag(struct lb_buf *out, const struct lb_flag *f)
{
  char name[LB_FLAG_LEN];
  struct lb_buf left;
  lb_flag_name(f, name);
  lb_buf_init(&left, 200);
  if (f->letter)
    lb_buf_printf(&left, "-%c, ", f->letter);
  lb_buf_puts(&left, name);
  if (f->option.unit)
    lb_buf_printf(&left, "=%s", f->option.unit);
  for (int i = 0; f->option.words && f->option.words[i]; i++)
    lb_buf_printf(&left, "%s%s", i ? "|" : "=", f->option.words[i]);
  if (left.data)
    lb_help_entry(out, left.data, f->option.doc, DOC_COLUMN);
  lb_buf_fini(&left);
}

static void put_flags(struct lb_buf *out, const struct lb_command *c)
{
  lb_buf_puts(out, "\nOptions:\n");
  for (const struct lb_flag *f = lb_flags; f->option.key; f++)
    if (lb_flag_taken(f, c))
      put_flag(out, f);
}

void lb_help_index(struct lb_buf *out)
{
  lb_buf_puts(out,
              "Usage: loadbank COMMAND [OPTION]... [ARGUMENT]...\n\n"
              "Emulates the accelerators of a training job: asks the storage "
              "for the same files\nin the same order at the same pace, and "
              "says how busy they would have been.\n\nCommands:\n");
  for (const struct lb_command *c = lb_commands; c->name; c++)
    lb_help_entry(out, c->name, c->doc, 16);
  put_flags(out, NULL);
  lb_buf_puts(out, "\nTopics (loadbank help TOPIC):\n");
  for (const struct lb_topic *t = lb_topics; t->name; t++)
    lb_help_entry(out, t->name, t->doc, 16);
  lb_buf_puts(
      out, "\nExamples:\n"
           "  loadbank workloads\n"
           "  loadbank plan unet3d_h100 --accelerators 8\n"
           "  loadbank run unet3d_h100 ++workload.workflow.generate_data=True "
           "\\\n"
           "    ++workload.workflow.train=False dataset.data_folder=/mnt/u3d\n"
           "  mpiexec -n 4 loadbank run unet3d_h100 --accelerators 8 \\\n"
           "    dataset.data_folder=/mnt/u3d\n");
}

void lb_help_command(const struct lb_command *c, struct lb_buf *out)
{
  if (c->explain) {
    c->explain(out);
    return;
  }
  lb_buf_printf(out, "Usage: loadbank %s [OPTION]...%s%s\n\n%s\n", c->name,
                c->args[0] ? " " : "", c->args, c->doc);
  if (c->help[0])
    lb_buf_printf(out, "\n%s", c->help);
  put_flags(out, c);
}
