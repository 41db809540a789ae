#include "distribution/tables/port_settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Kinds of ports that a field belongs to. */
enum {
	HOST = 1 << 0, /* of a CA or router */
	EXTERNAL = 1 << 1,
	ENHANCED = 1 << 2, /* an enhanced port 0 */
	BASE = 1 << 3,	   /* a base port 0 */
	OWNER = HOST | ENHANCED | BASE,
	LINKED = HOST | EXTERNAL,
	DATA = HOST | EXTERNAL | ENHANCED,
};

enum cost { ADDRESS, NEEDED, OWN };

/* How a value is printed. */
enum print { NUMBER, HEX, MTU, SWITCHED, SECRET };

#define FIELD(m)                                                               \
	offsetof(struct mad_port_info, m),                                     \
		(uint8_t)sizeof(((struct mad_port_info *)0)->m)

static const struct field {
	const char *name;
	size_t at;
	uint8_t size, of; /* of: kinds of ports */
	uint8_t cost, print;
	bool zero_keeps; /* 0 is sent: no change */
} table[] = {
	{"LID", FIELD(lid), OWNER, ADDRESS, NUMBER, false},
	{"LMC", FIELD(lmc), OWNER, ADDRESS, NUMBER, false},
	{"MasterSMLID", FIELD(sm_lid), OWNER, NEEDED, NUMBER, false},
	{"MasterSMSL", FIELD(sm_sl), OWNER, NEEDED, NUMBER, false},
	{"GidPrefix", FIELD(gid_prefix), OWNER, NEEDED, HEX, false},
	{"M_Key", FIELD(mkey), OWNER, NEEDED, SECRET, false},
	{"M_KeyProtectBits", FIELD(mkey_prot), OWNER, NEEDED, NUMBER, false},
	{"M_KeyLeasePeriod", FIELD(mkey_lease), OWNER, NEEDED, NUMBER, false},
	{"NeighborMTU", FIELD(mtu), LINKED, NEEDED, MTU, true},
	{"NeighborMTU", FIELD(mtu), ENHANCED, OWN, MTU, true},
	{"OperationalVLs", FIELD(op_vls), LINKED, NEEDED, NUMBER, true},
	{"PartitionEnforcementInbound", FIELD(enf_in), EXTERNAL, NEEDED,
		SWITCHED, false},
	{"PartitionEnforcementOutbound", FIELD(enf_out), EXTERNAL, NEEDED,
		SWITCHED, false},
	{"SubnetTimeOut", FIELD(subnet_timeout), OWNER, OWN, NUMBER, false},
	{"VLHighLimit", FIELD(vl_high_limit), DATA, OWN, NUMBER, false},
	{"VLStallCount", FIELD(vl_stall), EXTERNAL, OWN, NUMBER, false},
	{"HOQLife", FIELD(hoq_life), EXTERNAL, OWN, NUMBER, false},
	{"LocalPhyErrors", FIELD(phy_errors), DATA, OWN, NUMBER, false},
	{"OverrunErrors", FIELD(overrun_errors), DATA, OWN, NUMBER, false},
};
enum { FIELDS = sizeof(table) / sizeof(table[0]) };
_Static_assert((int)FIELDS <= 32, "a bit each");

static unsigned
kind_of(const struct topo *t, port_ix p)
{
	const struct topo_node *n = &t->node[t->port[p].node];

	if (n->type != TOPO_SWITCH)
		return HOST;
	if (t->port[p].num != 0)
		return EXTERNAL;
	return (n->flags & TN_ENHANCED_P0) != 0 ? ENHANCED : BASE;
}

static uint64_t
value_of(const struct field *f, const struct mad_port_info *i)
{
	const uint8_t *at = (const uint8_t *)i + f->at;
	uint64_t wide;
	uint16_t half;

	switch (f->size) {
	case sizeof(wide):
		memcpy(&wide, at, sizeof(wide));
		return wide;
	case sizeof(half):
		memcpy(&half, at, sizeof(half));
		return half;
	default:
		return *at;
	}
}

