#include "sm/cabling/cabling_match.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/hash.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"

/* A chain of replaced nodes that hang on each other is followed so far. */
enum { ROUNDS = 4 };

enum { SHORT_NAME = 160 };

struct matching {
	const struct cabling *plan, *fabric;
	struct cabling_match *out;
	struct map full, brief; /* fabric nodes by names; CABLING_NONE: several
				   have it */
};

static void
join_nodes(struct matching *m, uint32_t p, uint32_t f, enum cabling_how how)
{
	m->out->is[p] = f;
	m->out->planned[f] = p;
	m->out->how[p] = (uint8_t)how;
	m->out->known += how != CABLING_BY_LINKS;
}

/* ---- by GUID ---- */

static void
match_guids(struct matching *m)
{
	struct map guids = {0};
	uint32_t f;

	for (size_t i = m->fabric->nnodes; i-- > 0;)
		map_put(&guids, m->fabric->node[i].guid, (uint32_t)i);
	for (uint32_t p = 0; p < m->plan->nnodes; p++)
		if (m->plan->node[p].guid != 0 &&
			map_get(&guids, m->plan->node[p].guid, &f) &&
			m->out->planned[f] == CABLING_NONE)
			join_nodes(m, p, f, CABLING_BY_GUID);
	map_free(&guids);
}

/* ---- by name ---- */

/* The number that is at *s behind this letter, with the slash before it. */
static bool
take_part(const char **s, char letter, unsigned *out)
{
	char *end;

	if ((*s)[0] != '/' || (*s)[1] != letter ||
		!isdigit((unsigned char)(*s)[2]))
		return false;
	*out = (unsigned)strtoul(*s + 2, &end, 10);
	*s = end;
	return true;
}

/*
 * The short form of a NodeDescription; false: it has none. A managed switch is
 * "MF0;NAME:MODEL/U1", an ASIC of a director "MF0;NAME:MODEL/L3/U1" or
 * "/S3/U1".
 */
static bool
short_name(const char *desc, char out[SHORT_NAME])
{
	const char *name = strchr(desc, ';'), *rest;
	size_t word = strcspn(desc, " ");
	unsigned part, asic;
	char letter;

	rest = name != NULL ? strchr(name, ':') : NULL;
	if (rest == NULL) {
		(void)snprintf(out, SHORT_NAME, "%.*s", (int)word, desc);
		return desc[word] != '\0' && word > 0;
	}
	name++;
	(void)snprintf(out, SHORT_NAME, "%.*s", (int)(rest - name), name);
	rest = strchr(rest, '/');
	if (rest == NULL)
		return true;
	letter = rest[1] == 'S' ? 'S' : 'L';
	if (take_part(&rest, letter, &part) && take_part(&rest, 'U', &asic))
		(void)snprintf(out, SHORT_NAME, "%.*s/%c%u/U%u",
			(int)(strchr(name, ':') - name), name, letter, part,
			asic);
	return true;
}

static uint64_t
hash_name(const char *name)
{
	return fnv_more(FNV_START, name, strlen(name));
}

static void
put_name(struct map *names, const char *name, uint32_t node)
{
	uint64_t key = hash_name(name);

	map_put(names, key, map_get(names, key, NULL) ? CABLING_NONE : node);
}

static void
index_names(struct matching *m)
{
	char brief[SHORT_NAME];

	for (uint32_t f = 0; f < m->fabric->nnodes; f++) {
		const char *name = m->fabric->node[f].name;

		if (*name == '\0')
			continue;
		put_name(&m->full, name, f);
		if (short_name(name, brief))
			put_name(&m->brief, brief, f);
	}
}

/* Whether a node with this description has the name, in full or in short. */
static bool
has_name(const char *desc, const char *name)
{
	char brief[SHORT_NAME], planned[SHORT_NAME];

	if (strcmp(desc, name) == 0)
		return true;
	if (!short_name(desc, brief))
		return false;
	return strcmp(brief, name) == 0 ||
	       (strchr(name, ';') != NULL && short_name(name, planned) &&
		       strcmp(brief, planned) == 0);
}

/* The node of the fabric that has the name; CABLING_NONE with *several: more
 * than one has it. */
static uint32_t
find_name(const struct matching *m, const char *name, bool *several)
{
	char brief[SHORT_NAME];
	uint32_t f;

	*several = false;
	if (*name == '\0' ||
		(!map_get(&m->full, hash_name(name), &f) &&
			!map_get(&m->brief, hash_name(name), &f) &&
			!(strchr(name, ';') != NULL &&
				short_name(name, brief) &&
				map_get(&m->brief, hash_name(brief), &f))))
		return CABLING_NONE;
	*several = f == CABLING_NONE;
	return *several || has_name(m->fabric->node[f].name, name)
		       ? f
		       : CABLING_NONE;
}

/* Whether they can be the same node, by what the plan tells of its type. */
static bool
is_type(const struct cabling_node *planned, const struct cabling_node *is)
{
	return planned->type == 0 ||
	       (planned->type == is->type &&
		       planned->aggregation == is->aggregation);
}

/* The node of the fabric that has the name of planned node p, if no other node
 * of either has it. */
