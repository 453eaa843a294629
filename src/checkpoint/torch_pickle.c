/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pickle (protocol 2) in which torch.save describes tensors: the very bytes
 * that CPython's pickler makes, with its numbering of the objects and its
 * batches of a dictionary's items. */
#include "lb-config.h"

#include "checkpoint/torch_pickle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct lb_torch_type {
  const char *name;
  const char *global; /* module and class, as a pickle names it */
  bool untyped;       /* came with PyTorch 2: storage of bytes, type apart */
};

static const struct lb_torch_type types[] = {
    {"float64", "torch\nDoubleStorage\n", false},
    {"float32", "torch\nFloatStorage\n", false},
    {"float16", "torch\nHalfStorage\n", false},
    {"bfloat16", "torch\nBFloat16Storage\n", false},
    {"int64", "torch\nLongStorage\n", false},
    {"int32", "torch\nIntStorage\n", false},
    {"int16", "torch\nShortStorage\n", false},
    {"int8", "torch\nCharStorage\n", false},
    {"uint8", "torch\nByteStorage\n", false},
    {"bool", "torch\nBoolStorage\n", false},
    {"complex64", "torch\nComplexFloatStorage\n", false},
    {"complex128", "torch\nComplexDoubleStorage\n", false},
    {"uint16", "torch\nuint16\n", true},
    {"uint32", "torch\nuint32\n", true},
    {"uint64", "torch\nuint64\n", true},
    {"float8", "torch\nfloat8_e4m3fn\n", true},
};
enum { N_TYPES = sizeof types / sizeof types[0] };

/* Objects that tensors share; those of types follow. */
enum shared {
  REBUILD,
  REBUILD_UNTYPED,
  WORD_STORAGE,
  CPU,
  ORDERED_DICT,
  UNTYPED_STORAGE,
  FIRST_TYPE
};
_Static_assert(FIRST_TYPE + N_TYPES <= LB_TORCH_SHARED, "room in the memo");

enum { PICKLE_BATCH = 1000 }; /* items that are set at once */

const struct lb_torch_type *lb_torch_type(const struct lb_dtype *t)
{
  static const char *const shorter[][2] = {{"fp64", "float64"},
                                           {"fp32", "float32"},
                                           {"fp16", "float16"},
                                           {"bf16", "bfloat16"},
                                           {"fp8", "float8"}};
  const char *name = t ? t->name : "";
  for (size_t i = 0; i < sizeof shorter / sizeof shorter[0]; i++)
    if (!strcmp(name, shorter[i][0]))
      name = shorter[i][1];
  for (int i = 0; i < N_TYPES; i++)
    if (!strcmp(types[i].name, name))
      return &types[i];
  return NULL;
}

struct pickler {
  unsigned char *to;
  struct lb_torch_memo *memo;
};

static void code(struct pickler *p, char c)
{
  *p->to++ = (unsigned char)c;
}

static void word(struct pickler *p, uint64_t value, int bytes)
{
  for (int i = 0; i < bytes; i++)
    *p->to++ = (unsigned char)(value >> 8 * i & 0xff);
}

static void text(struct pickler *p, const char *s)
{
  size_t n = strlen(s);
  memcpy(p->to, s, n);
  p->to += n;
}

/* Numbers the object on top of the stack. */
static void put(struct pickler *p)
{
  uint32_t id = p->memo->n++;
  code(p, id < 256 ? 'q' : 'r');
  word(p, id, id < 256 ? 1 : 4);
}

static void string(struct pickler *p, const char *s)
{
  code(p, 'X');
  word(p, strlen(s), 4);
  text(p, s);
  put(p);
}

static void integer(struct pickler *p, uint64_t v)
{
  if (v < 256) {
    code(p, 'K');
    word(p, v, 1);
  } else if (v < 65536) {
    code(p, 'M');
    word(p, v, 2);
  } else if (v <= INT32_MAX) {
    code(p, 'J');
    word(p, v, 4);
  } else {
    int n = 4; /* with the sign, which is 0 */
    while (n < 8 && v >> (8 * n - 1))
      n++;
    n += n == 8 && v >> 63;
    code(p, (char)0x8a);
    word(p, (uint64_t)n, 1);
    word(p, v, n < 8 ? n : 8);
    if (n > 8)
      word(p, 0, 1);
  }
}

