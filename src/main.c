/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lb-config.h"

int main(void)
{
  return 0;
}
