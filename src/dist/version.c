/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The version of GSL in use. */
#include "lb-config.h"

#include "loadbank/versions.h"

#include <gsl/gsl_version.h>

const char *lb_gsl_version(void)
{
  return gsl_version;
}
