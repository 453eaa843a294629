/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every row of the table of backends. */
#include "lb-config.h"

#include "loadbank/storage.h"

#include <string.h>

#include "loadbank/simulated.h"
#include "tap.h"

static void check_row(const struct lb_backend *b)
{
  ok(lb_backend_find(b->name) == b, "%s: found by a name of its own", b->name);
  ok(b->doc && b->doc[strlen(b->doc) - 1] == '.', "%s: a sentence", b->name);
  if (b->unavailable)
    return;
  ok(b->open && b->close && (b->is_virtual ? !!b->charge : !!b->perform),
     "%s: the hooks of its kind", b->name);
  ok(!b->n_options == !b->options_size && !b->n_options == !b->options,
     "%s: options and their size", b->name);
  for (size_t i = 0; i < b->n_options; i++) {
    const struct lb_option *o = &b->options[i];
    ok(o->key && o->doc && o->doc[strlen(o->doc) - 1] == '.' && o->def &&
           o->offset + o->size <= b->options_size,
       "%s: option %s", b->name, o->key);
  }
}

int main(void)
{
  for (const struct lb_backend *const *b = lb_backends; *b; b++)
    check_row(*b);
  ok(!lb_backend_find("tape"), "an unknown name is not found");
  static const char *const later[] = {"s3", "s3dlio", "aistore", "adls_gen2"};
  for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
    const struct lb_backend *b = lb_backend_find(later[i]);
    ok(b && b->unavailable, "%s is known, to come", later[i]);
  }
  struct lb_storage *s;
  struct lb_err err = LB_ERR_INIT;
  is_int(lb_storage_open(&s, lb_backend_find("s3"), NULL, NULL, &err),
         -LB_FAILED, "and cannot be opened");
  is_str(err.msg, "storage 's3': not supported yet", "for its reason");
  ok(!s, "there is nothing to close");
  lb_storage_close(NULL);

  const struct lb_backend *b = lb_backend_find("simulated");
  is_int(b->options[0].type, LB_OPT_INT, "type of simulated.read_bandwidth");
  is_int(b->options[2].type, LB_OPT_DIST, "type of simulated.open_latency");
  is_int(b->options[6].type, LB_OPT_WORD, "type of simulated.scope");
  is_str(b->options[6].words[LB_SCOPE_NODE], "node", "words follow enum");
  return done();
}
