#include "tests/e2e/ndtext.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

struct reader {
	struct ndtext *t;
	const char *file;
	unsigned line;
	struct reason *why;
	size_t node_cap, port_cap, sw_cap;
	uint32_t current; /* node of the lines that follow, or NDTEXT_NONE */
};

static int
set_refusal(struct reader *r, const char *what, const char *text)
{
	return reason_set(
		r->why, "%s:%u: %s: %.80s", r->file, r->line, what, text);
}

/* The hex GUID in "S-0123..."; *kind is its letter. NULL if there is none. */
static const char *
parse_key(const char *s, char *kind, uint64_t *guid)
{
	char *end;

	if (s[0] != '"' || s[1] == '\0' || s[2] != '-')
		return NULL;
	*kind = s[1];
	*guid = strtoull(s + 3, &end, 16);
	if (end == s + 3 || *end != '"')
		return NULL;
	return end + 1;
}

/* A number in brackets, "[12]". NULL if there is none up to 254. */
static const char *
parse_port(const char *s, unsigned *num)
{
	unsigned long v;
	char *end;

	if (s[0] != '[')
		return NULL;
	v = strtoul(s + 1, &end, 10);
	if (end == s + 1 || *end != ']' || v > 254)
		return NULL;
	*num = (unsigned)v;
	return end + 1;
}

static struct map *
index_of(struct ndtext *t, char kind)
{
	return &t->by_guid[kind == 'S' ? 0 : 1];
}

/* The quoted text after a '#'; *rest: the text behind it. */
static const char *
quoted_name(struct ndtext *t, const char *s, const char **rest)
{
	const char *hash = strchr(s, '#');
	const char *from = hash ? strchr(hash, '"') : NULL;
	const char *to = NULL;
	char *name;

	/* Names may hold quotes: the last one before " lid" or the end. */
	for (const char *p = from; p && *p; p++)
		if (*p == '"' && p > from)
			to = p;
	*rest = to ? to + 1 : "";
	if (!to)
		return "";
	name = arena_alloc(t->arena, (size_t)(to - from));
	memcpy(name, from + 1, (size_t)(to - from - 1));
	return name;
}

static void
number_after(const char *s, const char *word, unsigned *out)
{
	const char *at = strstr(s, word);

	if (at)
		*out = (unsigned)strtoul(at + strlen(word), NULL, 10);
}

static void
add_ports(struct reader *r, uint32_t node, unsigned nports)
{
	struct ndtext *t = r->t;

	for (unsigned i = 0; i <= nports; i++) {
		t->port = mem_grow(
			t->port, t->nports, &r->port_cap, sizeof(*t->port));
		t->port[t->nports++] = (struct ndtext_port){
			.node = node,
			.peer = NDTEXT_NONE,
			.num = (uint8_t)i,
		};
	}
}

/* "Switch 41 "S-guid"  # "name" enhanced port 0 lid 5 lmc 0". */
static int
read_node(struct reader *r, const char *line, const char *rest)
{
	struct ndtext *t = r->t;
	struct ndtext_node *n;
	unsigned lid = 0, lmc = 0;
	unsigned long nports;
	uint64_t guid;
	char kind, *end;

	nports = strtoul(rest, &end, 10);
	end += strspn(end, " \t");
	rest = parse_key(end, &kind, &guid);
	if (!rest || nports < 1 || nports > 254)
		return set_refusal(r, "not a node", line);
	if (map_get(index_of(t, kind), guid, NULL))
		return set_refusal(r, "node listed twice", line);
	t->node = mem_grow(t->node, t->nnodes, &r->node_cap, sizeof(*t->node));
	n = &t->node[t->nnodes];
	*n = (struct ndtext_node){
		.guid = guid,
		.first = t->nports,
		.sw = NDTEXT_NONE,
		.nports = (uint8_t)nports,
	};
	n->name = quoted_name(t, rest, &rest);
	n->aggregation = strstr(n->name, "Aggregation Node") != NULL;
	map_put(index_of(t, kind), guid, t->nnodes);
	add_ports(r, t->nnodes, (unsigned)nports);
	if (kind == 'S') {
		number_after(rest, " lid ", &lid);
		number_after(rest, " lmc ", &lmc);
		t->port[n->first].lid = (uint16_t)lid;
		t->port[n->first].lmc = (uint8_t)(lmc & 7);
		n->sw = t->nsw;
		t->sw = mem_grow(t->sw, t->nsw, &r->sw_cap, sizeof(*t->sw));
		t->sw[t->nsw++] = t->nnodes;
	}
	t->nnodes++;
	return 0;
}

