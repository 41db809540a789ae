#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/mad/mad_vendor.h"
#include "tests/sim/model/mad_nvidia_port.h"
#include "tests/sim/model/sim_int.h"

enum {
	ROLE_VERSION = 1,
	AR_VERSION = 1,
	ALL_PORTS = 255,
	GROUPS = 1024, /* of a switch that gets adaptive routing by hand */
	SUB_GROUPS = 2,
	AGEING_US = 30, /* of Bounded flows, before a manager sets another */
	/* PrivateLFTInfo */
	PLFT_NUMBER = 1,
	PLFT_CAPS = 2,
	PLFT_MODE = 3,
	PLFTS = 4,
	PLFT_MODES = 1,
	/* ARInfo */
	HASH_SUP = 0x80,
	HASH_BY_SL = 0x80,
};

void
sim_vendor_free(struct sim *s, uint32_t node)
{
	struct sim_switch *sw = s->node[node].sw;

	if (!sw)
		return;
	if (sw->ar) {
		free(sw->ar->group);
		free(sw->ar->entry);
	}
	free(sw->ar);
	free(sw->role);
	sw->ar = NULL;
	sw->role = NULL;
}

static struct sim_ar *
make_ar(const struct fabric_attrs *a)
{
	struct sim_ar *ar = mem_zalloc(1, sizeof(*ar));

	ar->info = (struct mad_ar_info){
		.group_cap = a->groups,
		.sub_groups_sup = a->sub_groups,
		.by_sl_cap = !a->ar_all_sls,
		.fr_sup = true,
		.ageing_us = AGEING_US,
		.hash_caps = HASH_SUP,
		.version = AR_VERSION,
	};
	return ar;
}

void
sim_vendor_boot(struct sim *s, uint32_t node)
{
	const struct fabric_attrs *a = &s->node[node].attrs;
	struct sim_switch *sw = s->node[node].sw;

	sim_vendor_free(s, node);
	if (!sw)
		return;
	if (a->ar)
		sw->ar = make_ar(a);
	if (a->has_role) {
		sw->role = mem_zalloc(1, sizeof(*sw->role));
		*sw->role = (struct mad_role){
			.version = ROLE_VERSION,
			.role = a->role,
			.level = a->level,
			.flags = a->role_fixed ? 0 : MAD_ROLE_CAN_SET,
			.tree = a->tree,
			.plane = a->plane,
			.pod = a->pod,
			.index = a->index,
		};
	}
}

static uint16_t
act_general(const struct sim_node *n, const struct smp *req, uint8_t *d)
{
	struct mad_vendor_general g = {{0}};

	if (req->method != MAD_GET)
		return MAD_STATUS_METHOD_ATTR;
	if (req->mod != MAD_VENDOR_GENERAL_CAPS)
		return MAD_STATUS_FIELD;
	if (n->sw && n->sw->ar) {
		mad_vendor_set(&g, MAD_VENDOR_CAP_PLFT);
		mad_vendor_set(&g, MAD_VENDOR_CAP_AR_REV1);
	}
	mad_vendor_set(&g, MAD_VENDOR_CAP_EXT_PORT_INFO);
	mad_vendor_general_encode(&g, d);
	return 0;
}

/* ---- adaptive routing ---- */

static uint16_t
act_ar_info(struct sim_ar *ar, const struct smp *req, uint8_t *d)
{
	struct mad_ar_info *is = &ar->info, in;

	if (req->mod != 0)
		return MAD_STATUS_FIELD;
	if (req->method == MAD_SET && ar->temper == SIM_AR_REFUSES)
		return MAD_STATUS_METHOD_ATTR;
	if (req->method == MAD_SET && ar->temper == SIM_AR_KEEPS)
		return 0; /* the answer is what was sent */
	if (req->method == MAD_SET) {
		/* capabilities are read-only */
		(void)mad_ar_info_decode(req->data, &in, NULL);
		if ((in.group_top >= is->group_cap && in.group_top > 0) ||
			in.sub_groups_active > is->sub_groups_sup)
			return MAD_STATUS_FIELD;
		is->enabled = in.enabled && ar->temper != SIM_AR_STAYS_OFF;
		is->sub_groups_active = in.sub_groups_active;
		is->group_top = in.group_top;
		is->by_sl_enabled = in.by_sl_enabled;
		is->sl_mask = in.sl_mask;
		is->ageing_us = in.ageing_us;
		is->fr_enabled = in.fr_enabled;
		is->rn_xmit = in.rn_xmit;
		is->hash_enabled = in.hash_enabled;
	}
	mad_ar_info_encode(is, d);
	return 0;
}

