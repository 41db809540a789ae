/*
 * ibnet: fabric files as ibnetdiscover prints them and ibsim reads them.
 *
 * The reader takes real captures as they are: error lines of the tool before
 * the header, missing blank lines, self-loops, unused ports left out, names of
 * any printable text; and ibsim's hand-written nets (free node ids, "Hca",
 * w=12, no GUIDs). What a capture may contain but a fabric does not need is
 * skipped with a warning; what would make the fabric another one than the
 * author meant is refused, with file, line and column.
 *
 * What a node is beyond that stands in a comment of its line: see note.h.
 *
 * The writer's text is read back by the reader, by ibsim and by everything
 * else that reads ibnetdiscover's output.
 */
#ifndef HEDDLE_TESTS_TOPO_IBNET_H
#define HEDDLE_TESTS_TOPO_IBNET_H

#include <stddef.h>

#include "sm/base/buf.h"
#include "sm/base/reason.h"
#include "tests/topo/fabric.h"

/*
 * Parse n bytes of text; file names them in messages. warn (NULL allowed) gets
 * a line per skipped oddity. NULL and a reason when the text is refused.
 */
struct fabric *ibnet_parse(const char *text, size_t n, const char *file,
	struct buf *warn, struct reason *why);

/* ibnet_parse of a whole file. */
struct fabric *ibnet_load(
	const char *path, struct buf *warn, struct reason *why);

/* Append f to out as ibnetdiscover would print it. */
void ibnet_print(const struct fabric *f, struct buf *out);

#endif
