/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program; all it does is in src/cli and below. */
#include "lb-config.h"

#include "loadbank/cli.h"

int main(int argc, char **argv)
{
  return lb_cli_main(argc, argv);
}
