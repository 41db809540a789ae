/*
 * The simulated devices beside real ones: every field of PortInfo and
 * SwitchInfo of the capture, before a subnet manager wrote to them and after.
 */
#include <stdio.h>
#include <string.h>

#include "sm/base/mem.h"
#include "tests/sim/model/sim_device.h"
#include "tests/sim/model/smp_bench.h"
#include "tests/unit/suite.h"

enum { COLUMNS = 64, LINE = 1024, AGGREGATION_PORT = 65 };

/* A table of the capture: names of its columns, and the line that was read. */
struct capture {
	FILE *f;
	char head[LINE], line[LINE];
	char *name[COLUMNS], *value[COLUMNS];
	unsigned n;
};

static unsigned
split_line(char *line, char *out[COLUMNS])
{
	unsigned n = 0;

	line[strcspn(line, "\r\n")] = '\0';
	while (n < COLUMNS && line != NULL)
		out[n++] = strsep(&line, ",");
	return n;
}

/* Opens a table; false, and a visible skip, where the capture is absent. */
static bool
open_capture(struct capture *c, const char *table)
{
	const char *dir = getenv("HEDDLE_FIXTURES");
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/quantum2-ndr.ibdiagnet2.db_csv",
		dir == NULL ? "../shared/fixtures" : dir);
	c->f = fopen(path, "r");
	if (c->f == NULL) {
		printf("SKIPPED: %s is not there\n", path);
		return false;
	}
	while (fgets(c->line, LINE, c->f) != NULL)
		if (strncmp(c->line, "START_", 6) == 0 &&
			strncmp(c->line + 6, table, strlen(table)) == 0)
			break;
	ck_assert_ptr_nonnull(fgets(c->head, LINE, c->f));
	c->n = split_line(c->head, c->name);
	return true;
}

/* The next line of the table; false at its end, where it is closed. */
static bool
next_line(struct capture *c)
{
	if (fgets(c->line, LINE, c->f) != NULL &&
		strncmp(c->line, "END_", 4) != 0) {
		ck_assert_uint_eq(split_line(c->line, c->value), c->n);
		return true;
	}
	(void)fclose(c->f);
	return false;
}

static const char *
text_of(const struct capture *c, const char *name)
{
	for (unsigned i = 0; i < c->n; i++)
		if (strcmp(c->name[i], name) == 0)
			return c->value[i];
	ck_abort_msg("no column %s", name);
}

/* A value; where the device has none, 0. */
static uint64_t
value_of(const struct capture *c, const char *name)
{
	const char *text = text_of(c, name);

	return strcmp(text, "N/A") == 0 ? 0 : strtoull(text, NULL, 0);
}

static void
expect_value(const struct capture *c, const char *name, uint64_t is)
{
	ck_assert_msg(value_of(c, name) == is,
		"%s port %s: %s is %llu, on the device %s", c->value[0],
		text_of(c, "PortNum"), name, (unsigned long long)is,
		text_of(c, name));
}

/* What a device has of itself. */
static void
expect_own(const struct capture *c, const struct mad_port_info *pi)
{
	uint64_t no_sm = ~(uint64_t)MAD_CAP_IS_SM;

	ck_assert_uint_eq(pi->capmask & no_sm, value_of(c, "CapMsk") & no_sm);
	expect_value(c, "CapMsk2", pi->capmask2);
	expect_value(c, "LinkWidthActv", pi->width_active);
	expect_value(c, "LinkWidthSup", pi->width_supported);
	expect_value(c, "LinkWidthEn", pi->width_enabled);
	expect_value(c, "LinkSpeedActv",
		(uint64_t)pi->speed_ext_active << 8 | pi->speed_active);
	expect_value(c, "LinkSpeedSup",
		(uint64_t)pi->speed_ext_supported << 8 | pi->speed_supported);
	expect_value(c, "LinkSpeedEn",
		(uint64_t)pi->speed_ext_enabled << 8 | pi->speed_enabled);
	expect_value(c, "DiagCode", pi->diag);
	expect_value(c, "LinkDownDefState", pi->down_default);
	expect_value(c, "PortPhyState", pi->phys_state);
	expect_value(c, "VLCap", pi->vl_cap);
	expect_value(c, "VLArbHighCap", pi->arb_high_cap);
	expect_value(c, "VLArbLowCap", pi->arb_low_cap);
	expect_value(c, "MTUCap", pi->mtu_cap);
	expect_value(c, "InitType", pi->init_type);
	expect_value(c, "InitTypeReply", pi->init_reply);
	expect_value(c, "GUIDCap", pi->guid_cap);
	expect_value(c, "RespTimeValue", pi->resp_time);
	expect_value(c, "MaxCreditHint", pi->credit_hint);
	expect_value(
		c, "MulticastPKeyTrapSuppressionEnabled", pi->mcast_pkey_supr);
	expect_value(c, "ClientReregister", pi->client_rereg);
}

