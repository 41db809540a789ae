#include "sm/cabling/cabling_expected.h"

#include <string.h>

#include "sm/base/buf.h"
#include "sm/cabling/cabling_read.h"

/* A relative path starts where the configuration is. */
static void
print_path(const struct config *c, const char *own, struct buf *out)
{
	const char *slash = strrchr(own, '/');

	if (c->fabric.expected[0] != '/' && slash != NULL)
		buf_put(out, own, (size_t)(slash + 1 - own));
	buf_printf(out, "%s", c->fabric.expected);
}

int
cabling_expected_read(const struct config *c, const char *own,
	struct cabling **out, struct reason *why)
{
	struct buf path = {0};
	struct reason bad;

	*out = NULL;
	if (strcmp(c->fabric.expected, "none") == 0)
		return 0;
	print_path(c, own, &path);
	*out = cabling_read_file(path.text, &bad);
	buf_free(&path);
	return *out != NULL ? 0
			    : reason_set(why, "fabric.expected: %s", bad.text);
}
