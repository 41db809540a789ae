#include "tests/sim/serve/serve_show.h"
#include "sm/mad/mad_role.h"

#include <inttypes.h>

#include "sm/base/be.h"

static const char *
state_name(uint8_t state)
{
	static const char *const name[] = {
		"none", "Down", "Init", "Armed", "Active"};

	return state < sizeof(name) / sizeof(name[0]) ? name[state] : "?";
}

static void
show_port(const struct serve *s, uint32_t node, unsigned port, struct buf *out)
{
	const struct mad_port_info *pi = sim_port_info(s->sim, node, port);
	uint32_t peer;
	unsigned peer_port;
	char id[80];

	buf_printf(out, "port %u: %s", port, state_name(pi->state));
	if (pi->lid)
		buf_printf(out, ", lid %u lmc %u", pi->lid, pi->lmc);
	if (pi->sm_lid)
		buf_printf(out, ", smlid %u", pi->sm_lid);
	if (pi->capmask)
		buf_printf(out, ", capmask 0x%08x", pi->capmask);
	if (port)
		buf_printf(out, ", mtu %u, vls %u", pi->mtu, pi->op_vls);
	if (port && fabric_peer(s->f, node, port, &peer, &peer_port)) {
		serve_node_id(s, peer, id, sizeof(id));
		buf_printf(out, " -> %s/%u \"%s\"", id, peer_port,
			s->f->node[peer].name);
	}
	buf_printf(out, "\n");
}

/* A port's P_Keys, holes as 0000; of external ports only if they enforce. */
static void
show_keys(const struct serve *s, uint32_t node, unsigned port, struct buf *out)
{
	bool sw = s->f->node[node].type == FABRIC_SWITCH;
	bool guard = sw && port > 0;
	uint8_t d[MAD_DATA];
	unsigned holes = 0;

	if (guard && !sim_port_info(s->sim, node, port)->enf_in)
		return;
	buf_printf(out, "keys: port %u%s", port, guard ? " enforces" : "");
	for (unsigned b = 0;
		sim_read(s->sim, node, sw ? 0 : port, MAD_PKEY_TABLE,
			b | (guard ? port << 16 : 0), d) == 0;
		b++)
		for (unsigned i = 0; i < MAD_DATA; i += 2) {
			unsigned key = be_get16(d + i);

			for (; key != 0 && holes > 0; holes--)
				buf_printf(out, " 0000");
			if (key != 0)
				buf_printf(out, " %04x", key);
			else
				holes++;
		}
	buf_printf(out, "\n");
}

/* The LIDs with this out-port, as ranges. */
static void
show_exit(const struct serve *s, uint32_t node, unsigned out_port,
	struct buf *out)
{
	unsigned top = sim_switch_info(s->sim, node)->lft_top;
	const char *before = "";

	for (unsigned lid = 1; lid <= top; lid++) {
		unsigned last = lid;

		if (sim_lft(s->sim, node, (uint16_t)lid) != out_port)
			continue;
		while (last < top &&
			sim_lft(s->sim, node, (uint16_t)(last + 1)) == out_port)
			last++;
		if (!*before)
			buf_printf(out, "table: port %u lids ", out_port);
		buf_printf(out, last > lid ? "%s%u-%u" : "%s%u", before, lid,
			last);
		before = ",";
		lid = last;
	}
	if (*before)
		buf_printf(out, "\n");
}

/*
 * The SLs that are blocked from one port to another. SL 15 alone is not shown:
 * tables with one SL per VL block it everywhere.
 */
static void
show_closed(const struct serve *s, uint32_t node, unsigned in,
	unsigned out_port, struct buf *out)
{
	uint8_t d[MAD_DATA];
	unsigned shut = 0;

	if (sim_read(s->sim, node, 0, MAD_SL2VL, in << 8 | out_port, d) != 0)
		return;
	for (unsigned sl = 0; sl < 16; sl++) {
		unsigned vl = sl % 2 ? d[sl / 2] & 15U : d[sl / 2] >> 4U;

		shut |= (unsigned)(vl == 15) << sl;
	}
	if (shut == 0xffff)
		buf_printf(out, "closed: port %u to %u\n", in, out_port);
	else if ((shut & 0x7fff) != 0)
		buf_printf(out, "closed: port %u to %u, SLs 0x%04x\n", in,
			out_port, shut);
}

