#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/serve/serve_int.h"

enum { TEXT_MAX = 128 };

static char
type_letter(const struct fabric_node *n)
{
	if (n->type == FABRIC_SWITCH)
		return 'S';
	if (n->type == FABRIC_CA)
		return 'H';
	return 'R';
}

void
serve_node_id(const struct serve *s, uint32_t node, char *out, size_t n)
{
	const struct fabric_node *fn = &s->f->node[node];

	if (fn->id)
		(void)snprintf(out, n, "%s", fn->id);
	else
		(void)snprintf(
			out, n, "%c-%016" PRIx64, type_letter(fn), fn->guid);
}

static bool
parse_guid(const char *text, uint64_t *guid)
{
	char *end;

	if (*text == '\0' || *text == '-' || *text == '+')
		return false;
	errno = 0;
	*guid = strtoull(text, &end, 16);
	return *end == '\0' && errno == 0;
}

/* True if it is the GUID of the node or of one of its ports. */
static bool
has_guid(const struct fabric *f, uint32_t node, uint64_t guid)
{
	const struct fabric_node *n = &f->node[node];

	if (n->guid == guid)
		return true;
	for (unsigned p = 0; p <= n->nports; p++) {
		if (guid && fabric_port(f, node, p)->guid == guid)
			return true;
	}
	return false;
}

static uint32_t
find_guid(const struct fabric *f, uint64_t guid, char type)
{
	for (uint32_t i = 0; i < f->nnodes; i++) {
		if (type ? type_letter(&f->node[i]) == type &&
					f->node[i].guid == guid
			 : has_guid(f, i, guid))
			return i;
	}
	return FABRIC_NONE;
}

static uint32_t
find_text(const struct serve *s, const char *text)
{
	uint32_t found = FABRIC_NONE;

	for (uint32_t i = 0; i < s->f->nnodes; i++) {
		if (s->f->node[i].id && !strcmp(s->f->node[i].id, text))
			return i;
	}
	for (uint32_t i = 0; i < s->f->nnodes; i++) {
		if (strcmp(s->f->node[i].name, text) != 0)
			continue;
		if (found != FABRIC_NONE)
			return FABRIC_NONE; /* ambiguous */
		found = i;
	}
	return found;
}

uint32_t
serve_node_find(const struct serve *s, const char *text)
{
	uint32_t n = find_text(s, text);
	uint64_t guid;

	if (n != FABRIC_NONE)
		return n;
	if (*text && strchr("SHR", *text) && text[1] == '-' &&
		parse_guid(text + 2, &guid))
		return find_guid(s->f, guid, *text);
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X') &&
		parse_guid(text + 2, &guid))
		return find_guid(s->f, guid, 0);
	return FABRIC_NONE;
}

uint32_t
serve_node_port(const struct serve *s, const char *text, unsigned *port)
{
	char name[TEXT_MAX];
	uint32_t n = serve_node_find(s, text);
	size_t len = strlen(text);
	const char *cut;
	char *end;
	unsigned long v;

	*port = 0;
	if (n != FABRIC_NONE || len >= sizeof(name))
		return n;
	cut = strrchr(text, text[len ? len - 1 : 0] == ']' ? '[' : '/');
	if (!cut || cut[1] < '0' || cut[1] > '9')
		return FABRIC_NONE;
	v = strtoul(cut + 1, &end, 10);
	if (strcmp(end, *cut == '[' ? "]" : "") != 0 || v > FABRIC_MAX_PORTS)
		return FABRIC_NONE;
	memcpy(name, text, (size_t)(cut - text));
	name[cut - text] = '\0';
	n = serve_node_find(s, name);
	if (n == FABRIC_NONE || v > s->f->node[n].nports)
		return FABRIC_NONE;
	*port = (unsigned)v;
	return n;
}
