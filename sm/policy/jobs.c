#include "sm/policy/jobs.h"

#include <stdlib.h>
#include <string.h>

#include "config/qos_options.h"
#include "sm/base/be.h"
#include "sm/base/hash.h"
#include "sm/base/mem.h"
#include "sm/base/thread.h"
#include "sm/policy/qos.h"
#include "sm/policy/roles.h"

enum { SEED = 1 };	  /* of tie-breaks: the same fabric, the same routes */
enum { THREADS_MAX = 4 }; /* unless routing.threads asks for more */

/* The last LID to assign: no switch forwards LIDs beyond its capacity. */
static uint16_t
last_lid(const struct config *c, const struct topo *t)
{
	uint32_t last = c->fabric.lids.last;

	for (sw_ix s = 0; s < t->nsw; s++)
		if (topo_sw_live(t, s) && t->sw[s].lft_cap > 0 &&
			t->sw[s].lft_cap - 1U < last)
			last = t->sw[s].lft_cap - 1U;
	return (uint16_t)last;
}

int
jobs_lids(const struct config *c, const struct topo *t,
	const struct jobs_lid_records *r, struct lid_table *out,
	struct reason *why)
{
	const struct config_fabric *f = &c->fabric;
	struct lid_override *over =
		mem_zalloc(f->lmc_override.n, sizeof(*over));
	const struct lid_policy policy = {
		.lmc_hosts = (uint8_t)f->lmc.hosts,
		.lmc_switches = (uint8_t)f->lmc.switches,
		.lmc_routers = (uint8_t)f->lmc.routers,
		.lmc_aggregation = (uint8_t)f->lmc.aggregation,
		.override = over,
		.noverride = f->lmc_override.n,
		.first = (uint16_t)f->lids.first,
		.last = last_lid(c, t),
		.held_first = r->outdated,
	};
	int rc;

	for (size_t i = 0; i < f->lmc_override.n; i++)
		over[i] = (struct lid_override){f->lmc_override.entry[i].guid,
			(uint8_t)f->lmc_override.entry[i].value};
	rc = lid_assign(t, &policy, r->record, r->n, out, why);
	free(over);
	return rc;
}

static bool
is_passive(const struct config_multi_port *h, uint64_t guid)
{
	for (size_t i = 0; i < h->passive.n; i++)
		if (h->passive.guid[i] == guid)
			return true;
	return false;
}

static int
by_guid(const void *a, const void *b)
{
	const struct route_multi_port *x = a, *y = b;

	return x->guid < y->guid ? -1 : x->guid > y->guid;
}

/*
 * List ports of the configured groups, and passive ones in no group; how many.
 */
static size_t
list_multi_port(const struct config_multi_port *h, struct route_multi_port *out)
{
	size_t n = h->groups.n;

	for (size_t i = 0; i < n; i++)
		out[i] = (struct route_multi_port){h->groups.entry[i].guid,
			h->groups.entry[i].value,
			is_passive(h, h->groups.entry[i].guid)};
	for (size_t i = 0; i < h->passive.n; i++) {
		struct route_multi_port one = {
			h->passive.guid[i], ROUTE_MULTI_PORT_NODE, true};

		if (bsearch(&one, out, h->groups.n, sizeof(one), by_guid) ==
			NULL)
			out[n++] = one;
	}
	qsort(out, n, sizeof(*out), by_guid);
	return n;
}

static uint64_t
hash_names(uint64_t h, const struct schema_names *l)
{
	for (size_t i = 0; i < l->n; i++)
		h = fnv_more(h, l->name[i], strlen(l->name[i]) + 1);
	return fnv_more(h, "\n", 1);
}

/* An engine's options for reading, where they are not the defaults. */
static uint64_t
hash_own(uint64_t h, const struct schema_values *own)
{
	for (size_t i = 0; i < own->schema->n; i++) {
		const struct schema_option *o = &own->schema->option[i];
		struct buf text = {0};

		if (!o->reading)
			continue;
		schema_print(o, own->value, -1, &text);
		if (strcmp(text.text, o->def) != 0)
			h = fnv_more(h, text.text, text.n);
		buf_free(&text);
	}
	return h;
}

/*
 * Hash of the options that decide how the fabric is read, as they are written:
 * not of the switches that they match, for a switch that is away is no change
 * of the configuration.
 */
static uint64_t
hash_reading(const struct config *c)
{
	const struct config_routing *r = &c->routing;
	uint64_t h = hash_names(FNV_START, &r->engines);

	h = hash_names(h, &r->roles.leaf);
	h = hash_names(h, &r->roles.spine);
	h = hash_names(h, &r->roles.root);
	for (size_t i = 0; i < c->nown; i++)
		h = hash_own(h, &c->own[i]);
	return h;
}

void
jobs_options(
	const struct config *c, const struct topo *t, struct jobs_options *out)
{
	const struct config_routing *r = &c->routing;
	size_t n = r->multi_port.groups.n + r->multi_port.passive.n;

	*out = (struct jobs_options){
		.engine = {.own = c->own,
			.nown = c->nown,
			.levels = (uint8_t)qos_levels(c),
			.max_vls = qos_vls_code(c),
			.lists = (uint8_t)qos_lists(c),
			.reading = hash_reading(c)},
		.multi_port = mem_zalloc(n, sizeof(*out->multi_port)),
	};
	out->engine.nmulti_port =
		list_multi_port(&r->multi_port, out->multi_port);
	out->role = roles_of(c, t, &out->engine.nroles);
	out->engine.role = out->role;
	out->engine.multi_port = out->multi_port;
}

void
jobs_options_free(struct jobs_options *o)
{
	free(o->role);
	free(o->multi_port);
}

void
jobs_route(const struct config *c, struct topo *t, struct lft_pool *pool,
	struct jobs_options *options, struct route_job *job)
{
	jobs_options(c, t, options);
	*job = (struct route_job){.topo = t,
		.pool = pool,
		.options = &options->engine,
		.load_limit = c->routing.load_limit,
		.seed = SEED,
		.threads = jobs_threads(c)};
}

unsigned
jobs_threads(const struct config *c)
{
	unsigned cores = thread_cores();

	if (c->routing.threads > 0)
		return c->routing.threads;
	return cores < THREADS_MAX ? cores : THREADS_MAX;
}
