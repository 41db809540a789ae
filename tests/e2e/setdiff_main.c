/*
 * heddle-setdiff: the Sets of two managers on the same fabric, field by field.
 *
 *	heddle-setdiff SM-NODE OURS THEIRS
 *
 * OURS and THEIRS are traces of heddle-sim (see setlog.h); the node is the one
 * that both managers run on. Each difference is a line: what differs and in
 * which kind of port, our value, their value, and the place, separated by tabs.
 * sets.awk groups them and asks for a reason.
 *
 * A unit that one manager never writes has, with it, the value that it had when
 * the other began to write: "never" is the value of the field `set` then. What
 * managers choose freely is compared by kind: LIDs, the tops of tables and
 * their contents. Fields that cannot be written are compared by whether they
 * are sent as they were read.
 *
 * Exit 0: compared; 2: the input cannot be read, or is of different fabrics.
 */
#include <infiniband/mad.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/be.h"
#include "sm/mad/mad.h"
#include "tests/e2e/setfold.h"
#include "tests/sim/model/mad_port_ext.h"

enum { VALUE = 200, FIELDS = 96, NAME = 48, PLACE = 100 };
enum { ROWS = 32 /* of a block of a multicast table */, DROP = 0xff };

/* How a field is compared. */
enum kind {
	EXACT,
	READ_ONLY, /* by whether it is as it was read */
	LOCAL,	   /* the port of arrival: READ_ONLY, but by the port */
	LID,	   /* some LID, that of the switch, none */
	SM_LID,	   /* by whether it is that of the manager's port */
	EVER,	   /* whether any Set has it: it acts and is not kept */
	STATES,	   /* the sequence of all Sets */
	PHYS,
	TOP,	   /* LinearFDBTop: beside the highest LID */
	MCAST_TOP, /* beside the highest MLID */
};

static const struct row {
	enum MAD_FIELDS id;
	enum kind kind;
} port_info[] = {
	{IB_PORT_MKEY_F, EXACT},
	{IB_PORT_GID_PREFIX_F, EXACT},
	{IB_PORT_LID_F, LID},
	{IB_PORT_SMLID_F, SM_LID},
	{IB_PORT_CAPMASK_F, READ_ONLY},
	{IB_PORT_DIAG_F, READ_ONLY},
	{IB_PORT_MKEY_LEASE_F, EXACT},
	{IB_PORT_LOCAL_PORT_F, LOCAL},
	{IB_PORT_LINK_WIDTH_ENABLED_F, EXACT},
	{IB_PORT_LINK_WIDTH_SUPPORTED_F, READ_ONLY},
	{IB_PORT_LINK_WIDTH_ACTIVE_F, READ_ONLY},
	{IB_PORT_LINK_SPEED_SUPPORTED_F, READ_ONLY},
	{IB_PORT_STATE_F, STATES},
	{IB_PORT_PHYS_STATE_F, PHYS},
	{IB_PORT_LINK_DOWN_DEF_F, EXACT},
	{IB_PORT_MKEY_PROT_BITS_F, EXACT},
	{IB_PORT_LMC_F, EXACT},
	{IB_PORT_LINK_SPEED_ACTIVE_F, READ_ONLY},
	{IB_PORT_LINK_SPEED_ENABLED_F, EXACT},
	{IB_PORT_NEIGHBOR_MTU_F, EXACT},
	{IB_PORT_SMSL_F, EXACT},
	{IB_PORT_VL_CAP_F, READ_ONLY},
	{IB_PORT_INIT_TYPE_F, READ_ONLY},
	{IB_PORT_VL_HIGH_LIMIT_F, EXACT},
	{IB_PORT_VL_ARBITRATION_HIGH_CAP_F, READ_ONLY},
	{IB_PORT_VL_ARBITRATION_LOW_CAP_F, READ_ONLY},
	{IB_PORT_INIT_TYPE_REPLY_F, EXACT},
	{IB_PORT_MTU_CAP_F, READ_ONLY},
	{IB_PORT_VL_STALL_COUNT_F, EXACT},
	{IB_PORT_HOQ_LIFE_F, EXACT},
	{IB_PORT_OPER_VLS_F, EXACT},
	{IB_PORT_PART_EN_INB_F, EXACT},
	{IB_PORT_PART_EN_OUTB_F, EXACT},
	{IB_PORT_FILTER_RAW_INB_F, EXACT},
	{IB_PORT_FILTER_RAW_OUTB_F, EXACT},
	{IB_PORT_MKEY_VIOL_F, EXACT},
	{IB_PORT_PKEY_VIOL_F, EXACT},
	{IB_PORT_QKEY_VIOL_F, EXACT},
	{IB_PORT_GUID_CAP_F, READ_ONLY},
	{IB_PORT_CLIENT_REREG_F, EVER},
	{IB_PORT_MCAST_PKEY_SUPR_ENAB_F, EXACT},
	{IB_PORT_SUBN_TIMEOUT_F, EXACT},
	{IB_PORT_RESP_TIME_VAL_F, READ_ONLY},
	{IB_PORT_LOCAL_PHYS_ERR_F, EXACT},
	{IB_PORT_OVERRUN_ERR_F, EXACT},
	{IB_PORT_MAX_CREDIT_HINT_F, READ_ONLY},
	{IB_PORT_LINK_ROUND_TRIP_F, READ_ONLY},
	{IB_PORT_CAPMASK2_F, READ_ONLY},
	{IB_PORT_LINK_SPEED_EXT_ACTIVE_F, READ_ONLY},
	{IB_PORT_LINK_SPEED_EXT_SUPPORTED_F, READ_ONLY},
	{IB_PORT_LINK_SPEED_EXT_ENABLED_F, EXACT},
};