uint32_t
port_settings_differ(const struct topo *t, port_ix p,
	const struct mad_port_info *is, const struct mad_port_info *want)
{
	unsigned kind = kind_of(t, p);
	uint32_t fields = 0;

	for (unsigned i = 0; i < FIELDS; i++) {
		const struct field *f = &table[i];
		uint64_t has, shall;

		if ((f->of & kind) == 0)
			continue;
		has = value_of(f, is);
		shall = value_of(f, want);
		if (has != shall && !(f->zero_keeps && shall == 0))
			fields |= UINT32_C(1) << i;
	}
	return fields;
}

uint32_t
port_settings_lacks(const struct topo *t, port_ix p, uint32_t block,
	const uint8_t *is, const uint8_t *want)
{
	struct mad_port_info a, b;

	(void)block;
	if (mad_port_info_decode(is, &a, NULL) != 0 ||
		mad_port_info_decode(want, &b, NULL) != 0)
		return 0;
	if (a.mkey == 0)
		a.mkey = b.mkey;
	return port_settings_differ(t, p, &a, &b);
}

static uint32_t
fields_that_cost(enum cost most)
{
	uint32_t fields = 0;

	for (unsigned i = 0; i < FIELDS; i++)
		if (table[i].cost <= most)
			fields |= UINT32_C(1) << i;
	return fields;
}

uint32_t
port_settings_addresses(uint32_t fields)
{
	return fields & fields_that_cost(ADDRESS);
}

uint32_t
port_settings_needed(uint32_t fields)
{
	return fields & fields_that_cost(NEEDED);
}

uint32_t
port_settings_link(uint32_t fields)
{
	uint32_t link = 0;

	for (unsigned i = 0; i < FIELDS; i++)
		if (table[i].zero_keeps)
			link |= UINT32_C(1) << i;
	return fields & link;
}

void
port_settings_copy(uint32_t fields, const struct mad_port_info *from,
	struct mad_port_info *to)
{
	for (unsigned i = 0; i < FIELDS; i++)
		if ((fields >> i & 1) != 0)
			memcpy((uint8_t *)to + table[i].at,
				(const uint8_t *)from + table[i].at,
				table[i].size);
}

unsigned
port_settings_mtu(uint8_t code)
{
	return code >= 1 && code <= 5 ? 128U << code : 0;
}

static void
print_value(const struct field *f, const struct mad_port_info *i, char *out,
	size_t n)
{
	uint64_t v = value_of(f, i);

	switch ((enum print)f->print) {
	case HEX:
		(void)snprintf(out, n, "0x%016" PRIx64, v);
		break;
	case MTU:
		(void)snprintf(out, n, "%u", port_settings_mtu((uint8_t)v));
		break;
	case SWITCHED:
		(void)snprintf(out, n, "%s", v != 0 ? "on" : "off");
		break;
	case SECRET:
	case NUMBER:
		(void)snprintf(out, n, "%" PRIu64, v);
		break;
	}
}

void
port_settings_text(uint32_t fields, const struct mad_port_info *is,
	const struct mad_port_info *want, char *out, size_t n)
{
	char has[24], shall[24];
	size_t at = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < FIELDS && at < n; i++) {
		const struct field *f = &table[i];
		const char *comma = at > 0 ? ", " : "";

		if ((fields >> i & 1) == 0)
			continue;
		if (f->print == SECRET) {
			at += (size_t)snprintf(out + at, n - at, "%sanother %s",
				comma, f->name);
			continue;
		}
		print_value(f, is, has, sizeof(has));
		print_value(f, want, shall, sizeof(shall));
		at += (size_t)snprintf(out + at, n - at,
			"%s%s %s instead of %s", comma, f->name, has, shall);
	}
}
