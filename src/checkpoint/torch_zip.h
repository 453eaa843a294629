/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of the zip archive around tensors, as PyTorch's writer lays them
 * out.  Only for src/checkpoint. */
#ifndef LB_TORCH_ZIP_H
#define LB_TORCH_ZIP_H

#include <stddef.h>
#include <stdint.h>

#include "loadbank/torch_file.h"

enum {
  LB_TORCH_LOCAL = 30,   /* a member's header without name and extra fields */
  LB_TORCH_CENTRAL = 46, /* its entry in the directory, likewise */
  LB_TORCH_ALIGN = 64,   /* of the data */
  /* Members before and behind those of tensors. */
  LB_TORCH_BEFORE = 4,
  LB_TORCH_BEHIND = 2,
};

/* Data of the small record k; NULL: it is not one of constant bytes. */
const char *lb_torch_record(const struct lb_torch_archive *a, int64_t k);
/* Is member k the archive's identity, of 40 digits? */
bool lb_torch_is_id(const struct lb_torch_archive *a, int64_t k);

/* Bytes of its entry in the directory. */
uint32_t lb_torch_central_bytes(const struct lb_torch_member *m);

/* Each writes one record; its bytes. */
size_t lb_torch_put_local(const struct lb_torch_member *m, unsigned char *out);
size_t lb_torch_put_descriptor(const struct lb_torch_member *m, uint32_t crc,
                               unsigned char *out);
size_t lb_torch_put_central(const struct lb_torch_member *m, uint32_t crc,
                            unsigned char *out);
size_t lb_torch_put_end(const struct lb_torch_archive *a, unsigned char *out);

#endif
