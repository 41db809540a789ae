#include "sm/cabling/cabling_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "discovery/text/topo_text.h"
#include "sm/base/file.h"

/* Ten times what ibnetdiscover prints of 40,000 hosts. */
enum { PLAN_MAX_BYTES = 256 << 20 };

/* GUIDs that discovery/text makes up, where a net file has none, are lower: the
 * upper 24 bits of real ones name the maker of the device. */
#define GUID_REAL_MIN (UINT64_C(1) << 40)

/* VLs are not compared: any code of VLCap will do. */
enum { ANY_VL_CAP = 1 };

static void
drop_made_up_guids(struct cabling *c)
{
	for (size_t i = 0; i < c->nnodes; i++)
		if (c->node[i].guid < GUID_REAL_MIN)
			c->node[i].guid = 0;
}

static struct cabling *
read_ibnetdiscover(
	const char *text, size_t n, const char *source, struct reason *why)
{
	struct builder_components all;
	struct cabling *c;

	if (topo_text_parse_pieces(text, n, source, ANY_VL_CAP, &all, why) != 0)
		return NULL;
	c = cabling_new(source);
	for (size_t i = 0; i < all.n; i++)
		cabling_add_topo(c, all.topo[i]);
	builder_components_free(&all);
	drop_made_up_guids(c);
	(void)cabling_seal(c);
	return c;
}

struct cabling *
cabling_read(const char *text, size_t n, const char *source, struct reason *why)
{
	static const char mark[] = "\xef\xbb\xbf"; /* before UTF-8 */
	size_t skip = n >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;

	if (memchr(text, '\0', n) != NULL) {
		(void)reason_set(why, "%s: is not text", source);
		return NULL;
	}
	text += skip;
	n -= skip;
	if (strspn(text, " \t\r\n") == n) {
		(void)reason_set(why, "%s: is empty", source);
		return NULL;
	}
	return cabling_is_ndt(text, n)
		       ? cabling_read_ndt(text, n, source, why)
		       : read_ibnetdiscover(text, n, source, why);
}

struct cabling *
cabling_read_file(const char *path, struct reason *why)
{
	/* O_NONBLOCK: a FIFO must not hang a reload */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct cabling *c = NULL;
	char *text = NULL;
	ssize_t n = fd < 0 ? -1
			   : file_read_regular(
				     fd, (size_t)PLAN_MAX_BYTES + 1, &text);

	if (n < 0)
		(void)reason_set(why, "%s: cannot be read: %s", path,
			errno == EINVAL ? "not a regular file"
					: strerror(errno));
	else if (n > PLAN_MAX_BYTES)
		(void)reason_set(why, "%s: is larger than %d MiB", path,
			PLAN_MAX_BYTES >> 20);
	else
		c = cabling_read(text, (size_t)n, path, why);
	free(text);
	if (fd >= 0)
		(void)close(fd);
	return c;
}
