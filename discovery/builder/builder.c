#include "discovery/builder/builder.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "discovery/builder/builder_priv.h"
#include "sm/base/mem.h"
#include "sm/mad/mad_role.h"

enum { ODDITIES_MAX = 100, VL_CAP = 3 };

struct builder *
builder_new(void)
{
	struct builder *d = mem_zalloc(1, sizeof(*d));

	d->self = BUILDER_NONE;
	d->vl_cap = VL_CAP;
	return d;
}

static void
node_free(struct builder *d, struct builder_node *n)
{
	if (n == NULL)
		return;
	for (unsigned p = 0; p <= n->nports; p++)
		portinfo_pool_drop(&d->infos, &n->port[p].info);
	free(n->desc);
	free(n->quarantine);
	free(n);
}

void
builder_free(struct builder *d)
{
	if (d == NULL)
		return;
	for (builder_id i = 0; i < d->nnodes; i++)
		node_free(d, d->node[i]);
	free(d->node);
	free(d->order);
	free(d->role_device);
	map_free(&d->by_guid);
	portinfo_pool_free(&d->infos);
	buf_free(&d->oddity);
	free(d);
}

/* A free handle, or a new one. */
static builder_id
handle_new(struct builder *d)
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

static struct builder_node *
node_make(uint64_t guid, uint8_t type, uint8_t nports)
{
	size_t ports = ((size_t)nports + 1) * sizeof(struct builder_port);
	struct builder_node *n = mem_zalloc(1, sizeof(*n) + ports);

	n->guid = guid;
	n->type = type;
	n->nports = nports;
	n->next = BUILDER_NONE;
	n->via = BUILDER_NONE;
	for (unsigned p = 0; p <= nports; p++) {
		n->port[p].peer = BUILDER_NONE;
		if (type != TOPO_SWITCH)
			n->port[p].flags = TP_ABSENT;
	}
	return n;
}

builder_id
builder_node_new(struct builder *d, uint64_t guid, uint8_t type, uint8_t nports)
{
	builder_id id, first;

	if (d->live >= BUILDER_MAX_NODES)
		return BUILDER_NONE;
	id = handle_new(d);
	d->node[id] = node_make(guid, type, nports);
	d->live++;
	d->routed = false;
	if (map_get(&d->by_guid, guid, &first)) {
		while (d->node[first]->next != BUILDER_NONE)
			first = d->node[first]->next;
		d->node[first]->next = id;
	} else {
		map_put(&d->by_guid, guid, id);
	}
	return id;
}

void
builder_node_reset(
	struct builder *d, builder_id n, uint8_t type, uint8_t nports)
{
	struct builder_node *old = d->node[n];
	struct builder_node *node;

	for (unsigned p = 0; p <= old->nports; p++)
		(void)builder_unlink(d, n, (uint8_t)p);
	node = node_make(old->guid, type, nports);
	node->next = old->next;
	node_free(d, old);
	d->node[n] = node;
	d->routed = false;
}