/* An object that was mentioned before is fetched.  Was it? */
static bool again(struct pickler *p, int shared)
{
  uint32_t *seen = &p->memo->seen[shared];
  if (!*seen) {
    *seen = p->memo->n + 1;
    return false;
  }
  uint32_t id = *seen - 1;
  code(p, id < 256 ? 'h' : 'j');
  word(p, id, id < 256 ? 1 : 4);
  return true;
}

static void global(struct pickler *p, int shared, const char *name)
{
  if (again(p, shared))
    return;
  code(p, 'c');
  text(p, name);
  put(p);
}

static void shared_string(struct pickler *p, int shared, const char *s)
{
  if (!again(p, shared))
    string(p, s);
}

/* The name of the payload: ('storage', class, key, 'cpu', elements). */
static void storage(struct pickler *p, const struct lb_torch_type *type,
                    const struct lb_tensor *t, int64_t key)
{
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRId64, key);
  code(p, '(');
  shared_string(p, WORD_STORAGE, "storage");
  if (type->untyped)
    global(p, UNTYPED_STORAGE, "torch.storage\nUntypedStorage\n");
  else
    global(p, FIRST_TYPE + (int)(type - types), type->global);
  string(p, digits);
  shared_string(p, CPU, "cpu");
  integer(p, t->elements *
                 (type->untyped ? (uint64_t)t->dtype->bytes : (uint64_t)1));
  code(p, 't');
  put(p);
  code(p, 'Q');
}

/* The call that makes the tensor of its payload: all of it, one dimension, no
 * gradient, no hooks. */
static void tensor(struct pickler *p, const struct lb_tensor *t, int64_t key)
{
  const struct lb_torch_type *type = lb_torch_type(t->dtype);
  if (type->untyped)
    global(p, REBUILD_UNTYPED, "torch._utils\n_rebuild_tensor_v3\n");
  else
    global(p, REBUILD, "torch._utils\n_rebuild_tensor_v2\n");
  code(p, '(');
  storage(p, type, t, key);
  integer(p, 0); /* offset */
  integer(p, t->elements);
  code(p, (char)0x85);
  put(p);
  integer(p, 1); /* stride */
  code(p, (char)0x85);
  put(p);
  code(p, (char)0x89); /* no gradient */
  global(p, ORDERED_DICT, "collections\nOrderedDict\n");
  text(p, ")R");
  put(p);
  if (type->untyped)
    global(p, FIRST_TYPE + (int)(type - types), type->global);
  code(p, 't');
  put(p);
  code(p, 'R');
  put(p);
}

/* What stands before item t of a dictionary, and behind it. */
static void before(struct pickler *p, const struct lb_torch_archive *a,
                   int64_t t)
{
  if (t == 0) {
    text(p, "\x80\x02");
    if (a->file->items)
      return;
    code(p, '}');
    put(p);
  }
  if (a->tensors > 1 && t % PICKLE_BATCH == 0)
    code(p, '('); /* the last batch may be empty */
}

static void behind(struct pickler *p, const struct lb_torch_archive *a,
                   int64_t t)
{
  if (a->file->items)
    return;
  if (a->tensors == 1)
    code(p, 's');
  else if (t % PICKLE_BATCH == PICKLE_BATCH - 1)
    code(p, 'u');
}

/* The end, and that of a batch that is not full. */
static void finish(struct pickler *p, const struct lb_torch_archive *a)
{
  int64_t n = a->tensors;
  if (n == 0 || (n > 1 && n % PICKLE_BATCH == 0))
    before(p, a, n);
  if (!a->file->items && n > 1)
    code(p, 'u');
  code(p, '.');
}

size_t lb_torch_pickle(const struct lb_torch_archive *a, int64_t piece,
                       struct lb_torch_memo *memo,
                       unsigned char out[LB_TORCH_PIECE])
{
  struct pickler p = {.to = out, .memo = memo};
  if (piece == a->tensors) {
    finish(&p, a);
    return (size_t)(p.to - out);
  }
  struct lb_tensor t;
  a->file->tensor(a->file->arg, a->first + piece, &t);
  before(&p, a, piece);
  if (!a->file->items)
    string(&p, t.name);
  tensor(&p, &t, piece);
  behind(&p, a, piece);
  return (size_t)(p.to - out);
}

uint64_t lb_torch_pickle_bytes(const struct lb_torch_archive *a)
{
  struct lb_torch_memo memo = {.n = 0};
  unsigned char piece[LB_TORCH_PIECE];
  uint64_t sum = 0;
  for (int64_t i = 0; i <= a->tensors; i++)
    sum += lb_torch_pickle(a, i, &memo, piece);
  return sum;
}
