/*
 * A restart with another file: what the fabric had is judged before anything is
 * written, as at a reload.
 */
#include <string.h>

#include "sm/policy/pkeys.h"
#include "tests/unit/core_fixture.h"

#define TENANT "partitions: {a: {pkey: 0x1, members: {h1: full, h2: full}}}\n"

/* Ends the daemon, and starts it with this file; settles. */
static void
restart_with(struct world *w, const char *yaml)
{
	world_kill(w);
	world_reload(w, yaml);
	world_start(w);
	core_expect_order(w, yaml);
}

/* True if this host is a full member of the default partition. */
static bool
is_full(const struct world *w, const char *name)
{
	struct view *v = sm_view(w->sm);
	uint64_t guid =
		fabric_port(w->fabric, fabric_find(w->fabric, name), 1)->guid;
	const uint16_t *key;
	size_t n = pkeys_of(v->pkeys, topo_by_port_guid(v->topo, guid), &key);

	for (size_t i = 0; i < n; i++)
		if (key[i] == 0xffff)
			return true;
	return false;
}

TEST(partitions_that_take_too_much)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	struct reason why = {""};
	struct config *asked;

	core_expect_order(w, "bring-up");
	restart_with(w,
		TENANT "fabric: {sm_key: 0x77, m_keys_known: [0x5, 0x6]}\n"
		       "control: {socket: /elsewhere}\n");
	ck_assert_uint_eq(w->kept, 1);
	ck_assert(is_full(w, "h9"));
	ck_assert_uint_eq(w->config->partitions.n, 0);
	/* what a reload changes at once in any case, or never */
	ck_assert_uint_eq(w->config->fabric.sm_key, 0x77);
	ck_assert_str_eq(w->config->control.socket, "/elsewhere");
	ck_assert_uint_eq(w->config->fabric.m_keys_known.n, 2);
	/* the next start remembers what is in force, not what was asked for */
	restart_with(w, TENANT);
	ck_assert_uint_eq(w->kept, 2);
	ck_assert(is_full(w, "h9"));
	/* and so does a reload */
	world_kill(w);
	world_reload(w, TENANT);
	asked = config_ref(w->config);
	world_start(w);
	core_expect_order(w, "third");
	ck_assert_int_eq(sm_accepts_config(w->sm, asked, &why), -1);
	ck_assert_ptr_nonnull(strstr(why.text, "ports lose others"));
	config_unref(asked);
	restart_with(w, TENANT "fabric: {accept_loss: 100}\n");
	ck_assert_uint_eq(w->kept, 3);
	ck_assert(!is_full(w, "h9"));
	/* in force by now */
	restart_with(w, TENANT);
	ck_assert_uint_eq(w->kept, 3);
	ck_assert(!is_full(w, "h9"));
}

TEST(lids_that_are_taken)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");
	uint16_t lid;
	port_ix p;

	core_expect_order(w, "bring-up");
	p = topo_by_port_guid(sm_view(w->sm)->topo,
		fabric_port(f, fabric_find(f, "h3"), 1)->guid);
	lid = sm_view(w->sm)->topo->port[p].lid;
	restart_with(w, "fabric: {lmc: {hosts: 2}}\n");
	ck_assert_uint_eq(w->kept, 1);
	ck_assert_uint_eq(sm_view(w->sm)->topo->port[p].lid, lid);
	ck_assert_uint_eq(sm_view(w->sm)->topo->port[p].lmc, 0);
}

TEST(nothing_is_taken)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");

	core_expect_order(w, "bring-up");
	restart_with(w, "routing: {engines: [updn]}\n"
			"partitions: {all: {pkey: 0x7fff, members: {all: "
			"full}}}\n");
	ck_assert_uint_eq(w->kept, 0);
	ck_assert_str_eq(sm_view(w->sm)->routes->engine, "updn");
}

/* Another machine, or a lost disk: nothing is known. */
TEST(nothing_is_known)
{
	AUTO(fabric) struct fabric *f = core_tree();
	AUTO(world) struct world *w = core_start(f, "");

	core_expect_order(w, "bring-up");
	world_forget(w);
	restart_with(w, TENANT);
	ck_assert_uint_eq(w->kept, 0);
	ck_assert(!is_full(w, "h9"));
}

/* What another manager left in force is not what this one remembers. */
TEST(another_has_reigned)
{
	struct fabric *f = core_tree();
	struct world *w = core_start(f, ""), *other;

	core_expect_order(w, "bring-up");
	world_kill(w);
	other = world_beside(w, fabric_find(f, "h7"), "");
	world_start(other);
	world_run(w, mono_ms(60000));
	ck_assert_ptr_nonnull(sm_view(other->sm));
	world_kill(other);
	world_reload(w, TENANT);
	world_start(w);
	world_run(w, mono_ms(60000));
	core_expect_order(w, "back");
	ck_assert_uint_eq(w->kept, 0);
	ck_assert(!is_full(w, "h9"));
	core_end(w, f);
}