static uint16_t
act_plft_info(struct sim_ar *ar, const struct smp *req, uint8_t *d)
{
	if (req->mod != 0)
		return MAD_STATUS_FIELD;
	if (req->method == MAD_SET && ar->temper == SIM_AR_REFUSES)
		return MAD_STATUS_METHOD_ATTR;
	if (req->method == MAD_SET && ar->temper == SIM_AR_KEEPS)
		return 0;
	if (req->method == MAD_SET && req->data[PLFT_MODE] > PLFT_MODES)
		return MAD_STATUS_FIELD;
	if (req->method == MAD_SET)
		ar->plft_mode = req->data[PLFT_MODE];
	memset(d, 0, MAD_DATA);
	d[PLFT_NUMBER] = PLFTS;
	d[PLFT_CAPS] = 1 << PLFT_MODES;
	d[PLFT_MODE] = ar->plft_mode;
	return 0;
}

/* What an entry that was never written reads as. */
static const struct mad_ar_entry no_entry = {
	.state = MAD_AR_STATIC, .port = SIM_NO_PORT};

static void
make_groups(struct sim_ar *ar)
{
	if (!ar->group)
		ar->group = mem_zalloc(ar->info.group_cap, sizeof(*ar->group));
}

static void
make_entries(struct sim_ar *ar)
{
	if (ar->entry)
		return;
	ar->entry = mem_alloc(MAD_LID_END * sizeof(*ar->entry));
	for (uint32_t i = 0; i < MAD_LID_END; i++)
		ar->entry[i] = no_entry;
}

/* True if the mask has only ports of the switch. */
static bool
ports_exist(const uint64_t mask[4], unsigned nports)
{
	if (mask[0] & 1)
		return false;
	for (unsigned p = nports + 1; p < 256; p++) {
		if (mask[p / 64] >> p % 64 & 1)
			return false;
	}
	return true;
}

static void
lose_highest(uint64_t mask[4])
{
	for (unsigned w = 4; w-- > 0;) {
		if (mask[w] == 0)
			continue;
		mask[w] &= ~(1ULL << (63 - __builtin_clzll(mask[w])));
		return;
	}
}

static uint16_t
act_ar_group(
	struct sim_ar *ar, unsigned nports, const struct smp *req, uint8_t *d)
{
	struct mad_ar_group in = {{{0}}};

	/* one table, no private LFTs, sub-groups 0 and 1 alone */
	if (req->mod >= ar->info.group_cap)
		return MAD_STATUS_FIELD;
	if (req->method == MAD_SET && ar->temper == SIM_AR_NO_GROUPS)
		return MAD_STATUS_METHOD_ATTR;
	if (req->method == MAD_SET) {
		mad_ar_group_decode(req->data, &in);
		if (!ports_exist(in.port[0], nports) ||
			!ports_exist(in.port[1], nports))
			return MAD_STATUS_FIELD;
		make_groups(ar);
		if (ar->temper == SIM_AR_LOSES)
			lose_highest(in.port[0]);
		ar->group[req->mod] = in;
	}
	if (ar->group)
		in = ar->group[req->mod];
	mad_ar_group_encode(&in, d);
	return 0;
}

static uint16_t
act_ar_lft(struct sim_ar *ar, uint32_t cap, const struct smp *req, uint8_t *d)
{
	struct mad_ar_entry block[MAD_AR_ENTRIES];
	uint32_t lid = req->mod * MAD_AR_ENTRIES;

	if (req->mod > 0xffff || lid >= cap)
		return MAD_STATUS_FIELD;
	if (req->method == MAD_SET) {
		mad_ar_lft_decode(req->data, block);
		for (unsigned i = 0; i < MAD_AR_ENTRIES; i++) {
			if (block[i].table != 0 ||
				block[i].group >= ar->info.group_cap)
				return MAD_STATUS_FIELD;
		}
		make_entries(ar);
		memcpy(ar->entry + lid, block, sizeof(block));
	}
	for (unsigned i = 0; i < MAD_AR_ENTRIES; i++)
		block[i] = ar->entry ? ar->entry[lid + i] : no_entry;
	mad_ar_lft_encode(block, d);
	return 0;
}

