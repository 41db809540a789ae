#include "sm/policy/name_match.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

/* A description, or its first word. */
struct name {
	const char *text;
	size_t len;
	node_ix node;
};

struct name_match {
	const struct topo *t;
	const struct name_pins *pins;
	struct name *name; /* sorted, after the first lookup of a name */
	size_t n;
};

struct name_match *
name_match_new(const struct topo *t, const struct name_pins *pins)
{
	struct name_match *n = mem_zalloc(1, sizeof(*n));

	n->t = t;
	n->pins = pins;
	return n;
}

void
name_match_free(struct name_match *n)
{
	if (n == NULL)
		return;
	free(n->name);
	free(n);
}

static int
compare_names(const void *pa, const void *pb)
{
	const struct name *a = pa, *b = pb;
	size_t n = a->len < b->len ? a->len : b->len;
	int c = memcmp(a->text, b->text, n);

	return c != 0 ? c : (a->len > b->len) - (a->len < b->len);
}

static void
index_names(struct name_match *n)
{
	n->name = mem_zalloc((size_t)2 * n->t->nnodes, sizeof(*n->name));
	for (node_ix i = 0; i < n->t->nnodes; i++) {
		const char *desc = topo_desc(n->t, i);
		size_t len = strlen(desc), word = strcspn(desc, " ");

		n->name[n->n++] = (struct name){desc, len, i};
		if (word < len)
			n->name[n->n++] = (struct name){desc, word, i};
	}
	qsort(n->name, n->n, sizeof(*n->name), compare_names);
}

/* The callback that ports are passed to. */
struct sink {
	const struct topo *t;
	void (*fn)(void *cookie, port_ix p);
	void *cookie;
};

static void
visit_node(void *cookie, node_ix n)
{
	const struct sink *to = cookie;

	for (unsigned p = 0; p <= to->t->node[n].nports; p++)
		to->fn(to->cookie, topo_port_of(to->t, n, p));
}

/* Nodes of a type, or of all. */
static void
visit_type(struct sink *to, int type)
{
	for (node_ix n = 0; n < to->t->nnodes; n++)
		if (type == 0 || to->t->node[n].type == type)
			visit_node(to, n);
}

static void
visit_guid(struct sink *to, uint64_t guid)
{
	port_ix p = topo_by_port_guid(to->t, guid);
	node_ix n = topo_by_node_guid(to->t, guid);

	if (p != TOPO_NONE)
		to->fn(to->cookie, p);
	else if (n != TOPO_NONE)
		visit_node(to, n);
}

static void
visit_name(struct name_match *n, struct sink *to, const char *text)
{
	const struct name key = {.text = text, .len = strlen(text)};
	size_t low = 0, high;

	if (n->name == NULL)
		index_names(n);
	for (high = n->n; low < high;) {
		size_t mid = low + (high - low) / 2;

		if (compare_names(&n->name[mid], &key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (high = low;
		high < n->n && compare_names(&n->name[high], &key) == 0; high++)
		visit_node(to, n->name[high].node);
}

static bool
matches_pattern(const char *desc, const char *pattern)
{
	char word[65];

	if (fnmatch(pattern, desc, 0) == 0)
		return true;
	(void)snprintf(
		word, sizeof(word), "%.*s", (int)strcspn(desc, " "), desc);
	return fnmatch(pattern, word, 0) == 0;
}

enum partition_member
name_match_ports(struct name_match *n, const char *member,
	void (*fn)(void *cookie, port_ix p), void *cookie)
{
	struct sink to = {n->t, fn, cookie};
	uint64_t guid = 0;
	enum partition_member kind = partition_member(member, &guid);

	switch (kind) {
	case PARTITION_ALL:
		visit_type(&to, 0);
		break;
	case PARTITION_HOSTS:
		visit_type(&to, TOPO_CA);
		break;
	case PARTITION_SWITCHES:
		visit_type(&to, TOPO_SWITCH);
		break;
	case PARTITION_ROUTERS:
		visit_type(&to, TOPO_ROUTER);
		break;
	case PARTITION_SM:
		fn(cookie, n->t->sm_port);
		break;
	case PARTITION_GUID:
		visit_guid(&to, guid);
		break;
	case PARTITION_NAME:
	default:
		if (n->pins != NULL)
			name_pins_nodes(n->pins, n->t, member, visit_node, &to);
		else if (strpbrk(member, "*?[\\") == NULL)
			visit_name(n, &to, member);
		else
			for (node_ix i = 0; i < n->t->nnodes; i++)
				if (matches_pattern(topo_desc(n->t, i), member))
					visit_node(&to, i);
	}
	return kind;
}