/* What a subnet manager wrote. The keys in the capture are made up. */
static void
expect_written(const struct capture *c, const struct mad_port_info *pi)
{
	expect_value(c, "MSMLID", pi->sm_lid);
	expect_value(c, "LID", pi->lid);
	expect_value(c, "LMC", pi->lmc);
	expect_value(c, "MSMSL", pi->sm_sl);
	expect_value(c, "M_KeyLeasePeriod", pi->mkey_lease);
	expect_value(c, "MKeyProtBits", pi->mkey_prot);
	expect_value(c, "SubnTmo", pi->subnet_timeout);
	expect_value(c, "PortState", pi->state);
	expect_value(c, "NMTU", pi->mtu);
	expect_value(c, "OpVLs", pi->op_vls);
	expect_value(c, "VLHighLimit", pi->vl_high_limit);
	expect_value(c, "HoQLife", pi->hoq_life);
	expect_value(c, "VLStallCnt", pi->vl_stall);
	expect_value(c, "PartEnfInb", pi->enf_in);
	expect_value(c, "PartEnfOutb", pi->enf_out);
	expect_value(c, "FilterRawInb", pi->filter_in);
	expect_value(c, "FilterRawOutb", pi->filter_out);
	expect_value(c, "OverrunErrs", pi->overrun_errors);
	expect_value(c, "LocalPhyError", pi->phy_errors);
	expect_value(c, "MKeyViolations", pi->mkey_viol);
	expect_value(c, "PKeyViolations", pi->pkey_viol);
	expect_value(c, "QKeyViolations", pi->qkey_viol);
}

/* The line of two switches, its links NDR. */
static struct bench
ndr_line(void)
{
	struct fabric *f = smp_bench_line();

	for (uint32_t i = 0; i < f->ncables; i++)
		f->cable[i].rate = (struct fabric_rate){2, 4, 8, false};
	return smp_bench_new(f, NULL);
}

/* The simulated port that is beside the captured one. */
struct place {
	const char *path;
	uint32_t port;
};

static struct place
place_of(const struct capture *c)
{
	uint32_t port = (uint32_t)value_of(c, "PortNum");

	if (strstr(c->value[0], "host") != NULL)
		return (struct place){"\1\2\1", 1};
	return (struct place){"\1", port == 0 ? 0 : 2};
}

static struct mad_port_info
read_port(struct bench *b, struct place at)
{
	return smp_bench_port_info(b, at.path, at.port | MAD_PORT_INFO_EXT);
}

/* An answer that was set: as a manager does it, all fields to all ports. */
static void
write_port(struct bench *b, struct place at, const struct mad_port_info *want)
{
	mad_port_info_encode(want, b->last.data);
	ck_assert(smp_bench_ask(b, at.path, MAD_SET, MAD_PORT_INFO,
		at.port | MAD_PORT_INFO_EXT));
	ck_assert_uint_eq(b->last.status, 0);
}

/*
 * What a manager writes that sends the same to every kind of port, but MTU and
 * VLs to links alone: a port ignores what it does not have.
 */
static void
manage_port(const struct capture *c, struct bench *b, struct place at)
{
	struct mad_port_info want = read_port(b, at);
	bool link = want.mtu_cap != 0;

	want.lid = (uint16_t)value_of(c, "LID");
	want.sm_lid = 1;
	want.mkey_lease = 60;
	want.subnet_timeout = 18;
	want.mtu = link ? 5 : 0;
	want.op_vls = link ? 2 : 0;
	want.hoq_life = value_of(c, "PartEnfInb") != 0 ? 16 : 18;
	want.vl_stall = 7;
	want.enf_in = want.enf_out = value_of(c, "PartEnfInb") != 0;
	want.overrun_errors = want.phy_errors = 8;
	want.width_enabled = want.speed_enabled = want.speed_ext_enabled = 0;
	want.state = want.phys_state = 0;
	write_port(b, at, &want);
	for (unsigned s = PORT_ARMED; s <= value_of(c, "PortState"); s++) {
		want.state = (uint8_t)s;
		write_port(b, at, &want);
	}
}