void
serve_show_node(const struct serve *s, uint32_t node, struct buf *out)
{
	const struct fabric_node *n = &s->f->node[node];
	bool sw = n->type == FABRIC_SWITCH;
	char id[80];

	serve_node_id(s, node, id, sizeof(id));
	buf_printf(out, "%s \"%s\": %s, %u ports, GUID 0x%016" PRIx64 "%s\n",
		id, n->name, sw ? "switch" : "host", n->nports, n->guid,
		sim_present(s->sim, node) ? "" : ", not there");
	for (unsigned p = sw ? 0 : 1; p <= n->nports; p++)
		show_port(s, node, p, out);
	for (unsigned p = sw ? 0 : 1; p <= n->nports; p++)
		show_keys(s, node, p, out);
	if (!sw)
		return;
	buf_printf(out, "table: top %u of %u\n",
		sim_switch_info(s->sim, node)->lft_top,
		sim_switch_info(s->sim, node)->lft_cap);
	for (unsigned p = 0; p <= n->nports; p++)
		show_exit(s, node, p, out);
	for (unsigned in = 0; in <= n->nports; in++)
		for (unsigned p = 1; p <= n->nports; p++)
			show_closed(s, node, in, p, out);
}

static void
show_count(unsigned row, unsigned method, uint64_t n, struct buf *out)
{
	unsigned attr =
		row < SIM_STD_ATTRS ? row : 0xff00U + row - SIM_STD_ATTRS;

	buf_printf(out, "%s ", mad_method_name((uint8_t)method));
	if (row == SIM_ATTRS - 1)
		buf_printf(out, "other attributes");
	else if (row >= SIM_STD_ATTRS && attr != MAD_ROLE)
		buf_printf(out, "0x%x", attr);
	else
		buf_printf(out, "%s", mad_attr_name((uint16_t)attr));
	buf_printf(out, ": %" PRIu64 "\n", n);
}

/* 0: no trap, or no Set after it. */
static uint64_t
us_between(struct mono first, struct mono last)
{
	return first.ns == 0 || mono_before(last, first)
		       ? 0
		       : (uint64_t)mono_sub(last, first).ns / 1000;
}

void
serve_show_stats(const struct serve *s, struct buf *out)
{
	const struct sim_stats *st = sim_stats(s->sim);
	const struct {
		const char *name;
		uint64_t n;
	} rest[] = {
		{"smps", st->smps},
		{"answers", st->answers},
		{"sent by clients", st->sent},
		{"delivered", st->delivered},
		{"traps", st->traps},
		{"lost: link down", st->lost_link},
		{"lost: no table entry", st->lost_entry},
		{"lost: loop", st->lost_loop},
		{"lost: fault", st->lost_fault},
		{"lost: buffer full", st->lost_queue},
		{"lost: silent node", st->lost_silent},
		{"lost: nobody there", st->lost_nobody},
		{"table blocks written", st->lft_sets},
		{"table blocks unchanged", st->lft_same},
		{"table entries changed", st->lft_entries},
		{"us from trap to last Set",
			us_between(st->first_trap, st->last_set)},
		{"group blocks written", st->mft_sets},
		{"group blocks unchanged", st->mft_same},
		{"returned to clients", s->returned},
		{"sent again", s->resent},
		{"answers too late", s->late},
	};

	for (unsigned row = 0; row < SIM_ATTRS; row++) {
		for (unsigned m = 0; m < 8; m++) {
			if (st->by[row][m])
				show_count(row, m, st->by[row][m], out);
		}
	}
	for (unsigned i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
		buf_printf(out, "%s: %" PRIu64 "\n", rest[i].name, rest[i].n);
}

/* Programs with libheddle-umad. */
static void
show_programs(const struct serve *s, struct buf *out)
{
	const struct umadserve_stats *st = umadserve_stats(s->umad);

	if (st->connections)
		buf_printf(out,
			"libheddle-umad: %" PRIu64 " connections so far, "
			"%" PRIu64 " in, %" PRIu64 " out, %" PRIu64
			" timeouts, %" PRIu64 " dropped\n",
			st->connections, st->sent, st->delivered, st->timeouts,
			st->dropped);
}

void
serve_show_clients(const struct serve *s, struct buf *out)
{
	char id[80];

	for (int i = 0; i < SERVE_CLIENTS; i++) {
		const struct serve_client *c = &s->client[i];

		if (!c->used)
			continue;
		serve_node_id(s, c->place->node, id, sizeof(id));
		buf_printf(out,
			"%d: pid %u at %s/%u%s, %" PRIu64 " in, %" PRIu64
			" out, %zu waiting, %" PRIu64 " dropped, %" PRIu64
			" bad\n",
			i, c->pid, id, c->place->port, c->issm ? " SM" : "",
			c->received, c->sent, c->out_n, c->dropped, c->garbage);
	}
	show_programs(s, out);
}