/* ---- role ---- */

static uint16_t
act_role(struct mad_role *is, const struct smp *req, uint8_t *d)
{
	uint8_t wanted[MAD_DATA];
	struct mad_role in;

	if (req->mod != 0)
		return MAD_STATUS_FIELD;
	if (req->method == MAD_SET) {
		if (!(is->flags & MAD_ROLE_CAN_SET))
			return MAD_STATUS_METHOD_ATTR;
		if (mad_role_decode(req->data, &in, NULL))
			return MAD_STATUS_FIELD;
		in.version = is->version;
		in.flags = (uint8_t)((is->flags & ~MAD_ROLE_UP_VALID) |
				     (in.flags & MAD_ROLE_UP_VALID));
		in.generation = is->generation;
		mad_role_encode(is, d);
		mad_role_encode(&in, wanted);
		in.generation += memcmp(d, wanted, MAD_DATA) != 0;
		*is = in;
	}
	mad_role_encode(is, d);
	return 0;
}

/* ---- ExtendedPortInfo ---- */

static uint16_t
act_ext_port(struct sim *s, uint32_t node, unsigned arrived,
	const struct smp *req, uint8_t *d)
{
	const struct sim_node *n = &s->node[node];
	unsigned first = req->mod, last = req->mod;
	struct mad_nvidia_port in, out;
	const struct sim_port *p;

	if (n->type != FABRIC_SWITCH && first == 0)
		first = last = arrived;
	if (req->method == MAD_SET && req->mod == ALL_PORTS) {
		first = 1;
		last = n->nports;
	}
	if (last > n->nports)
		return MAD_STATUS_FIELD;
	mad_nvidia_port_decode(req->data, &in);
	for (unsigned i = first; req->method == MAD_SET && i <= last; i++)
		sim_int_port(s, node, i)->no_fdr10 =
			in.change & MAD_NVIDIA_PORT_FDR10 &&
			!(in.speed_enabled & MAD_NVIDIA_PORT_FDR10);
	p = sim_int_port(s, node, first);
	out = (struct mad_nvidia_port){
		.speed_supported = MAD_NVIDIA_PORT_FDR10,
		.speed_enabled = p->no_fdr10 ? 0 : MAD_NVIDIA_PORT_FDR10,
		.speed_active =
			p->up && p->rate.fdr10 ? MAD_NVIDIA_PORT_FDR10 : 0,
	};
	mad_nvidia_port_encode(&out, d);
	return 0;
}

/* A request of a switch that has adaptive routing. */
static uint16_t
act_adaptive(struct sim_node *n, const struct smp *req, uint8_t *d)
{
	struct sim_ar *ar = n->sw->ar;

	switch (req->attr) {
	case MAD_VENDOR_GENERAL:
		return act_general(n, req, d);
	case MAD_AR_INFO:
		return act_ar_info(ar, req, d);
	case MAD_AR_PLFT_INFO:
		return act_plft_info(ar, req, d);
	case MAD_AR_GROUP:
		return act_ar_group(ar, n->nports, req, d);
	case MAD_AR_LFT:
		return act_ar_lft(ar, n->sw->si.lft_cap, req, d);
	default:
		return MAD_STATUS_METHOD_ATTR;
	}
}

uint16_t
sim_vendor_act(struct sim *s, uint32_t node, unsigned arrived,
	const struct smp *req, uint8_t d[MAD_DATA])
{
	struct sim_node *n = &s->node[node];
	struct sim_ar *ar = n->sw ? n->sw->ar : NULL;
	uint16_t status;

	if (req->attr == MAD_ROLE && n->sw && n->sw->role)
		return act_role(n->sw->role, req, d);
	if (n->vendor != MAD_VENDOR_MELLANOX)
		return MAD_STATUS_METHOD_ATTR;
	if (req->attr == MAD_NVIDIA_PORT_INFO)
		return act_ext_port(s, node, arrived, req, d);
	if (!ar)
		return MAD_STATUS_METHOD_ATTR;
	status = act_adaptive(n, req, d);
	if (req->method == MAD_SET && status == 0)
		sim_int_changed(s, SIM_ADAPTIVE, node, 0);
	return status;
}