static const struct row switch_info[] = {
	{IB_SW_LINEAR_FDB_CAP_F, READ_ONLY},
	{IB_SW_RANDOM_FDB_CAP_F, READ_ONLY},
	{IB_SW_MCAST_FDB_CAP_F, READ_ONLY},
	{IB_SW_LINEAR_FDB_TOP_F, TOP},
	{IB_SW_DEF_PORT_F, EXACT},
	{IB_SW_DEF_MCAST_PRIM_F, EXACT},
	{IB_SW_DEF_MCAST_NOT_PRIM_F, EXACT},
	{IB_SW_LIFE_TIME_F, EXACT},
	{IB_SW_STATE_CHANGE_F, EVER},
	{IB_SW_OPT_SLTOVL_MAPPING_F, READ_ONLY},
	{IB_SW_LIDS_PER_PORT_F, READ_ONLY},
	{IB_SW_PARTITION_ENFORCE_CAP_F, READ_ONLY},
	{IB_SW_PARTITION_ENF_INB_F, READ_ONLY},
	{IB_SW_PARTITION_ENF_OUTB_F, READ_ONLY},
	{IB_SW_FILTER_RAW_INB_F, READ_ONLY},
	{IB_SW_FILTER_RAW_OUTB_F, READ_ONLY},
	{IB_SW_ENHANCED_PORT0_F, READ_ONLY},
	{IB_SW_MCAST_FDB_TOP_F, MCAST_TOP},
};

static const struct row port_ext[] = {
	{IB_PORT_EXT_CAPMASK_F, EXACT},
	{IB_PORT_EXT_FEC_MODE_ACTIVE_F, READ_ONLY},
	{IB_PORT_EXT_FDR_FEC_MODE_SUPPORTED_F, READ_ONLY},
	{IB_PORT_EXT_FDR_FEC_MODE_ENABLED_F, EXACT},
	{IB_PORT_EXT_EDR_FEC_MODE_SUPPORTED_F, READ_ONLY},
	{IB_PORT_EXT_EDR_FEC_MODE_ENABLED_F, EXACT},
};

static const struct layout {
	uint16_t attr;
	const struct row *row;
	size_t n;
} layouts[] = {
	{MAD_PORT_INFO, port_info, sizeof(port_info) / sizeof(port_info[0])},
	{MAD_SWITCH_INFO, switch_info,
		sizeof(switch_info) / sizeof(switch_info[0])},
	{MAD_PORT_EXT, port_ext, sizeof(port_ext) / sizeof(port_ext[0])},
};

