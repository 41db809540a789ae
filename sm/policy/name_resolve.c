/* Names of a configuration resolved to nodes, for name_pins. */
#include <stdlib.h>
#include <string.h>

#include "config/partition_options.h"
#include "config/qos_options.h"
#include "sm/base/mem.h"
#include "sm/policy/name_match.h"
#include "sm/policy/name_pins.h"

/* Pins while they are made: texts are borrowed. */
struct collected {
	struct name_pin *pin;
	size_t n, cap;
	uint64_t *unnamed;
	size_t nunnamed, cap_unnamed;
};

static void
add_pin(struct collected *d, const char *name, uint64_t guid)
{
	d->pin = mem_grow(d->pin, d->n, &d->cap, sizeof(*d->pin));
	d->pin[d->n++] = (struct name_pin){name, guid};
}

static void
add_unnamed(struct collected *d, uint64_t guid)
{
	d->unnamed = mem_grow(
		d->unnamed, d->nunnamed, &d->cap_unnamed, sizeof(*d->unnamed));
	d->unnamed[d->nunnamed++] = guid;
}

/* ---- the names of a configuration ---- */

struct names {
	const char **name;
	size_t n, cap;
};

static void
add_name(struct names *all, const char *text)
{
	uint64_t guid;

	if (partition_member(text, &guid) != PARTITION_NAME)
		return;
	all->name = mem_grow(all->name, all->n, &all->cap, sizeof(*all->name));
	all->name[all->n++] = text;
}

static void
add_texts(struct names *all, const struct schema_texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		add_name(all, t->entry[i].text);
}

static int
compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All names of members, each once. */
static struct names
list_names(const struct config *c)
{
	const struct partition_options *o = c->partitions.record;
	const struct qos_rule_options *rule = c->qos.rules.record;
	struct names all = {0};
	size_t n = 0;

	for (size_t i = 0; i < c->partitions.n; i++)
		for (size_t m = 0; m < o[i].members.n; m++)
			add_name(&all, o[i].members.entry[m].text);
	for (size_t i = 0; i < c->qos.rules.n; i++) {
		add_texts(&all, &rule[i].with);
		add_texts(&all, &rule[i].among);
	}
	if (all.n > 0)
		qsort(all.name, all.n, sizeof(*all.name), compare_texts);
	for (size_t i = 0; i < all.n; i++)
		if (n == 0 || strcmp(all.name[n - 1], all.name[i]) != 0)
			all.name[n++] = all.name[i];
	all.n = n;
	return all;
}

/* ---- resolving ---- */

/* The nodes that a name matches, as they are found port by port. */
struct matched {
	const struct topo *t;
	bool *node; /* [nnodes] */
};

static void
match_port(void *cookie, port_ix p)
{
	struct matched *m = cookie;

	m->node[m->t->port[p].node] = true;
}

static void
match_name(struct name_match *names, struct matched *m, const char *name)
{
	memset(m->node, 0, m->t->nnodes * sizeof(*m->node));
	(void)name_match_ports(names, name, match_port, m);
	for (node_ix n = 0; n < m->t->nnodes; n++)
		if ((m->t->node[n].flags & TN_DUPLICATE) != 0)
			m->node[n] = false;
}

static bool
is_unnamed(const struct topo *t, node_ix n)
{
	return *topo_desc(t, n) == '\0';
}

static bool
was_unnamed(const struct name_pins *p, uint64_t guid)
{
	for (size_t i = 0; p != NULL && i < p->nunnamed; i++)
		if (p->unnamed[i] == guid)
			return true;
	return false;
}

/* What was pinned of a name and cannot be judged now, or is not to be. */
static void
keep_pins(struct collected *d, const struct name_pins *was,
	const struct topo *t, const char *name, bool accept)
{
	for (size_t i = name_pins_find(was, name); name_pins_has(was, i, name);
		i++) {
		uint64_t guid = was->pin[i].guid;
		node_ix n = guid != 0 ? topo_by_node_guid(t, guid) : TOPO_NONE;

		if (!accept || n == TOPO_NONE || is_unnamed(t, n))
			add_pin(d, name, guid);
	}
}

