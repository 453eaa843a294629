/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A report as blocks (sections, sentences, tables, pictures, listings), and
 * the formats that it can be written in: rows of a table.
 *
 * Everything that is added is copied; a picture is drawn at once.  When memory
 * runs out the page fails as a whole: lb_page_write says so. */
#ifndef LOADBANK_PAGE_H
#define LOADBANK_PAGE_H

#include "loadbank/buf.h"
#include "loadbank/err.h"
#include "loadbank/picture.h"

struct lb_page;
struct lb_page *lb_page_new(const char *title); /* NULL: no memory */
void lb_page_free(struct lb_page *p);           /* NULL is fine */

/* Level 1 or 2; what follows is in it. */
void lb_page_section(struct lb_page *p, int level, const char *title);
void lb_page_say(struct lb_page *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* columns: NULL at the end.  Then rows of as many cells. */
void lb_page_table(struct lb_page *p, const char *title,
                   const char *const *columns);
void lb_page_cell(struct lb_page *p, const char *text); /* NULL: empty */
void lb_page_number(struct lb_page *p, enum lb_measure q, double value);
/* note: what it shows, and of what; NULL: nothing. */
void lb_page_picture(struct lb_page *p, const struct lb_picture *picture,
                     const char *note);
/* Lines of a file. */
void lb_page_listing(struct lb_page *p, const char *title, const char *text);

struct lb_page_format {
  const char *name;       /* of --format */
  const char *endings[3]; /* of files; NULL at the end */
  const char *doc;
  void (*write)(struct lb_buf *out, const struct lb_page *p);
};
extern const struct lb_page_format *const lb_page_formats[]; /* NULL ends */
/* By the ending of a file's name; NULL: no format has it. */
const struct lb_page_format *lb_page_format_of(const char *path);

int lb_page_write(const struct lb_page *p, const struct lb_page_format *f,
                  struct lb_buf *out, struct lb_err *err);

#endif