static const struct layout *
layout_of(uint16_t attr)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].attr == attr)
			return &layouts[i];
	return NULL;
}

/* One manager: its Sets, and what is needed to compare LIDs by kind. */
struct side {
	struct setlog *log;
	struct setfold *fold;
	uint16_t sm_lid, top_lid, top_mlid;
};

/* What a manager did to a unit: named values; a note is not compared. */
struct account {
	struct {
		char name[NAME], value[VALUE];
		const char *note;
	} field[FIELDS];
	size_t n;
	bool wrote;
};

static char *
add_field(struct account *a, const char *name)
{
	(void)snprintf(a->field[a->n].name, NAME, "%s", name);
	a->field[a->n].value[0] = '\0';
	a->field[a->n].note = "";
	return a->field[a->n++].value;
}

static bool
is_wide(enum MAD_FIELDS id)
{
	return id == IB_PORT_MKEY_F || id == IB_PORT_GID_PREFIX_F;
}

static uint64_t
field_of(const uint8_t *d, enum MAD_FIELDS id)
{
	uint8_t copy[SETLOG_DATA];

	memcpy(copy, d, sizeof(copy));
	return is_wide(id) ? mad_get_field64(copy, 0, id)
			   : mad_get_field(copy, 0, id);
}

/* The LID of a switch, by Sets or as held. 0: not known. */
static uint16_t
own_lid(const struct side *s, uint32_t node, unsigned port)
{
	const struct setfold_unit *u =
		setfold_find(s->fold, node, MAD_PORT_INFO, port);

	return u ? (uint16_t)field_of(
			   u->sets ? u->value : u->held, IB_PORT_LID_F)
		 : 0;
}

static void
print_lid(const struct side *s, const struct setfold_unit *u, uint64_t lid,
	char out[VALUE])
{
	bool sw = s->log->node[u->node].is_switch;

	if (lid && sw && u->unit && lid == own_lid(s, u->node, 0))
		(void)snprintf(out, VALUE, "the switch's");
	else if (lid && lid < SETFOLD_LIDS && (!sw || u->unit == 0))
		(void)snprintf(out, VALUE, "one");
	else
		(void)snprintf(out, VALUE, "0x%" PRIx64, lid);
}

/* A number beside the one that it should be. */
static void
print_beside(uint64_t v, uint64_t should, const char *what, char out[VALUE])
{
	if (v == should)
		(void)snprintf(out, VALUE, "%s", what);
	else if (v == 0)
		(void)snprintf(out, VALUE, "0");
	else
		(void)snprintf(out, VALUE, "%s %s",
			v < should ? "below" : "above", what);
}

/* MulticastFDBTop may also be the end of the block that its rows are in. */
static void
print_mcast_top(uint64_t v, uint64_t should, char out[VALUE])
{
	if (v != should && v % ROWS == ROWS - 1 &&
		v / ROWS ==
			(should < SETFOLD_LIDS ? SETFOLD_LIDS : should) / ROWS)
		(void)snprintf(out, VALUE, "the end of a block");
	else
		print_beside(v, should, "the highest MLID", out);
}

static void
print_field(const struct side *s, const struct setfold_unit *u,
	const struct row *r, char out[VALUE])
{
	uint64_t v = field_of(u->value, r->id);

	switch (r->kind) {
	case READ_ONLY:
		if (v == field_of(u->before, r->id))
			(void)snprintf(out, VALUE, "as read");
		else
			(void)snprintf(out, VALUE, "0x%" PRIx64, v);
		return;
	case LOCAL:
		(void)snprintf(out, VALUE, "%s",
			v <= s->log->node[u->node].nports ? "a port's"
							  : "else");
		return;
	case LID:
		print_lid(s, u, v, out);
		return;
	case SM_LID:
		print_beside(v, s->sm_lid, "the manager's", out);
		return;
	case EVER:
		(void)snprintf(out, VALUE, "%s",
			field_of(u->ever, r->id) ? "asked" : "not asked");
		return;
	case STATES:
		(void)snprintf(out, VALUE, "%s", *u->state ? u->state : "0");
		return;
	case PHYS:
		(void)snprintf(out, VALUE, "%s", *u->phys ? u->phys : "0");
		return;
	case TOP:
		print_beside(v, s->top_lid, "the highest LID", out);
		return;
	case MCAST_TOP:
		print_mcast_top(v, s->top_mlid, out);
		return;
	case EXACT:
		(void)snprintf(out, VALUE, "0x%" PRIx64, v);
		return;
	}
}

