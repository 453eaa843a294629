/* SPDX-License-Identifier: GPL-3.0-or-later */
/* <folder>/.hydra/{config,hydra,overrides}.yaml, as tools of DLIO expect. */
#include "lb-config.h"

#include "report/report_impl.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "loadbank/path.h"
#include "loadbank/wholefile.h"

int lb_report_hydra(const struct lb_report *r, struct lb_err *err)
{
  const struct {
    const char *name, *text;
  } files[] = {
      {"config.yaml", r->config_yaml},
      {"hydra.yaml", r->hydra_yaml},
      {"overrides.yaml", r->overrides_yaml},
  };
  if (!r->hydra_subdir || !*r->hydra_subdir)
    return 0;
  char folder[PATH_MAX];
  if (lb_path_join(r->folder, r->hydra_subdir, folder, LB_FAILED, err))
    return -err->code;
  if (mkdir(folder, 0777) && errno != EEXIST)
    return lb_err_sys(err, LB_FAILED, errno, "%s: make the folder", folder);
  int rc = 0;
  for (size_t i = 0; i < sizeof files / sizeof files[0] && !rc; i++)
    if (files[i].text)
      rc = lb_write_file(folder, files[i].name, files[i].text,
                         strlen(files[i].text), err);
  return rc;
}