/* Names are resolved on t: all of them, or those that was does not have; of
 * those that it has, nodes that had no name then. */
static struct name_pins *
resolve_names(const struct name_pins *was, const struct config *c,
	const struct topo *t, bool accept)
{
	struct names all = list_names(c);
	struct matched m = {t, mem_zalloc(t->nnodes, sizeof(bool))};
	struct name_match *names = name_match_new(t, NULL);
	struct name_pins *p;
	struct collected d = {0};
	bool fresh = accept;

	for (size_t i = 0; i < all.n; i++) {
		const char *name = all.name[i];
		bool again = accept || !name_pins_has(was,
					       name_pins_find(was, name), name);

		fresh |= again;
		add_pin(&d, name, 0);
		keep_pins(&d, was, t, name, accept);
		if (!again && (was == NULL || was->nunnamed == 0))
			continue;
		match_name(names, &m, name);
		for (node_ix n = 0; n < t->nnodes; n++)
			if (m.node[n] &&
				(again || was_unnamed(was, t->node[n].guid)))
				add_pin(&d, name, t->node[n].guid);
	}
	for (node_ix n = 0; n < t->nnodes; n++)
		if (is_unnamed(t, n) &&
			(fresh || was_unnamed(was, t->node[n].guid)))
			add_unnamed(&d, t->node[n].guid);
	for (size_t i = 0; was != NULL && i < was->nunnamed; i++)
		if (topo_by_node_guid(t, was->unnamed[i]) == TOPO_NONE)
			add_unnamed(&d, was->unnamed[i]);
	p = name_pins_new(d.pin, d.n, d.unnamed, all.n > 0 ? d.nunnamed : 0);
	name_match_free(names);
	free(d.pin);
	free(d.unnamed);
	free(m.node);
	free(all.name);
	return p;
}

static bool
are_same(const struct name_pins *a, const struct name_pins *b)
{
	if (a == NULL || a->n != b->n || a->nunnamed != b->nunnamed)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (name_pins_compare(&a->pin[i], &b->pin[i]) != 0)
			return false;
	for (size_t i = 0; i < a->nunnamed; i++)
		if (a->unnamed[i] != b->unnamed[i])
			return false;
	return true;
}

static struct name_pins *
prefer_old(struct name_pins *was, struct name_pins *p)
{
	if (!are_same(was, p))
		return p;
	name_pins_unref(p);
	return name_pins_ref(was);
}

struct name_pins *
name_pins_update(
	struct name_pins *was, const struct config *c, const struct topo *t)
{
	return prefer_old(was, resolve_names(was, c, t, false));
}

struct name_pins *
name_pins_accept(
	struct name_pins *was, const struct config *c, const struct topo *t)
{
	return prefer_old(was, resolve_names(was, c, t, true));
}

/* ---- what waits ---- */

static void
mark_node(void *cookie, node_ix n)
{
	bool *pinned = cookie;

	pinned[n] = true;
}

size_t
name_pins_waiting(
	const struct name_pins *p, const struct topo *t, struct name_wait **out)
{
	struct matched m = {t, mem_zalloc(t->nnodes, sizeof(bool))};
	bool *pinned = mem_zalloc(t->nnodes, sizeof(*pinned));
	struct name_match *names = name_match_new(t, NULL);
	struct name_wait *wait = NULL;
	size_t nwait = 0, cap = 0;

	for (size_t i = 0; i < p->n; i++) {
		const char *name = p->pin[i].name;

		if (p->pin[i].guid != 0) /* each name once */
			continue;
		match_name(names, &m, name);
		memset(pinned, 0, t->nnodes * sizeof(*pinned));
		name_pins_nodes(p, t, name, mark_node, pinned);
		for (node_ix n = 0; n < t->nnodes; n++) {
			if (m.node[n] == pinned[n] || is_unnamed(t, n))
				continue;
			wait = mem_grow(wait, nwait, &cap, sizeof(*wait));
			wait[nwait++] = (struct name_wait){name, n, m.node[n]};
		}
	}
	name_match_free(names);
	free(pinned);
	free(m.node);
	*out = wait;
	return nwait;
}