/* Bits outside of all fields: those that are reserved. */
static void
print_rest(const struct layout *l, const uint8_t *d, char out[VALUE])
{
	uint8_t rest[SETLOG_DATA];
	size_t n = 0;

	memcpy(rest, d, sizeof(rest));
	for (size_t i = 0; i < l->n; i++)
		if (is_wide(l->row[i].id))
			mad_set_field64(rest, 0, l->row[i].id, 0);
		else
			mad_set_field(rest, 0, l->row[i].id, 0);
	for (size_t i = 0; i < SETLOG_DATA && n + NAME < VALUE; i++)
		if (rest[i])
			n += (size_t)snprintf(out + n, VALUE - n,
				"%sbyte %zu: 0x%02x", n ? " " : "", i, rest[i]);
	if (n == 0)
		(void)snprintf(out, VALUE, "0");
}

/* "vl:weight" of an arbitration table, without the end of zero weights. */
static void
print_vlarb(const uint8_t *d, char out[VALUE])
{
	size_t last = SETLOG_DATA, n = 0;

	while (last > 0 && d[last - 1] == 0)
		last -= 2;
	(void)snprintf(out, VALUE, "empty");
	for (size_t i = 0; i < last && n + 8 < VALUE; i += 2)
		n += (size_t)snprintf(out + n, VALUE - n, "%s%u:%u",
			i ? "," : "", d[i] & 15U, d[i + 1]);
}

static void
print_pkeys(const uint8_t *d, char out[VALUE])
{
	size_t last = SETLOG_DATA, n = 0;

	while (last > 0 && be_get16(d + last - 2) == 0)
		last -= 2;
	(void)snprintf(out, VALUE, "empty");
	for (size_t i = 0; i < last && n + 8 < VALUE; i += 2)
		n += (size_t)snprintf(out + n, VALUE - n, "%s%04x",
			i ? " " : "", be_get16(d + i));
}

static void
print_hex(const uint8_t *d, size_t len, char out[VALUE])
{
	size_t n = 0;

	while (len > 0 && d[len - 1] == 0)
		len--;
	(void)snprintf(out, VALUE, "0");
	for (size_t i = 0; i < len && n + 3 < VALUE; i++)
		n += (size_t)snprintf(out + n, VALUE - n, "%02x", d[i]);
}

/* The rows of SL2VL: all 16 VLs, also if the last are 0. */
static void
print_sl2vl(const uint8_t *d, char out[VALUE])
{
	size_t n = 0;

	for (size_t i = 0; i < 8; i++)
		n += (size_t)snprintf(out + n, VALUE - n, "%02x", d[i]);
}

/* A field of 0 that changes nothing counts as what the device held. */
static void
add_row(struct account *a, const struct side *s, const struct setfold_unit *u,
	const struct row *r)
{
	char *out = add_field(a, mad_field_name(r->id));
	uint64_t v = field_of(u->value, r->id);

	print_field(s, u, r, out);
	if (!a->wrote || r->kind != EXACT)
		return;
	if (u->attr == MAD_PORT_INFO && setfold_keeps((int)r->id) &&
		field_of(u->ever, r->id) == 0)
		(void)snprintf(out, VALUE, "no change");
	else if (v == field_of(u->held, r->id))
		a->field[a->n - 1].note = " (held)";
}