TEST(ports_as_captured)
{
	struct capture c;
	unsigned n = 0;

	if (!open_capture(&c, "PORTS"))
		return;
	while (next_line(&c)) {
		struct place at = place_of(&c);
		struct mad_port_info pi;
		struct bench b;

		/* the link to an aggregation node in the switch is another */
		if (value_of(&c, "PortNum") == AGGREGATION_PORT)
			continue;
		b = ndr_line();
		smp_bench_attach(&b);
		pi = read_port(&b, at);
		expect_own(&c, &pi);
		manage_port(&c, &b, at);
		pi = read_port(&b, at);
		expect_own(&c, &pi);
		expect_written(&c, &pi);
		smp_bench_free(&b);
		n++;
	}
	ck_assert_uint_gt(n, 100);
}

TEST(switches_as_captured)
{
	const struct mad_switch_info *si = sim_device_switch();
	struct capture c;
	unsigned n = 0;

	if (!open_capture(&c, "SWITCHES"))
		return;
	while (next_line(&c)) {
		ck_assert_uint_eq(si->lft_cap, value_of(&c, "LinearFDBCap"));
		ck_assert_uint_eq(si->rft_cap, value_of(&c, "RandomFDBCap"));
		ck_assert_uint_eq(si->mft_cap, value_of(&c, "MCastFDBCap"));
		ck_assert_uint_eq(si->def_port, value_of(&c, "DefPort"));
		ck_assert_uint_eq(
			si->def_mcast_pri, value_of(&c, "DefMCastPriPort"));
		ck_assert_uint_eq(
			si->def_mcast_not, value_of(&c, "DefMCastNotPriPort"));
		ck_assert_uint_eq(
			si->opt_sl2vl, value_of(&c, "OptimizedSLVLMapping"));
		ck_assert_uint_eq(
			si->lids_per_port, value_of(&c, "LidsPerPort"));
		ck_assert_uint_eq(si->enf_cap, value_of(&c, "PartEnfCap"));
		ck_assert_uint_eq(si->enf_in, value_of(&c, "InbEnfCap"));
		ck_assert_uint_eq(si->enf_out, value_of(&c, "OutbEnfCap"));
		ck_assert_uint_eq(
			si->filter_in, value_of(&c, "FilterRawInbCap"));
		ck_assert_uint_eq(
			si->filter_out, value_of(&c, "FilterRawOutbCap"));
		ck_assert_uint_eq(si->enhanced_p0, value_of(&c, "ENP0"));
		n++;
	}
	ck_assert_uint_eq(n, 4);
}

/* ---- refusals ---- */

/* A PortInfo that a port takes, with one field changed. */
struct change {
	const char *what;
	struct place at;
	uint16_t status;
	void (*make)(struct mad_port_info *pi);
};

#define CHANGE(name, field, v)                                                 \
	static void make_##name(struct mad_port_info *pi)                      \
	{                                                                      \
		pi->field = (v);                                               \
	}
CHANGE(nothing, lid, pi->lid)
CHANGE(no_lid, lid, 0)
CHANGE(multicast_lid, lid, 0xc000)
CHANGE(no_sm_lid, sm_lid, 0)
CHANGE(multicast_sm_lid, sm_lid, 0xc000)
CHANGE(lmc, lmc, 2)
CHANGE(no_mtu, mtu, 0)
CHANGE(mtu, mtu, 5)
CHANGE(large_mtu, mtu, 6)
CHANGE(no_vls, op_vls, 0)
CHANGE(four_vls, op_vls, 3)
CHANGE(eight_vls, op_vls, 4)
CHANGE(fifteen_vls, op_vls, 5)
CHANGE(width, width_enabled, 2)
CHANGE(all_widths, width_enabled, 255)
CHANGE(foreign_width, width_enabled, 8)
CHANGE(speed, speed_enabled, 1)
CHANGE(all_speeds, speed_enabled, 15)
CHANGE(foreign_speed, speed_enabled, 8)
CHANGE(ext_speed, speed_ext_enabled, 8)
CHANGE(all_ext_speeds, speed_ext_enabled, 31)
CHANGE(foreign_ext_speed, speed_ext_enabled, 16)
CHANGE(init, state, PORT_INIT)
CHANGE(armed, state, PORT_ARMED)
CHANGE(active, state, PORT_ACTIVE)
CHANGE(link_up, phys_state, 5)
CHANGE(sleeps, down_default, 1)
CHANGE(disabled_when_down, down_default, 3)
CHANGE(caps, capmask, 0)
CHANGE(guids, guid_cap, 99)

static void
make_armed_and_polling(struct mad_port_info *pi)
{
	pi->state = PORT_ARMED;
	pi->phys_state = 2;
}

static void
make_last_lids(struct mad_port_info *pi)
{
	pi->lid = 0xbffe;
	pi->lmc = 1;
}

static void
make_lids_beyond(struct mad_port_info *pi)
{
	pi->lid = 0xbffe;
	pi->lmc = 2;
}