/*
 * "[1](portguid) "S-guid"[5](guid) # ...": the part before '#' is the link;
 * behind it a CA's own port has " lid 7 lmc 0 ..." first.
 */
static int
read_link(struct reader *r, const char *line)
{
	struct ndtext *t = r->t;
	unsigned num, peer_num, lid = 0, lmc = 0;
	const struct ndtext_node *n;
	const char *s, *hash;
	uint32_t peer, here;
	uint64_t guid;
	char kind;

	s = parse_port(line, &num);
	s = s ? strchr(s, '"') : NULL;
	s = s ? parse_key(s, &kind, &guid) : NULL;
	s = s ? parse_port(s, &peer_num) : NULL;
	if (!s)
		return set_refusal(r, "not a link", line);
	if (r->current == NDTEXT_NONE)
		return set_refusal(r, "link without a node", line);
	n = &t->node[r->current];
	if (!map_get(index_of(t, kind), guid, &peer))
		return set_refusal(
			r, "link to a node that is not listed", line);
	if (num > n->nports || peer_num > t->node[peer].nports)
		return set_refusal(r, "no such port", line);
	here = ndtext_at(t, r->current, num);
	if (t->port[here].peer != NDTEXT_NONE)
		return set_refusal(r, "port listed twice", line);
	t->port[here].peer = ndtext_at(t, peer, peer_num);
	if (n->sw != NDTEXT_NONE)
		return 0;
	if (strncmp(strchr(line, ']'), "](", 2) == 0)
		t->port[here].guid = strtoull(strchr(line, '(') + 1, NULL, 16);
	hash = strchr(s, '#');
	if (hash && strncmp(hash, "# lid ", 6) == 0) {
		number_after(hash, "# lid ", &lid);
		number_after(hash, " lmc ", &lmc);
	}
	t->port[here].lid = (uint16_t)lid;
	t->port[here].lmc = (uint8_t)(lmc & 7);
	return 0;
}

/* The text behind the first word of a node's header line, or NULL. */
static const char *
node_line(const char *line)
{
	static const char *const word[] = {"Switch", "Ca", "Rt"};

	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++) {
		size_t n = strlen(word[i]);

		if (strncmp(line, word[i], n) == 0 &&
			(line[n] == '\t' || line[n] == ' '))
			return line + n;
	}
	return NULL;
}

static int
read_line(struct reader *r, const char *line, bool links)
{
	const char *rest = node_line(line);
	char kind;
	uint64_t guid;

	if (rest && !links)
		return read_node(r, line, rest);
	if (rest) {
		rest = strchr(rest, '"');
		if (rest && parse_key(rest, &kind, &guid))
			map_get(index_of(r->t, kind), guid, &r->current);
		return 0;
	}
	if (links && line[0] == '[')
		return read_link(r, line);
	return 0;
}

static int
read_pass(struct reader *r, FILE *in, bool links)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int rc = 0;

	r->line = 0;
	r->current = NDTEXT_NONE;
	rewind(in);
	while (rc == 0 && (n = getline(&line, &cap, in)) > 0) {
		r->line++;
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		rc = read_line(r, line, links);
	}
	free(line);
	return rc;
}

/* Count links, and links that only one end reports. */
static void
count_links(struct ndtext *t)
{
	uint32_t two_way = 0, loops = 0;

	for (uint32_t p = 0; p < t->nports; p++) {
		uint32_t peer = t->port[p].peer;

		if (peer == NDTEXT_NONE)
			continue;
		t->linked++;
		if (t->port[peer].peer != p)
			t->one_way++;
		else if (peer == p)
			loops++;
		else
			two_way++;
	}
	t->nlinks = two_way / 2 + loops + t->one_way;
}

static uint32_t
highest_lid(const struct ndtext *t)
{
	uint32_t top = 0;

	for (uint32_t p = 0; p < t->nports; p++) {
		const struct ndtext_port *q = &t->port[p];
		uint32_t last = q->lid + (1U << q->lmc) - 1;

		if (q->lid && last > top)
			top = last;
	}
	return top < NDTEXT_LIDS ? top : NDTEXT_LIDS - 1;
}