static void
add_payload(
	struct account *a, const struct side *s, const struct setfold_unit *u)
{
	const struct layout *l = layout_of(u->attr);

	if (l) {
		for (size_t i = 0; i < l->n; i++)
			add_row(a, s, u, &l->row[i]);
		print_rest(l, u->value, add_field(a, "reserved"));
		return;
	}
	switch (u->attr) {
	case MAD_SL2VL:
		print_sl2vl(u->value, add_field(a, "row"));
		return;
	case MAD_VLARB:
		print_vlarb(u->value,
			add_field(a, u->unit >> 16 < 3 ? "low" : "high"));
		return;
	case MAD_PKEY_TABLE:
		print_pkeys(u->value, add_field(a, "keys"));
		return;
	default:
		print_hex(u->value, SETLOG_DATA, add_field(a, "data"));
	}
}

/*
 * What the manager did; with both false, what became of the unit: one of the
 * two did not write it, and u may be what the other found.
 */
static void
give_account(const struct side *s, const struct setfold_unit *u, bool both,
	struct account *a)
{
	a->n = 0;
	a->wrote = both;
	add_payload(a, s, u);
	if (!both)
		return;
	(void)snprintf(add_field(a, "key"), VALUE, "0x%" PRIx64, u->mkey);
	if (u->attr == MAD_PORT_INFO)
		(void)snprintf(
			add_field(a, "modifier-31"), VALUE, "%d", u->high_bit);
	if (u->refusal == SETLOG_SILENT)
		(void)snprintf(add_field(a, "refused"), VALUE, "by silence");
	else
		(void)snprintf(add_field(a, "refused"), VALUE, "0x%x",
			(unsigned)u->refusal);
}

/* The unit as the other manager found it, for one that did not write it. */
static struct setfold_unit
found_by_other(const struct setfold_unit *other)
{
	struct setfold_unit u = {
		.node = other->node, .attr = other->attr, .unit = other->unit};

	memcpy(u.value, other->held, SETLOG_DATA);
	memcpy(u.before, other->held, SETLOG_DATA);
	return u;
}

/* ---- places ---- */

static const char *
class_of(const struct setlog *l, uint32_t node, unsigned port)
{
	const struct setlog_node *n = &l->node[node];

	if (!n->is_switch)
		return "host";
	if (port == 0)
		return "port-0";
	if (port > n->nports || !n->port[port].linked)
		return "no-link";
	return l->node[n->port[port].peer].is_switch ? "to-switch" : "to-host";
}

static void
print_place(const struct setlog *l, const struct setfold_unit *u,
	char class[NAME], char place[PLACE])
{
	const struct setlog_node *n = &l->node[u->node];
	unsigned port = u->unit & 0xff;

	if (u->attr == MAD_PKEY_TABLE)
		port = u->unit >> 16 & 0xff;
	if (u->attr == MAD_SWITCH_INFO || u->attr == MAD_LFT ||
		u->attr == MAD_MFT)
		(void)snprintf(class, NAME, "switch");
	else if (u->attr == MAD_SL2VL && n->is_switch)
		(void)snprintf(class, NAME, "%s>%s",
			class_of(l, u->node, u->unit >> 8 & 0xff),
			class_of(l, u->node, port));
	else
		(void)snprintf(class, NAME, "%s", class_of(l, u->node, port));
	(void)snprintf(place, PLACE, "%s/%u", n->name, port);
}

static const char *
attr_text(uint16_t attr)
{
	static char text[16];
	const char *name = mad_attr_name(attr);

	if (attr == MAD_PORT_EXT)
		return "PortInfoExtended";
	if (strchr(name, ' ') == NULL)
		return name;
	(void)snprintf(text, sizeof(text), "0x%04x", attr);
	return text;
}

static void
print_difference(const struct setlog *l, const struct setfold_unit *u,
	const char *field, const char *ours, const char *theirs)
{
	char class[NAME], place[PLACE];

	print_place(l, u, class, place);
	(void)printf("%s.%s %s\t%s\t%s\t%s\n", attr_text(u->attr), field, class,
		ours, theirs, place);
}

