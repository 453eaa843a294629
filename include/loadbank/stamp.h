/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOADBANK_STAMP_H
#define LOADBANK_STAMP_H

/* Seconds since 1970 of "2026-11-29T21:21:31.123456+00:00".  A fraction may be
 * absent, a blank stand for the T, the offset be another, "Z", without its
 * colon or absent (then UTC, as other programs write it).  NAN: NULL, or no
 * such stamp. */
double lb_stamp_seconds(const char *text);

#endif
