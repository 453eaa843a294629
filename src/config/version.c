/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The version of libyaml in use. */
#include "lb-config.h"

#include "loadbank/versions.h"

#include <yaml.h>

const char *lb_yaml_version(void)
{
  return yaml_get_version_string();
}