/* ---- comparison ---- */

/* Print the fields that differ; false: none does. */
static bool
compare_accounts(const struct setlog *l, const struct setfold_unit *u,
	const struct account a[2])
{
	char text[2][VALUE];
	bool differ = false;

	for (size_t i = 0; i < a[0].n && i < a[1].n; i++) {
		if (strcmp(a[0].field[i].value, a[1].field[i].value) == 0)
			continue;
		differ = true;
		for (int k = 0; k < 2; k++)
			(void)snprintf(text[k], VALUE, "%s%s",
				a[k].field[i].value, a[k].field[i].note);
		print_difference(l, u, a[0].field[i].name, text[0], text[1]);
	}
	return differ;
}

/* A unit that only one of them, `writer`, has sent Sets of. */
static void
compare_with_found(
	const struct side side[2], const struct setfold_unit *u, int writer)
{
	static struct account a[2];
	const struct setfold_unit found = found_by_other(u);
	const char *did;
	bool differ;

	give_account(&side[writer], u, false, &a[writer]);
	give_account(&side[1 - writer], &found, false, &a[1 - writer]);
	differ = compare_accounts(side[0].log, u, a);
	did = u->sets == 0  ? "refused"
	      : differ	    ? "otherwise"
	      : u->has_held ? "as it was"
			    : "unknown before";
	print_difference(side[0].log, u, "set", writer ? "never" : did,
		writer ? did : "never");
}

static void
compare_unit(const struct side side[2], const struct setfold_unit *ours,
	const struct setfold_unit *theirs)
{
	static struct account a[2];

	give_account(&side[0], ours, true, &a[0]);
	give_account(&side[1], theirs, true, &a[1]);
	(void)compare_accounts(side[0].log, ours, a);
}

/* What the forwarding tables of a switch are, by kind. */
static void
account_tables(
	const struct side *s, uint32_t node, bool both, struct account *a)
{
	const struct setfold_tables *t = &s->fold->tables[node];
	unsigned drops = 0, others = 0;

	a->n = 0;
	(void)snprintf(add_field(a, "LinearForwardingTable.set switch"), VALUE,
		"%s", t->lft_sets ? "yes" : "never");
	(void)snprintf(add_field(a, "MulticastForwardingTable.set switch"),
		VALUE, "%s", t->mft_sets ? "yes" : "never");
	if (!both)
		return;
	for (uint32_t lid = s->top_lid + 1U; lid < SETFOLD_LIDS; lid++)
		if (t->known[lid]) {
			drops += t->lft[lid] == DROP;
			others += t->lft[lid] != DROP;
		}
	(void)snprintf(add_field(a, "LinearForwardingTable.after-top switch"),
		VALUE, "%s",
		others	? "ports"
		: drops ? "0xff"
			: "nothing");
}

static void
compare_tables(const struct side side[2])
{
	static struct account a[2];

	for (uint32_t n = 0; n < side[0].log->nnodes; n++) {
		bool both = side[0].fold->tables[n].lft &&
			    side[1].fold->tables[n].lft;

		for (int i = 0; i < 2; i++)
			account_tables(&side[i], n, both, &a[i]);
		for (size_t i = 0; i < a[0].n; i++)
			if (strcmp(a[0].field[i].value, a[1].field[i].value) !=
				0)
				(void)printf("%s\t%s\t%s\t%s\n",
					a[0].field[i].name, a[0].field[i].value,
					a[1].field[i].value,
					side[0].log->node[n].name);
	}
}

static void
compare_sides(const struct side side[2])
{
	for (int i = 0; i < 2; i++)
		for (size_t k = 0; k < side[i].fold->n; k++) {
			const struct setfold_unit *u = &side[i].fold->unit[k];
			const struct setfold_unit *v = setfold_find(
				side[1 - i].fold, u->node, u->attr, u->unit);

			if (!v)
				compare_with_found(side, u, i);
			else if (i == 0)
				compare_unit(side, u, v);
		}
	compare_tables(side);
}

/* ---- input ---- */

