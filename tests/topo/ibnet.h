/*
 * ibnet: fabric files as ibnetdiscover prints them and ibsim reads them.
 *
 * The reader takes real captures as they are: error lines of the tool before
 * the header, missing blank lines, self-loops, unused ports left out, names of
 * any printable text; and ibsim's hand-written nets (free node ids, "Hca",
 * w=12, no GUIDs). Lines that a capture can contain but a fabric does not need
 * are skipped with a warning; errors that would change the fabric are refused,
 * with file, line and column.
 *
 * More attributes of a node are in a comment of its line: see note.h.
 *
 * The writer's text can be read by the reader, by ibsim and by every program
 * that reads ibnetdiscover's output.
 */
#ifndef HEDDLE_TESTS_TOPO_IBNET_H
#define HEDDLE_TESTS_TOPO_IBNET_H

#include <stddef.h>

#include "sm/base/buf.h"
#include "sm/base/reason.h"
#include "tests/topo/fabric.h"

/*
 * Parse n bytes of text; file names them in messages. warn (NULL allowed) gets
 * a line per skipped oddity. NULL and a reason if the text is refused.
 */
struct fabric *ibnet_parse(const char *text, size_t n, const char *file,
	struct buf *warn, struct reason *why);

/* ibnet_parse of a whole file. */
struct fabric *ibnet_load(
	const char *path, struct buf *warn, struct reason *why);

/* Append f to out as ibnetdiscover would print it. */
void ibnet_print(const struct fabric *f, struct buf *out);

#endif
