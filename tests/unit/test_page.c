/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One page with text that means something to each format. */
#include "lb-config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "loadbank/page.h"
#include "tap.h"

static struct lb_page *sample(void)
{
  static const char *const columns[] = {"Name", "time", NULL};
  struct lb_page *p = lb_page_new("A <page>");
  lb_page_section(p, 1, "run, \"one\"");
  lb_page_section(p, 2, "Part");
  lb_page_say(p, "%d | *stars* & <tags>.", 3);
  lb_page_table(p, "Times", columns);
  lb_page_cell(p, "a|b, c");
  lb_page_number(p, LB_SECONDS, 0.0125);
  lb_page_cell(p, NULL);
  lb_page_number(p, LB_SECONDS, NAN);
  lb_page_listing(p, "File", "x: ```\n");
  return p;
}

static char *written(const struct lb_page_format *f)
{
  struct lb_page *p = sample();
  struct lb_err err = LB_ERR_INIT;
  struct lb_buf b;
  lb_buf_init(&b, 1 << 20);
  is_int(lb_page_write(p, f, &b, &err), 0, "%s: written", f->name);
  lb_page_free(p);
  return lb_buf_take(&b);
}

static const struct lb_page_format *named(const char *path)
{
  const struct lb_page_format *f = lb_page_format_of(path);
  ok(f != NULL, "%s: a format", path);
  return f;
}

static void json(void)
{
  char *text = written(named("x.json"));
  json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
  json_t *part = json_array_get(json_object_get(o, "sections"), 1);
  json_t *content = json_object_get(part, "content");
  json_t *rows = json_object_get(json_array_get(content, 1), "rows");
  json_t *time = json_object_get(json_array_get(rows, 0), "time");
  is_str(json_string_value(json_object_get(part, "section")), "Part", "a part");
  is_int(json_array_size(rows), 2, "rows");
  is_near(json_number_value(json_object_get(time, "value")), 0.0125, 0,
          "in full");
  is_str(json_string_value(json_object_get(time, "unit")), "s",
         "with its unit");
  time = json_object_get(json_array_get(rows, 1), "time");
  ok(json_is_null(json_object_get(time, "value")), "unknown is null");
  json_decref(o);
  free(text);
}

int main(void)
{
  char *text = written(named("dir.json/x.CSV"));
  is_str(text,
         "result,section,table,row,column,unit,value\n"
         "\"run, \"\"one\"\"\",Part,Times,1,Name,,\"a|b, c\"\n"
         "\"run, \"\"one\"\"\",Part,Times,1,time,s,0.0125\n"
         "\"run, \"\"one\"\"\",Part,Times,2,Name,,\n"
         "\"run, \"\"one\"\"\",Part,Times,2,time,s,\n",
         "CSV");
  free(text);
  text = written(named("x.md"));
  is_str(text,
         "# A \\<page\\>\n\n## run, \"one\"\n\n### Part\n\n"
         "3 \\| \\*stars\\* & \\<tags\\>.\n\n**Times**\n\n"
         "| Name | time |\n| --- | ---: |\n"
         "| a\\|b, c | 12.5 ms |\n|  | none |\n\n"
         "**File**\n\n````\nx: ```\n\n````\n\n",
         "Markdown");
  free(text);
  text = written(named("x.txt"));
  is_str(text,
         "A <page>\n========\n\nrun, \"one\"\n==========\n\n-- Part --\n\n"
         "3 | *stars* & <tags>.\n\nTimes\nName       time\n"
         "a|b, c  12.5 ms\n           none\n\nFile\n\nx: ```\n\n",
         "text");
  free(text);
  text = written(named("x.htm"));
  ok(strstr(text, "<title>A &lt;page&gt;</title>"), "HTML: escaped");
  ok(strstr(text, "<td class=\"n\">12.5 ms</td>"), "numbers at the right");
  ok(!strstr(text, "http:") && !strstr(text, "https:") &&
         !strstr(text, "<script") && !strstr(text, "url("),
     "nothing is fetched, nothing runs");
  free(text);
  json();
  ok(!lb_page_format_of("x.pdf") && !lb_page_format_of("json"), "no others");
  return done();
}