enum { TAKEN = 0, REFUSED = MAD_STATUS_FIELD };

#define BASE                                                                   \
	{                                                                      \
		"\1", 0                                                        \
	}
#define LINK                                                                   \
	{                                                                      \
		"\1", 2                                                        \
	}
#define HOST                                                                   \
	{                                                                      \
		"\1\2\1", 1                                                    \
	}
static const struct change changes[] = {
	{"nothing", BASE, TAKEN, make_nothing},
	{"no LID", BASE, REFUSED, make_no_lid},
	{"multicast LID", BASE, REFUSED, make_multicast_lid},
	{"no SM LID", BASE, REFUSED, make_no_sm_lid},
	{"multicast SM LID", BASE, REFUSED, make_multicast_sm_lid},
	{"LMC of base port 0", BASE, REFUSED, make_lmc},
	{"MTU of base port 0", BASE, REFUSED, make_mtu},
	{"VLs of base port 0", BASE, REFUSED, make_four_vls},
	{"width of base port 0", BASE, REFUSED, make_width},
	{"speed of base port 0", BASE, REFUSED, make_speed},
	{"speed of base port 0", BASE, REFUSED, make_ext_speed},
	{"state of base port 0", BASE, REFUSED, make_active},
	{"link of base port 0", BASE, REFUSED, make_link_up},
	{"capabilities", BASE, TAKEN, make_caps},
	{"GUIDCap", BASE, TAKEN, make_guids},
	{"nothing", LINK, TAKEN, make_nothing},
	{"LID of an external port", LINK, TAKEN, make_no_lid},
	{"no MTU", LINK, REFUSED, make_no_mtu},
	{"MTU", LINK, TAKEN, make_mtu},
	{"MTU above the cap", LINK, REFUSED, make_large_mtu},
	{"VLs as they are", LINK, TAKEN, make_no_vls},
	{"8 VLs of a switch", LINK, TAKEN, make_eight_vls},
	{"VLs above the cap", LINK, REFUSED, make_fifteen_vls},
	{"all widths", LINK, TAKEN, make_all_widths},
	{"a width it has not", LINK, REFUSED, make_foreign_width},
	{"all speeds", LINK, TAKEN, make_all_speeds},
	{"a speed it has not", LINK, REFUSED, make_foreign_speed},
	{"all extended speeds", LINK, TAKEN, make_all_ext_speeds},
	{"an extended speed it has not", LINK, REFUSED, make_foreign_ext_speed},
	{"Init", LINK, REFUSED, make_init},
	{"Active from Init", LINK, REFUSED, make_active},
	{"LinkUp", LINK, REFUSED, make_link_up},
	{"Armed and Polling", LINK, REFUSED, make_armed_and_polling},
	{"Armed", LINK, TAKEN, make_armed},
	{"Sleep when down", LINK, TAKEN, make_sleeps},
	{"Disabled when down", LINK, REFUSED, make_disabled_when_down},
	{"nothing", HOST, TAKEN, make_nothing},
	{"no LID", HOST, REFUSED, make_no_lid},
	{"the last LIDs", HOST, TAKEN, make_last_lids},
	{"LIDs beyond", HOST, REFUSED, make_lids_beyond},
	{"LMC", HOST, TAKEN, make_lmc},
	{"4 VLs of an adapter", HOST, TAKEN, make_four_vls},
	{"8 VLs of an adapter", HOST, REFUSED, make_eight_vls},
};
enum { CHANGES = sizeof(changes) / sizeof(changes[0]) };

LOOP_TEST(fields_are_judged, 0, CHANGES)
{
	const struct change *c = &changes[_i];
	AUTO(smp_bench) struct bench b = ndr_line();
	struct mad_port_info pi, is;

	smp_bench_attach(&b);
	pi = read_port(&b, c->at);
	pi.lid = 4;
	pi.sm_lid = 1;
	pi.width_enabled = pi.speed_enabled = pi.speed_ext_enabled = 0;
	pi.state = pi.phys_state = 0;
	c->make(&pi);
	mad_port_info_encode(&pi, b.last.data);
	ck_assert(smp_bench_ask(&b, c->at.path, MAD_SET, MAD_PORT_INFO,
		c->at.port | MAD_PORT_INFO_EXT));
	ck_assert_msg(b.last.status == c->status, "%s: status 0x%x", c->what,
		b.last.status);
	/* read-only fields stay, whatever the Set said */
	is = read_port(&b, c->at);
	ck_assert_uint_eq(is.guid_cap, c->at.path[1] != 0 ? 8 : !c->at.port);
	ck_assert((is.capmask != 0) == (c->at.port != 2));
}