void
sim_vendor_lft_set(struct sim *s, uint32_t node)
{
	const struct sim_node *n = &s->node[node];

	if (n->sw->ar == NULL || !n->sw->ar->info.enabled ||
		(!n->attrs.ar_lft_stops && n->sw->ar->temper != SIM_AR_PLAIN))
		return;
	n->sw->ar->info.enabled = false;
	sim_int_changed(s, SIM_ADAPTIVE, node, 0);
}

bool
sim_vendor_is_mute(const struct sim_node *n, const struct smp *req)
{
	const struct sim_ar *ar = n->sw ? n->sw->ar : NULL;

	if (!ar)
		return false;
	if (ar->temper == SIM_AR_SECRET)
		return req->attr == MAD_VENDOR_GENERAL;
	if (ar->temper == SIM_AR_NO_ENTRIES)
		return req->attr == MAD_AR_LFT && req->method == MAD_SET;
	return ar->temper == SIM_AR_IGNORES && req->method == MAD_SET &&
	       (req->attr == MAD_AR_INFO || req->attr == MAD_AR_PLFT_INFO);
}

void
sim_hand_adaptive(
	struct sim *s, uint32_t node, unsigned on, enum sim_ar_temper temper)
{
	struct sim_node *n = &s->node[node];
	struct sim_ar *ar;

	if (!n->attrs.ar) {
		n->attrs.ar = true;
		n->attrs.groups = GROUPS;
		n->attrs.sub_groups = SUB_GROUPS;
		n->sw->ar = make_ar(&n->attrs);
	}
	ar = n->sw->ar;
	ar->info.enabled = (on & MAD_AR_ON_GROUPS) != 0;
	ar->info.fr_enabled = (on & MAD_AR_ON_RECOVERY) != 0;
	ar->info.hash_enabled = (uint8_t)(on & MAD_AR_ON_HASH ? HASH_BY_SL : 0);
	ar->plft_mode = (uint8_t)(on & MAD_AR_ON_PLFT ? PLFT_MODES : 0);
	ar->temper = temper;
	sim_int_changed(s, SIM_ADAPTIVE, node, 0);
}

void
sim_hand_ar_group(struct sim *s, uint32_t node, uint16_t group,
	const struct mad_ar_group *ports)
{
	struct sim_ar *ar = s->node[node].sw->ar;

	assert(ar && group < ar->info.group_cap);
	make_groups(ar);
	ar->group[group] = *ports;
	if (ar->info.group_top < group)
		ar->info.group_top = group;
	sim_int_changed(s, SIM_ADAPTIVE, node, 0);
}

void
sim_hand_ar_top(struct sim *s, uint32_t node, uint16_t top)
{
	assert(s->node[node].sw->ar);
	s->node[node].sw->ar->info.group_top = top;
	sim_int_changed(s, SIM_ADAPTIVE, node, 0);
}

void
sim_hand_ar_none(struct sim *s, uint32_t node)
{
	struct sim_node *n = &s->node[node];

	assert(n->sw->ar);
	free(n->sw->ar->group);
	free(n->sw->ar->entry);
	free(n->sw->ar);
	n->sw->ar = NULL;
	n->attrs.ar = false;
	sim_int_changed(s, SIM_ADAPTIVE, node, 0);
}

void
sim_hand_ar_entry(struct sim *s, uint32_t node, uint16_t lid,
	const struct mad_ar_entry *entry)
{
	struct sim_ar *ar = s->node[node].sw->ar;

	assert(ar && lid < MAD_LID_END);
	make_entries(ar);
	ar->entry[lid] = *entry;
	sim_int_changed(s, SIM_ADAPTIVE, node, 0);
}

unsigned
sim_adaptive_on(const struct sim *s, uint32_t node)
{
	const struct sim_ar *ar =
		s->node[node].sw ? s->node[node].sw->ar : NULL;
	uint8_t d[MAD_DATA];

	if (!ar)
		return 0;
	mad_ar_info_encode(&ar->info, d);
	return mad_ar_info_on(d) | (ar->plft_mode ? MAD_AR_ON_PLFT : 0);
}

const struct mad_ar_info *
sim_ar_info(const struct sim *s, uint32_t node)
{
	const struct sim_switch *sw = s->node[node].sw;

	return sw && sw->ar ? &sw->ar->info : NULL;
}

const struct mad_role *
sim_role(const struct sim *s, uint32_t node)
{
	return s->node[node].sw ? s->node[node].sw->role : NULL;
}
