#include "discovery/builder/builder.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/builder/builder_priv.h"
#include "sm/base/mem.h"
#include "sm/mad/mad_role.h"

enum { ODDITIES_MAX = 100 };

struct draft *
draft_new(void)
{
	struct draft *d = mem_zalloc(1, sizeof(*d));

	d->self = DRAFT_NONE;
	return d;
}

static void
node_free(struct draft *d, struct draft_node *n)
{
	if (n == NULL)
		return;
	for (unsigned p = 0; p <= n->nports; p++)
		infos_drop(&d->infos, &n->port[p].info);
	free(n->desc);
	free(n->quarantine);
	free(n);
}

void
draft_free(struct draft *d)
{
	if (d == NULL)
		return;
	for (draft_id i = 0; i < d->nnodes; i++)
		node_free(d, d->node[i]);
	free(d->node);
	free(d->order);
	free(d->role_device);
	map_free(&d->by_guid);
	infos_free(&d->infos);
	buf_free(&d->oddity);
	free(d);
}

/* A free handle, or a new one. */
static draft_id
handle_new(struct draft *d)
{
	while (d->free_at < d->nnodes) {
		if (d->node[d->free_at] == NULL)
			return d->free_at;
		d->free_at++;
	}
	d->free_at = d->nnodes + 1;
	d->node = mem_grow(d->node, d->nnodes, &d->cap, sizeof(*d->node));
	return d->nnodes++;
}

static struct draft_node *
node_make(uint64_t guid, uint8_t type, uint8_t nports)
{
	size_t ports = ((size_t)nports + 1) * sizeof(struct draft_port);
	struct draft_node *n = mem_zalloc(1, sizeof(*n) + ports);

	n->guid = guid;
	n->type = type;
	n->nports = nports;
	n->next = DRAFT_NONE;
	n->via = DRAFT_NONE;
	for (unsigned p = 0; p <= nports; p++) {
		n->port[p].peer = DRAFT_NONE;
		if (type != TOPO_SWITCH)
			n->port[p].flags = TP_ABSENT;
	}
	return n;
}

draft_id
draft_node_new(struct draft *d, uint64_t guid, uint8_t type, uint8_t nports)
{
	draft_id id, first;

	if (d->live >= DRAFT_MAX_NODES)
		return DRAFT_NONE;
	id = handle_new(d);
	d->node[id] = node_make(guid, type, nports);
	d->live++;
	d->routed = false;
	if (map_get(&d->by_guid, guid, &first)) {
		while (d->node[first]->next != DRAFT_NONE)
			first = d->node[first]->next;
		d->node[first]->next = id;
	} else {
		map_put(&d->by_guid, guid, id);
	}
	return id;
}

void
draft_node_reset(struct draft *d, draft_id n, uint8_t type, uint8_t nports)
{
	struct draft_node *old = d->node[n];
	struct draft_node *node;

	for (unsigned p = 0; p <= old->nports; p++)
		(void)draft_unlink(d, n, (uint8_t)p);
	node = node_make(old->guid, type, nports);
	node->next = old->next;
	node_free(d, old);
	d->node[n] = node;
	d->routed = false;
}

/* Take n out of the chain of its GUID. */
static void
chain_drop(struct draft *d, draft_id n)
{
	struct draft_node *node = d->node[n];
	draft_id first = DRAFT_NONE;

	(void)map_get(&d->by_guid, node->guid, &first);
	if (first == n && node->next == DRAFT_NONE) {
		(void)map_del(&d->by_guid, node->guid);
	} else if (first == n) {
		map_put(&d->by_guid, node->guid, node->next);
	} else {
		while (d->node[first]->next != n)
			first = d->node[first]->next;
		d->node[first]->next = node->next;
	}
}

void
draft_node_drop(struct draft *d, draft_id n)
{
	struct draft_node *node = d->node[n];

	for (unsigned p = 0; p <= node->nports; p++)
		(void)draft_unlink(d, n, (uint8_t)p);
	chain_drop(d, n);
	if (d->self == n)
		d->self = DRAFT_NONE;
	node_free(d, node);
	d->node[n] = NULL;
	d->live--;
	d->routed = false;
	if (n < d->free_at)
		d->free_at = n;
}

/* A CA port without a cable cannot be asked: keep only its GUID. Our own can.
 */
static void
port_forget(struct draft *d, draft_id n, uint8_t port)
{
	struct draft_port *p = &d->node[n]->port[port];

	p->peer = DRAFT_NONE;
	if (d->node[n]->type == TOPO_SWITCH ||
		(n == d->self && port == d->self_port))
		return;
	infos_drop(&d->infos, &p->info);
	*p = (struct draft_port){
		.guid = p->guid, .peer = DRAFT_NONE, .flags = TP_ABSENT};
}

bool
draft_unlink(struct draft *d, draft_id n, uint8_t port)
{
	const struct draft_port *a = &d->node[n]->port[port];
	draft_id peer = a->peer;
	uint8_t peer_port = a->peer_port;

	if (peer == DRAFT_NONE)
		return false;
	assert(d->node[peer]->port[peer_port].peer == n);
	port_forget(d, peer, peer_port);
	port_forget(d, n, port);
	d->routed = false;
	return true;
}

