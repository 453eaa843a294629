/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The .npy header, what reading costs, and files that are not as configured. */
#include "lb-config.h"

#include "format/npy_header.h"

#include <stdlib.h>
#include <string.h>

#include "format_fixture.h"
#include "tap.h"

static void header(void)
{
  /* As NumPy 1.24 writes it for np.zeros((100000, 1, 3), 'u1', order='F'). */
  static const char text[] =
      "{'descr': '|u1', 'fortran_order': True, 'shape': (100000, 1, 3), }";
  struct lb_format_params p = fixture_params(3);
  struct lb_file f = {.samples = 3, .sample_bytes = 100000};
  struct lb_npy_array a, b;
  struct lb_err err = LB_ERR_INIT;
  char got[LB_NPY_HEADER_MAX], want[128];
  lb_npy_describe(&p, &f, &a, &err);
  lb_npy_header_make(&a, got);
  memset(want, ' ', sizeof want);
  memcpy(want, "\x93NUMPY\1\0\x76\0", 10);
  memcpy(want + 10, text, strlen(text));
  want[127] = '\n';
  is_int(a.header_bytes, 128, "a header of 128 bytes");
  ok(!memcmp(got, want, sizeof want), "byte for byte NumPy's");
  lb_npy_header_parse(&b, got, 128, "f", &err);
  is_str(err.msg, "", "is read again");
  ok(b.n_dims == 3 && b.dims[0] == 100000 && b.dims[1] == 1 && b.dims[2] == 3,
     "with its shape");
  ok(b.fortran && b.bytes == 300000 && !strcmp(b.descr, "|u1"),
     "order, size and element type");
  lb_npy_describe_labels(&f, &a);
  lb_npy_header_make(&a, got);
  ok(strstr(got + 10, "'<i8', 'fortran_order': False, 'shape': (3,), }"),
     "labels are one-dimensional int64");
}

static int parse(const char *version, const char *text, struct lb_npy_array *a,
                 struct lb_err *err)
{
  char bytes[300];
  size_t n = strlen(text), at = version[0] == 1 ? 10 : 12;
  memset(bytes, 0, sizeof bytes);
  memcpy(bytes, "\x93NUMPY", 6);
  memcpy(bytes + 6, version, 2);
  bytes[8] = (char)n;
  memcpy(bytes + at, text, n);
  *err = (struct lb_err)LB_ERR_INIT;
  return lb_npy_header_parse(a, bytes, at + n, "f", err);
}

static void foreign_headers(void)
{
  struct lb_npy_array a;
  struct lb_err err;
  ok(parse("\2\0", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}",
           &a, &err) == 0 &&
         a.bytes == 24 && !a.fortran && a.header_bytes == 69,
     "version 2, C order");
  ok(parse("\3\0", "{'shape': (), 'descr':'>i2','fortran_order': False, }", &a,
           &err) == 0 &&
         a.n_dims == 0 && a.bytes == 2,
     "version 3, other order of keys, a scalar");
  static const char *const bad[] = {
      "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (2,), }",
      "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }",
      "{'descr': '<U5', 'fortran_order': False, 'shape': (2,), }",
      "{'descr': '<i4', 'fortran_order': False, 'shape': (2, x), }",
      "{'descr': '<i4', 'fortran_order': False, 'shape': (-2,), }",
      "{'descr': '<i4', 'fortran_order': False, 'shape': (2,",
      ("{'descr': '<i4', 'fortran_order': False, "
       "'shape': (9999999999, 9999999999, 3), }"),
      "{'descr': '<i4', 'shape': (2,), }",
      "{'descr': '<i4",
      "",
  };
  int taken = 0;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    taken += parse("\1\0", bad[i], &a, &err) == 0 || !strstr(err.msg, "f: ");
  is_int(taken, 0, "what is no plain array is refused");
}

static void cost_of_a_sample(struct fixture *x)
{
  struct lb_format_params p = fixture_params(3);
  struct lb_file f = fixture_file(x, "a.npy", 3, 100000);
  struct lb_err err = LB_ERR_INIT;
  struct cost c;
  fixture_make(&lb_format_npy, &p, &f, &err);
  fixture_read_once(x, &lb_format_npy, &p, &f, &c, &err);
  is_str(err.msg, "", "reads its own file");
  is_int(c.count[LB_OP_OPEN], 1, "one open");
  is_int(c.count[LB_OP_STAT], 2, "two stats");
  /* 4096 | 128, 4096, 294912 in requests of 262144, the last page's 1120 */
  is_int(c.count[LB_OP_READ], 6, "six reads");
  is_int(c.bytes[LB_OP_READ], 4096 + 128 + 300128, "bytes read");
  is_int(c.payload, 300000, "the whole array");
  is_int(c.count[LB_OP_CLOSE], 1, "one close");
}

static void mismatches(struct fixture *x)
{
  struct lb_format_params p = fixture_params(3), q = p;
  struct lb_file f = fixture_file(x, "b.npy", 3, 24), g = f;
  struct lb_err err = LB_ERR_INIT;
  struct cost c;
  fixture_make(&lb_format_npy, &p, &f, &err);
  g.samples = 4;
  fixture_read_once(x, &lb_format_npy, &p, &g, &c, &err);
  ok(strstr(err.msg, "holds 3 samples") && strstr(err.msg, "is 4"),
     "sample count: %s", err.msg);
  q.dtype = lb_dtype_find("int64");
  fixture_read_once(x, &lb_format_npy, &q, &f, &c, &err);
  ok(strstr(err.msg, "'|u1'") && strstr(err.msg, "int64"), "element type: %s",
     err.msg);
  q = p;
  q.n_dims = 2;
  q.dims[0] = 12;
  q.dims[1] = 2;
  fixture_read_once(x, &lb_format_npy, &q, &f, &c, &err);
  ok(strstr(err.msg, "(24, 1)") && strstr(err.msg, "(12, 2)"), "shape: %s",
     err.msg);
  g = f;
  g.sample_bytes = 7;
  struct lb_reader r;
  struct lb_sample s = {.file = g};
  err = (struct lb_err)LB_ERR_INIT;
  lb_reader_init(&r, &lb_format_npy, &p, &err);
  is_int(fixture_read(x, &r, &s, &c, &err), 0, "another size is taken");
  ok(r.samples_seen == 1 && r.sample_bytes_seen == 24, "and measured");
  lb_reader_fini(&r);
}

int main(void)
{
  struct fixture x;
  if (!ok(fixture_init(&x), "storage"))
    return done();
  header();
  foreign_headers();
  cost_of_a_sample(&x);
  mismatches(&x);
  fixture_fini(&x);
  return done();
}