struct ndtext *
ndtext_read(FILE *in, const char *file, struct reason *why)
{
	struct ndtext *t = mem_zalloc(1, sizeof(*t));
	struct reader r = {.t = t, .file = file, .why = why};
	size_t bytes;

	t->arena = arena_new();
	if (read_pass(&r, in, false) || read_pass(&r, in, true))
		goto fail;
	if (!t->nnodes) {
		reason_set(why, "%s: no nodes in it", file);
		goto fail;
	}
	count_links(t);
	t->stride = highest_lid(t) + 1;
	bytes = (size_t)t->stride * t->nsw;
	t->lft = mem_alloc(bytes);
	memset(t->lft, NDTEXT_DROP, bytes);
	t->has_table = mem_zalloc(t->nsw, 1);
	return t;
fail:
	ndtext_free(t);
	return NULL;
}

void
ndtext_free(struct ndtext *t)
{
	if (!t)
		return;
	arena_free(t->arena);
	map_free(&t->by_guid[0]);
	map_free(&t->by_guid[1]);
	free(t->node);
	free(t->port);
	free(t->sw);
	free(t->lft);
	free(t->has_table);
	free(t);
}

/* "Unicast lids [...] of switch ... guid 0x0123 (name):". */
static int
table_head(struct reader *r, const char *line)
{
	const char *at = strstr(line, " guid 0x");
	uint64_t guid = at ? strtoull(at + 8, NULL, 16) : 0;
	uint32_t node;

	if (!at || !map_get(&r->t->by_guid[0], guid, &node))
		return set_refusal(r, "table of an unknown switch", line);
	r->current = r->t->node[node].sw;
	r->t->has_table[r->current] = 1;
	return 0;
}

/* "0x02bf 017 ..."; *block is the last block that had an entry. */
static void
table_entry(struct reader *r, const char *line, uint32_t *block)
{
	struct ndtext *t = r->t;
	char *end;
	unsigned long lid = strtoul(line, &end, 16);
	unsigned long out = strtoul(end, NULL, 10);

	if (out >= NDTEXT_DROP || lid >= NDTEXT_LIDS)
		return;
	t->entries++;
	if (lid / 64 != *block)
		t->blocks++;
	*block = (uint32_t)lid / 64;
	if (lid >= t->stride)
		t->stray++;
	else
		t->lft[(size_t)r->current * t->stride + lid] = (uint8_t)out;
}

int
ndtext_read_tables(
	struct ndtext *t, FILE *in, const char *file, struct reason *why)
{
	struct reader r = {.t = t, .file = file, .why = why};
	uint32_t block = NDTEXT_NONE;
	char *line = NULL;
	size_t cap = 0;
	int rc = 0;

	r.current = NDTEXT_NONE;
	while (rc == 0 && getline(&line, &cap, in) > 0) {
		r.line++;
		if (strncmp(line, "Unicast lids", 12) == 0) {
			rc = table_head(&r, line);
			block = NDTEXT_NONE;
		} else if (line[0] == '0' && line[1] == 'x') {
			if (r.current == NDTEXT_NONE)
				rc = set_refusal(
					&r, "entry without a switch", line);
			else
				table_entry(&r, line, &block);
		}
	}
	free(line);
	return rc;
}

uint32_t
ndtext_out(const struct ndtext *t, uint32_t sw, uint32_t lid)
{
	const struct ndtext_node *n = &t->node[t->sw[sw]];
	unsigned out = t->lft[(size_t)sw * t->stride + lid];

	if (out > n->nports)
		return NDTEXT_NONE;
	return n->first + out;
}

/* True if a block's entries differ; beyond a table's end they are drops. */
static bool
block_differs(const struct ndtext *a, uint32_t sa, const struct ndtext *b,
	uint32_t sb, uint32_t block)
{
	for (uint32_t lid = block * 64; lid < block * 64 + 64; lid++) {
		uint8_t x = NDTEXT_DROP, y = NDTEXT_DROP;

		if (lid < a->stride)
			x = a->lft[(size_t)sa * a->stride + lid];
		if (lid < b->stride)
			y = b->lft[(size_t)sb * b->stride + lid];
		if (x != y)
			return true;
	}
	return false;
}

uint64_t
ndtext_diff_blocks(const struct ndtext *a, const struct ndtext *b)
{
	uint32_t top = a->stride > b->stride ? a->stride : b->stride;
	uint64_t n = 0;

	for (uint32_t s = 0; s < a->nsw; s++) {
		uint64_t guid = a->node[a->sw[s]].guid;
		uint32_t other;

		if (!map_get(&b->by_guid[0], guid, &other))
			continue;
		for (uint32_t k = 0; k * 64 < top; k++)
			n += block_differs(a, s, b, b->node[other].sw, k);
	}
	return n;
}
