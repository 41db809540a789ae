/*
 * Records of the state file: multicast groups and their members. Without these
 * a restart would take multicast away from every host until the last of them
 * has joined again.
 */
#include <inttypes.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/mad/port_values.h"
#include "sm/state/state_file_priv.h"

enum {
	STATE_MAX = 15,
	FLOW_MAX = 0xfffff,
	FIELDS = 12,
};

/* A field of a group: its base and highest value. */
struct field {
	const char *name;
	int base;
	uint64_t max;
};

static int
read_group(struct state_file_reader *r, char *s)
{
	static const struct field field[FIELDS] = {
		{"MGID", 16, UINT64_MAX},
		{"MGID", 16, UINT64_MAX},
		{"MLID", 16, LID_MULTICAST_MAX},
		{"P_Key", 16, UINT16_MAX},
		{"Q_Key", 16, UINT32_MAX},
		{"MTU", 10, 63},
		{"rate", 10, 63},
		{"lifetime", 10, 63},
		{"SL", 10, 15},
		{"traffic class", 10, UINT8_MAX},
		{"flow label", 16, FLOW_MAX},
		{"hop limit", 10, UINT8_MAX},
	};
	uint64_t v[FIELDS];
	struct state_file_group g;

	for (unsigned i = 0; i < FIELDS; i++)
		if (!state_words_number(state_words_next(&s), field[i].base,
			    field[i].max, &v[i]))
			return state_words_complain(
				r, r->line, field[i].name, "no such number");
	if (s != NULL)
		return state_words_complain(r, r->line, "group", "too much");
	if (v[0] >> 56 != 0xff || v[2] < LID_MULTICAST_MIN)
		return state_words_complain(
			r, r->line, "group", "not a multicast address");
	g = (struct state_file_group){
		.mgid = {v[0], v[1]},
		.mlid = (uint16_t)v[2],
		.pkey = (uint16_t)v[3],
		.qkey = (uint32_t)v[4],
		.mtu = (uint8_t)v[5],
		.rate = (uint8_t)v[6],
		.life = (uint8_t)v[7],
		.sl = (uint8_t)v[8],
		.tclass = (uint8_t)v[9],
		.flow = (uint32_t)v[10],
		.hops = (uint8_t)v[11],
	};
	(void)state_rows_of(r, &state_groups_member, &g.first);
	state_rows_add(r, &g);
	return 0;
}

static int
read_member(struct state_file_reader *r, char *s)
{
	struct state_file_member rec = {0};
	struct state_file_group *group;
	const char *proxy;
	uint64_t state;
	size_t ngroup;

	group = state_rows_of(r, &state_groups_group, &ngroup);
	if (ngroup == 0)
		return state_words_complain(
			r, r->line, "member", "of no group");
	if (state_words_guid(r, &s, &rec.guid) < 0 ||
		state_words_guid(r, &s, &rec.owner) < 0)
		return -1;
	if (!state_words_number(state_words_next(&s), 10, STATE_MAX, &state) ||
		state == 0)
		return state_words_complain(
			r, r->line, "state", "not a number from 1 to 15");
	proxy = state_words_next(&s);
	if (s != NULL || (proxy != NULL && strcmp(proxy, "proxy") != 0))
		return state_words_complain(r, r->line, "member", "too much");
	rec.state = (uint8_t)state;
	rec.proxy = proxy != NULL;
	state_rows_add(r, &rec);
	group[ngroup - 1].n++;
	return 0;
}

static void
print_groups(const struct state_file *s, struct buf *out)
{
	for (size_t i = 0; i < s->ngroup; i++) {
		const struct state_file_group *g = &s->group[i];

		buf_printf(out,
			"group 0x%016" PRIx64 " 0x%016" PRIx64
			" 0x%04x 0x%04x 0x%08" PRIx32
			" %u %u %u %u %u 0x%" PRIx32 " %u\n",
			g->mgid[0], g->mgid[1], g->mlid, g->pkey, g->qkey,
			g->mtu, g->rate, g->life, g->sl, g->tclass, g->flow,
			g->hops);
		for (size_t k = g->first; k < g->first + g->n; k++) {
			const struct state_file_member *m = &s->member[k];

			buf_printf(out,
				"member 0x%016" PRIx64 " 0x%016" PRIx64
				" %u%s\n",
				m->guid, m->owner, m->state,
				m->proxy ? " proxy" : "");
		}
	}
}

const struct state_codec state_groups_group = {.name = "group",
	.read = read_group,
	.print = print_groups,
	STATE_ROWS(state_file_group, state_file_group, group, ngroup)};
const struct state_codec state_groups_member = {.name = "member",
	.read = read_member,
	STATE_ROWS(state_file_member, state_file_member, member, nmember)};