/* A port has this PortInfo in the end: its LID, and that of the manager. */
static void
note_lid(struct side *s, uint32_t sm, const struct setfold_unit *u,
	const uint8_t *d)
{
	uint16_t lid = (uint16_t)field_of(d, IB_PORT_LID_F), last;

	if (u->attr != MAD_PORT_INFO ||
		(s->log->node[u->node].is_switch && u->unit != 0))
		return;
	last = (uint16_t)(lid + (1U << field_of(d, IB_PORT_LMC_F)) - 1);
	if (u->node == sm && s->sm_lid == 0)
		s->sm_lid = lid;
	if (last > s->top_lid)
		s->top_lid = last;
}

/*
 * The highest LIDs, and that of the manager's own port; a port that a manager
 * does not write has what the other found in it.
 */
static void
find_lids(struct side *s, const struct side *other, uint32_t sm)
{
	for (size_t i = 0; i < s->fold->n; i++)
		note_lid(s, sm, &s->fold->unit[i], s->fold->unit[i].value);
	for (size_t i = 0; i < other->fold->n; i++) {
		const struct setfold_unit *u = &other->fold->unit[i];

		if (!setfold_find(s->fold, u->node, u->attr, u->unit))
			note_lid(s, sm, u, u->held);
	}
	for (size_t i = 0; i < s->log->nnodes; i++)
		if (s->fold->tables[i].top_mlid > s->top_mlid)
			s->top_mlid = s->fold->tables[i].top_mlid;
	if (s->top_mlid == 0)
		s->top_mlid = SETFOLD_LIDS - 1;
}

static int
read_side(struct side *s, const char *file)
{
	struct reason why = {{0}};
	FILE *in = fopen(file, "re");

	if (!in) {
		(void)fprintf(stderr, "heddle-setdiff: %s: %m\n", file);
		return -1;
	}
	s->log = setlog_read(in, &why);
	(void)fclose(in);
	if (!s->log) {
		(void)fprintf(
			stderr, "heddle-setdiff: %s: %s\n", file, why.text);
		return -1;
	}
	s->fold = setfold_new(s->log);
	return 0;
}

static bool
same_fabric(const struct setlog *a, const struct setlog *b)
{
	if (a->nnodes != b->nnodes)
		return false;
	for (size_t i = 0; i < a->nnodes; i++)
		if (a->node[i].guid != b->node[i].guid)
			return false;
	return true;
}

/* How many Sets of each attribute: for the reader, not compared. */
static void
print_counts(const struct side side[2])
{
	static unsigned count[2][UINT16_MAX + 1];

	for (int i = 0; i < 2; i++)
		for (size_t k = 0; k < side[i].log->nsets; k++)
			count[i][side[i].log->set[k].attr]++;
	for (uint32_t a = 0; a <= UINT16_MAX; a++)
		if (count[0][a] || count[1][a])
			(void)printf("# %s\t%u\t%u\n", attr_text((uint16_t)a),
				count[0][a], count[1][a]);
}

int
main(int argc, char **argv)
{
	struct side side[2] = {{0}};
	int rc = 2;
	int64_t sm;

	if (argc != 4) {
		(void)fputs(
			"usage: heddle-setdiff SM-NODE OURS THEIRS\n", stderr);
		return 2;
	}
	if (read_side(&side[0], argv[2]) || read_side(&side[1], argv[3]))
		goto out;
	sm = setlog_find(side[0].log, argv[1]);
	if (sm < 0 || !same_fabric(side[0].log, side[1].log)) {
		(void)fprintf(stderr, "heddle-setdiff: %s\n",
			sm < 0 ? "no such node" : "two different fabrics");
		goto out;
	}
	for (int i = 0; i < 2; i++)
		find_lids(&side[i], &side[1 - i], (uint32_t)sm);
	print_counts(side);
	compare_sides(side);
	rc = fflush(stdout) ? 2 : 0;
out:
	for (int i = 0; i < 2; i++) {
		setfold_free(side[i].fold);
		setlog_free(side[i].log);
	}
	return rc;
}
