/*
 * hostlist: names as Slurm writes many of them: node[01-18,20],login1. Only the
 * number at the end of a name is folded. A range [08-11] stands for 08, 09, 10,
 * 11: numbers have at least the digits of the first.
 */
#ifndef HEDDLE_SM_REPORT_HOSTLIST_H
#define HEDDLE_SM_REPORT_HOSTLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "sm/base/buf.h"

/* Whether a name can stand in a hostlist: letters and digits of ASCII, '-', '_'
 * and '.', and does not begin with '-' or '.'. */
bool hostlist_is_name(const char *name);

/* Append n names, sorted by strverscmp, none twice. */
void hostlist_print(const char *const *name, size_t n, struct buf *out);

#endif
