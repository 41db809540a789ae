/*
 * The files of GUIDs that opensm.conf names: root switches, a GUID and a name a
 * line; and prefix routes, a GID prefix and the GUID of a router's port a line,
 * '*' for any.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "config/import/import_priv.h"
#include "sm/base/map.h"

static bool
parse_guid(const char *s, int base, uint64_t *out)
{
	char *end;

	if (*s == '\0' || strchr("0123456789abcdefABCDEF", *s) == NULL)
		return false;
	*out = strtoull(s, &end, base);
	return *end == '\0' && *out != 0;
}

size_t
import_roots(const struct import_file *f, int indent, struct import_notes *n,
	struct buf *out)
{
	struct import_line line;
	struct map seen = {0};
	size_t at = 0;
	uint64_t guid;

	while (import_next_line(f, &at, &line, n)) {
		if (!parse_guid(line.key, 0, &guid)) {
			import_lost(n, f, line.number, "'%.60s' is not a GUID",
				line.key);
			continue;
		}
		if (map_get(&seen, guid, NULL))
			continue;
		map_put(&seen, guid, 0);
		buf_printf(out, "\n%*s- 0x%016" PRIx64, indent, "", guid);
	}
	at = seen.n;
	map_free(&seen);
	return at;
}

/* A line of the prefix routes; false: it was listed as lost. */
static bool
parse_route(const struct import_file *f, struct import_line *line,
	uint64_t *prefix, uint64_t *guid, struct import_notes *n)
{
	const char *to = line->key;
	char *by = line->rest;

	by[strcspn(by, " \t")] = '\0';
	*prefix = 0;
	if (strcmp(to, "*") != 0 && !parse_guid(to, 16, prefix)) {
		import_lost(
			n, f, line->number, "'%.60s' is not a GID prefix", to);
		return false;
	}
	if (*by == '\0') {
		import_lost(n, f, line->number, "%.60s: without a router", to);
		return false;
	}
	if (strcmp(by, "*") == 0) {
		import_lost(n, f, line->number,
			"%.60s by any router: Heddle needs the GUIDs of the "
			"routers' ports",
			to);
		return false;
	}
	if (!parse_guid(by, 16, guid)) {
		import_lost(n, f, line->number, "'%.60s' is not a GUID", by);
		return false;
	}
	return true;
}

size_t
import_prefix_routes(const struct import_file *f, bool in_section,
	struct import_notes *n, struct buf *out)
{
	struct import_line line;
	struct map seen = {0};
	size_t at = 0;
	uint64_t prefix, guid = 0;
	bool all = false;

	while (import_next_line(f, &at, &line, n)) {
		if (!parse_route(f, &line, &prefix, &guid, n))
			continue;
		if (all || map_get(&seen, prefix, NULL)) {
			import_lost(n, f, line.number,
				"%.60s: an earlier line has this prefix, and "
				"the first counts",
				line.key);
			continue;
		}
		if (seen.n == 0)
			buf_printf(out, "%s  prefix_routes:\n",
				in_section ? "" : "sa:\n");
		all |= prefix == 0;
		map_put(&seen, prefix, 0);
		buf_printf(out,
			"    route%zu:\n      prefix: 0x%016" PRIx64
			"\n      routers: [0x%016" PRIx64 "]\n",
			seen.n, prefix, guid);
	}
	at = seen.n;
	map_free(&seen);
	return at;
}