static void
match_name(struct matching *m, const struct map *planned, uint32_t p)
{
	const struct cabling_node *n = &m->plan->node[p];
	uint32_t owner = p, f;
	bool several;

	f = find_name(m, n->name, &several);
	(void)map_get(planned, hash_name(n->name), &owner);
	if (several || (f != CABLING_NONE && owner != p)) {
		if (n->guid == 0)
			m->out->how[p] = CABLING_AMBIGUOUS;
	} else if (f != CABLING_NONE && m->out->planned[f] == CABLING_NONE &&
		   is_type(n, &m->fabric->node[f])) {
		join_nodes(m, p, f, CABLING_BY_NAME);
	}
}

/* Nodes of the fabric that could be one of those of the plan that have but a
 * name and are not found, but have no name themselves. */
static void
count_unnamed(struct matching *m)
{
	bool needed = false;

	for (uint32_t p = 0; p < m->plan->nnodes; p++)
		needed |= m->out->is[p] == CABLING_NONE &&
			  m->plan->node[p].guid == 0;
	for (uint32_t f = 0; f < m->fabric->nnodes && needed; f++)
		m->out->unnamed += m->out->planned[f] == CABLING_NONE &&
				   m->fabric->node[f].name[0] == '\0';
}

static void
match_names(struct matching *m)
{
	struct map planned = {0};

	for (uint32_t p = 0; p < m->plan->nnodes; p++)
		put_name(&planned, m->plan->node[p].name, p);
	index_names(m);
	for (uint32_t p = 0; p < m->plan->nnodes; p++)
		if (m->out->is[p] == CABLING_NONE)
			match_name(m, &planned, p);
	map_free(&planned);
	map_free(&m->full);
	map_free(&m->brief);
}

/* ---- by links ---- */

/* The node in whose port the link at this port of a planned node ends, where
 * that is free to be it; *sure: the far end of the link is known. */
static uint32_t
node_behind(const struct matching *m, uint32_t p, unsigned port, bool *sure)
{
	uint32_t l = cabling_link_at(m->plan, p, port), is;
	struct cabling_end near = {p, (uint8_t)port}, far;
	const struct cabling_end *there;

	*sure = false;
	if (l == CABLING_NONE)
		return CABLING_NONE;
	far = *cabling_far_end(m->plan, l, near);
	far.node = m->out->is[far.node];
	if (far.node == CABLING_NONE)
		return CABLING_NONE;
	*sure = true;
	is = cabling_link_at(m->fabric, far.node, far.port);
	if (is == CABLING_NONE)
		return CABLING_NONE;
	there = cabling_far_end(m->fabric, is, far);
	return there->port == port &&
			       m->out->planned[there->node] == CABLING_NONE
		       ? there->node
		       : CABLING_NONE;
}

/* The node that has more than half of the links of planned node p (by a vote in
 * one pass, which is then counted), or CABLING_NONE. */
static uint32_t
node_in_place(const struct matching *m, uint32_t p)
{
	uint32_t best = CABLING_NONE, lead = 0, votes = 0, all = 0;
	unsigned ports = m->plan->node[p].nports;
	bool sure;

	for (unsigned i = 1; i <= ports; i++) {
		uint32_t f = node_behind(m, p, i, &sure);

		all += sure;
		if (f == CABLING_NONE)
			continue;
		if (lead == 0)
			best = f;
		lead = best == f ? lead + 1 : lead - 1;
	}
	for (unsigned i = 1; i <= ports && best != CABLING_NONE; i++)
		votes += node_behind(m, p, i, &sure) == best;
	return best != CABLING_NONE && votes * 2 > all &&
			       is_type(&m->plan->node[p],
				       &m->fabric->node[best])
		       ? best
		       : CABLING_NONE;
}

static void
match_links(struct matching *m)
{
	bool more = true;

	for (unsigned round = 0; more && round < ROUNDS; round++) {
		more = false;
		for (uint32_t p = 0; p < m->plan->nnodes; p++) {
			uint32_t f;

			if (m->out->is[p] != CABLING_NONE)
				continue;
			f = node_in_place(m, p);
			if (f == CABLING_NONE)
				continue;
			join_nodes(m, p, f, CABLING_BY_LINKS);
			more = true;
		}
	}
}

static uint32_t *
all_none(size_t n)
{
	uint32_t *a = mem_alloc((n + 1) * sizeof(*a));

	memset(a, 0xff, (n + 1) * sizeof(*a));
	return a;
}

void
cabling_match_nodes(const struct cabling *plan, const struct cabling *fabric,
	struct cabling_match *out)
{
	struct matching m = {.plan = plan, .fabric = fabric, .out = out};

	*out = (struct cabling_match){.is = all_none(plan->nnodes),
		.planned = all_none(fabric->nnodes),
		.how = mem_zalloc(plan->nnodes + 1, sizeof(*out->how))};
	match_guids(&m);
	if (out->known < plan->nnodes)
		match_names(&m);
	if (out->known < plan->nnodes) {
		match_links(&m);
		count_unnamed(&m);
	}
}

bool
cabling_is_replaced(const struct cabling *plan, const struct cabling *fabric,
	const struct cabling_match *m, uint32_t p)
{
	const struct cabling_node *n = &plan->node[p];
	const struct cabling_node *is = &fabric->node[m->is[p]];

	return n->guid != 0 ? n->guid != is->guid
			    : !has_name(is->name, n->name);
}

void
cabling_match_free(struct cabling_match *m)
{
	free(m->is);
	free(m->planned);
	free(m->how);
}