/* Take n out of the list of nodes with its GUID. */
static void
chain_drop(struct builder *d, builder_id n)
{
	struct builder_node *node = d->node[n];
	builder_id first = BUILDER_NONE;

	(void)map_get(&d->by_guid, node->guid, &first);
	if (first == n && node->next == BUILDER_NONE) {
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
builder_node_drop(struct builder *d, builder_id n)
{
	struct builder_node *node = d->node[n];

	for (unsigned p = 0; p <= node->nports; p++)
		(void)builder_unlink(d, n, (uint8_t)p);
	chain_drop(d, n);
	if (d->self == n)
		d->self = BUILDER_NONE;
	node_free(d, node);
	d->node[n] = NULL;
	d->live--;
	d->routed = false;
	if (n < d->free_at)
		d->free_at = n;
}

/* A CA port without a link cannot be asked: keep only its GUID. Our own can. */
static void
port_forget(struct builder *d, builder_id n, uint8_t port)
{
	struct builder_port *p = &d->node[n]->port[port];

	p->peer = BUILDER_NONE;
	if (d->node[n]->type == TOPO_SWITCH ||
		(n == d->self && port == d->self_port))
		return;
	portinfo_pool_drop(&d->infos, &p->info);
	*p = (struct builder_port){
		.guid = p->guid, .peer = BUILDER_NONE, .flags = TP_ABSENT};
}

bool
builder_unlink(struct builder *d, builder_id n, uint8_t port)
{
	const struct builder_port *a = &d->node[n]->port[port];
	builder_id peer = a->peer;
	uint8_t peer_port = a->peer_port;

	if (peer == BUILDER_NONE)
		return false;
	assert(d->node[peer]->port[peer_port].peer == n);
	port_forget(d, peer, peer_port);
	port_forget(d, n, port);
	d->routed = false;
	return true;
}

void
builder_link(
	struct builder *d, builder_id a, uint8_t pa, builder_id b, uint8_t pb)
{
	struct builder_port *x = &d->node[a]->port[pa];
	struct builder_port *y = &d->node[b]->port[pb];

	(void)builder_unlink(d, a, pa);
	(void)builder_unlink(d, b, pb);
	x->peer = b;
	x->peer_port = pb;
	y->peer = a;
	y->peer_port = pa;
	d->routed = false;
	x->flags &= (uint8_t)~TP_ABSENT;
	y->flags &= (uint8_t)~TP_ABSENT;
}

bool
builder_find(const struct builder *d, uint64_t guid, builder_id *n)
{
	return map_get(&d->by_guid, guid, n);
}

bool
builder_node_at(const struct builder *d, const uint8_t path[64], unsigned hops,
	builder_id *n)
{
	*n = d->self;
	for (unsigned i = 1; i <= hops && *n != BUILDER_NONE; i++) {
		const struct builder_node *node = d->node[*n];

		*n = path[i] <= node->nports ? node->port[path[i]].peer
					     : BUILDER_NONE;
	}
	return *n != BUILDER_NONE;
}

uint64_t
builder_guid(const struct builder *d, builder_id n)
{
	return d->node[n]->guid;
}

bool
builder_self_is_switch(const struct builder *d)
{
	return d->self != BUILDER_NONE && d->node[d->self]->type == TOPO_SWITCH;
}

static builder_id
first_of(const struct builder *d, uint64_t guid)
{
	builder_id n;

	return map_get(&d->by_guid, guid, &n) ? n : BUILDER_NONE;
}

void
builder_node_quarantine(struct builder *d, builder_id n, const char *why)
{
	char *copy = why == NULL ? NULL : mem_strdup(why);

	if ((copy == NULL) != (d->node[n]->quarantine == NULL))
		d->routed = false;
	d->touched = true;
	free(d->node[n]->quarantine);
	d->node[n]->quarantine = copy;
	if (copy == NULL && d->node[n]->silent) {
		d->node[n]->silent = false;
		d->routed = false;
	}
}

void
builder_node_silence(struct builder *d, builder_id n, const char *why)
{
	builder_node_quarantine(d, n, why);
	if (d->node[n]->silent)
		return;
	d->node[n]->silent = true;
	d->routed = false;
}

void
builder_quarantine(struct builder *d, uint64_t guid, const char *why)
{
	builder_id n = first_of(d, guid);

	for (; n != BUILDER_NONE; n = d->node[n]->next)
		builder_node_quarantine(d, n, why);
}

void
builder_keeps_rows(struct builder *d, uint64_t guid)
{
	builder_id n = first_of(d, guid);

	for (; n != BUILDER_NONE; n = d->node[n]->next) {
		d->touched |= !d->node[n]->keeps_rows;
		d->node[n]->keeps_rows = true;
	}
}

const char *
builder_quarantine_why(const struct builder *d, uint64_t guid)
{
	builder_id n = first_of(d, guid);

	for (; n != BUILDER_NONE; n = d->node[n]->next) {
		if (d->node[n]->quarantine != NULL)
			return d->node[n]->quarantine;
		if (d->node[n]->reach == BUILDER_CUT_OFF)
			return "behind switches that do not answer";
	}
	return "";
}

bool
builder_is_cut_off(const struct builder *d, uint64_t guid)
{
	builder_id n = first_of(d, guid);

	return n != BUILDER_NONE && d->node[n]->quarantine == NULL &&
	       d->node[n]->reach == BUILDER_CUT_OFF;
}

bool
builder_touched(const struct builder *d)
{
	return d->touched;
}

void
builder_add_oddity(struct builder *d, const char *fmt, ...)
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
builder_oddities(struct builder *d, struct buf *b)
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
builder_name(const struct builder *d, builder_id n, char out[96])
{
	const struct builder_node *node = d->node[n];
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
has_role(const struct builder *d, const struct builder_node *n)
{
	for (size_t i = 0; i < d->nrole_device; i++) {
		const struct builder_device *x = &d->role_device[i];

		if (x->vendor == n->vendor &&
			(x->device == UINT32_MAX || x->device == n->device))
			return n->type == TOPO_SWITCH;
	}
	return false;
}

void
builder_ask_roles(
	struct builder *d, const struct builder_device *device, size_t n)
{
	free(d->role_device);
	d->role_device = mem_dup(device, n * sizeof(*device));
	d->nrole_device = n;
	d->touched = true;
	for (builder_id i = 0; i < d->nnodes; i++) {
		struct builder_node *node = d->node[i];

		if (node == NULL || has_role(d, node))
			continue;
		node->role = MAD_ROLE_NONE;
		node->role_state = BUILDER_ROLE_UNASKED;
		node->flags &= (uint8_t)~TN_BAD_ROLE;
	}
}

bool
builder_wants_role(const struct builder *d, builder_id n, bool again)
{
	const struct builder_node *node = d->node[n];

	if (!has_role(d, node) || node->role_state == BUILDER_ROLE_REFUSED)
		return false;
	return again || node->role_state == BUILDER_ROLE_UNASKED;
}