void
draft_link(struct draft *d, draft_id a, uint8_t pa, draft_id b, uint8_t pb)
{
	struct draft_port *x = &d->node[a]->port[pa];
	struct draft_port *y = &d->node[b]->port[pb];

	(void)draft_unlink(d, a, pa);
	(void)draft_unlink(d, b, pb);
	x->peer = b;
	x->peer_port = pb;
	y->peer = a;
	y->peer_port = pa;
	d->routed = false;
	x->flags &= (uint8_t)~TP_ABSENT;
	y->flags &= (uint8_t)~TP_ABSENT;
}

bool
draft_find(const struct draft *d, uint64_t guid, draft_id *n)
{
	return map_get(&d->by_guid, guid, n);
}

bool
draft_along(const struct draft *d, const uint8_t path[64], unsigned hops,
	draft_id *n)
{
	*n = d->self;
	for (unsigned i = 1; i <= hops && *n != DRAFT_NONE; i++) {
		const struct draft_node *node = d->node[*n];

		*n = path[i] <= node->nports ? node->port[path[i]].peer
					     : DRAFT_NONE;
	}
	return *n != DRAFT_NONE;
}

uint64_t
draft_guid(const struct draft *d, draft_id n)
{
	return d->node[n]->guid;
}

bool
draft_self_is_switch(const struct draft *d)
{
	return d->self != DRAFT_NONE && d->node[d->self]->type == TOPO_SWITCH;
}

static draft_id
first_of(const struct draft *d, uint64_t guid)
{
	draft_id n;

	return map_get(&d->by_guid, guid, &n) ? n : DRAFT_NONE;
}

void
draft_node_quarantine(struct draft *d, draft_id n, const char *why)
{
	char *copy = why == NULL ? NULL : mem_strdup(why);

	if ((copy == NULL) != (d->node[n]->quarantine == NULL))
		d->routed = false;
	d->touched = true;
	free(d->node[n]->quarantine);
	d->node[n]->quarantine = copy;
}

void
draft_quarantine(struct draft *d, uint64_t guid, const char *why)
{
	draft_id n = first_of(d, guid);

	for (; n != DRAFT_NONE; n = d->node[n]->next)
		draft_node_quarantine(d, n, why);
}

void
draft_release(struct draft *d, uint64_t guid)
{
	draft_id n = first_of(d, guid);

	for (; n != DRAFT_NONE; n = d->node[n]->next)
		draft_node_quarantine(d, n, NULL);
}

const char *
draft_quarantine_why(const struct draft *d, uint64_t guid)
{
	draft_id n = first_of(d, guid);

	for (; n != DRAFT_NONE; n = d->node[n]->next) {
		if (d->node[n]->quarantine != NULL)
			return d->node[n]->quarantine;
	}
	return "";
}

bool
draft_touched(const struct draft *d)
{
	return d->touched;
}

void
draft_odd(struct draft *d, const char *fmt, ...)
{
	char line[256];
	va_list ap;

	if (d->noddities >= ODDITIES_MAX) {
		d->oddities_lost++;
		return;
	}
	va_start(ap, fmt);
	(void)vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	buf_printf(&d->oddity, "%s\n", line);
	d->noddities++;
}

size_t
draft_oddities(struct draft *d, struct buf *b)
{
	size_t n = (size_t)d->noddities + d->oddities_lost;

	if (d->oddity.n > 0)
		buf_put(b, d->oddity.text, d->oddity.n);
	if (d->oddities_lost > 0)
		buf_printf(b, "and %u more\n", d->oddities_lost);
	buf_free(&d->oddity);
	d->noddities = 0;
	d->oddities_lost = 0;
	return n;
}

const char *
draft_name(const struct draft *d, draft_id n, char out[96])
{
	const struct draft_node *node = d->node[n];
	const char *what = node->type == TOPO_SWITCH ? "switch"
			   : node->type == TOPO_CA   ? "CA"
						     : "router";

	if (node->desc != NULL)
		(void)snprintf(out, 96, "%s \"%.60s\"", what, node->desc);
	else
		(void)snprintf(out, 96, "%s 0x%016llx", what,
			(unsigned long long)node->guid);
	return out;
}

static bool
has_role(const struct draft *d, const struct draft_node *n)
{
	for (size_t i = 0; i < d->nrole_device; i++) {
		const struct draft_device *x = &d->role_device[i];

		if (x->vendor == n->vendor &&
			(x->device == UINT32_MAX || x->device == n->device))
			return n->type == TOPO_SWITCH;
	}
	return false;
}

void
draft_ask_roles(struct draft *d, const struct draft_device *device, size_t n)
{
	free(d->role_device);
	d->role_device = mem_dup(device, n * sizeof(*device));
	d->nrole_device = n;
	d->touched = true;
	for (draft_id i = 0; i < d->nnodes; i++) {
		struct draft_node *node = d->node[i];

		if (node == NULL || has_role(d, node))
			continue;
		node->role = MAD_ROLE_NONE;
		node->role_state = DRAFT_ROLE_UNASKED;
		node->flags &= (uint8_t)~TN_BAD_ROLE;
	}
}

bool
draft_wants_role(const struct draft *d, draft_id n, bool again)
{
	const struct draft_node *node = d->node[n];

	if (!has_role(d, node) || node->role_state == DRAFT_ROLE_REFUSED)
		return false;
	return again || node->role_state == DRAFT_ROLE_UNASKED;
}
