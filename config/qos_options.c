#include "config/qos_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "config/partition_options.h"
#include "sm/base/suggest.h"

enum { TEXT = 64, ALL_SLS = 0xffff };

static const char default_name[] = "default";

static const char *const shortages[] = {"share", "refuse", NULL};
static const char *const unknowns[] = {"default", "drop", NULL};

static const char *const priorities[] = {"low", "high", NULL};
static const char *const sls[] = {"any", "0", "1", "2", "3", "4", "5", "6", "7",
	"8", "9", "10", "11", "12", "13", "14", "15", NULL};
static const char *const mtus[] = {
	"none", "256", "512", "1024", "2048", "4096", NULL};
static const char *const rates[] = {"none", "2.5", "5", "10", "14", "20", "25",
	"28", "30", "40", "50", "56", "60", "80", "100", "112", "120", "168",
	"200", "300", "400", "600", "800", "1200", "1600", NULL};

static const struct schema_option levels[] = {
	{SCHEMA_ROW(qos_level_options, sl, ENUM), .choices = sls, .def = "any",
		.help = "The service level (SL) of this level, for programs "
			"that are configured with it. any: the lowest free SL; "
			"the level default takes 0 if it can. With several "
			"routing layers the level has another SL on each "
			"further layer, which hosts learn with their paths."},
	{SCHEMA_ROW(qos_level_options, weight, INT), .min = 1, .max = 255,
		.def = "1", .unit = "parts",
		.help = "The level's share of a busy link, relative to the "
			"other levels of its priority."},
	{SCHEMA_ROW_AS("weight_at.hosts", qos_level_options,
		 weight_at[QOS_HOSTS], INT),
		.min = 1, .max = 255, .zero_off = true, .def = "0",
		.unit = "parts",
		.help = "Another weight at ports of hosts. 0: the same as "
			"weight."},
	{SCHEMA_ROW_AS("weight_at.switches", qos_level_options,
		 weight_at[QOS_SWITCHES], INT),
		.min = 1, .max = 255, .zero_off = true, .def = "0",
		.unit = "parts",
		.help = "Another weight at external ports of switches. 0: the "
			"same as weight."},
	{SCHEMA_ROW_AS("weight_at.port0", qos_level_options,
		 weight_at[QOS_PORT0], INT),
		.min = 1, .max = 255, .zero_off = true, .def = "0",
		.unit = "parts",
		.help = "Another weight at enhanced ports 0 of switches. 0: "
			"the same as weight."},
	{SCHEMA_ROW_AS("weight_at.routers", qos_level_options,
		 weight_at[QOS_ROUTERS], INT),
		.min = 1, .max = 255, .zero_off = true, .def = "0",
		.unit = "parts",
		.help = "Another weight at ports of routers. 0: the same as "
			"weight."},
	{SCHEMA_ROW_AS("priority", qos_level_options, high, ENUM),
		.choices = priorities, .def = "low",
		.help = "high: served before all low levels, up to "
			"qos.high_limit."},
	{SCHEMA_ROW(qos_level_options, shares_with, STRING), .max = TEXT,
		.def = "default",
		.help = "The level whose VLs this one uses on links with fewer "
			"VLs than levels. Levels get VLs of their own in the "
			"order in which the file lists them."},
	{SCHEMA_ROW(qos_level_options, adaptive, BOOL), .def = "false",
		.help = "With routing.adaptive.enabled: packets of this level "
			"may choose among ports, and overtake each other. "
			"Those of the other levels stay in order."},
	{SCHEMA_ROW_AS("mtu_limit", qos_level_options, mtu, ENUM),
		.choices = mtus, .def = "none", .unit = "bytes",
		.help = "The highest MTU of paths of this level."},
	{SCHEMA_ROW_AS("rate_limit", qos_level_options, rate, ENUM),
		.choices = rates, .def = "none", .unit = "Gb/s",
		.help = "The highest rate of paths of this level."},
	{SCHEMA_ROW_AS("packet_lifetime", qos_level_options, lifetime, INT),
		.min = 1, .max = 31, .zero_off = true, .def = "0",
		.unit = "4.096us x 2^n",
		.help = "The packet lifetime given with paths of this level. "
			"0: link.subnet_timeout."},
};

static const struct schema_option rules[] = {
	{SCHEMA_ROW(qos_rule_options, level, STRING), .max = TEXT,
		.def = "default", .help = "The level, one of qos.levels."},
	{SCHEMA_ROW(qos_rule_options, partitions, TEXTS), .max = TEXT,
		.def = "[]",
		.help = "Paths and groups in these partitions, by name, or by "
			"P_Key such as 0x7fff."},
	{SCHEMA_ROW(qos_rule_options, services, TEXTS), .max = TEXT,
		.def = "[]",
		.help = "Paths for these services: iser, lustre, nfs, nvme, "
			"rds, sdp, smb, rdma_cm (all of its services), "
			"tcp:PORT, tcp:FIRST-LAST, udp:PORT (ports of "
			"rdma_cm), a service ID or a range of them such as "
			"0x10000-0x1ffff. ipoib: paths that are asked for "
			"without a service, as IPoIB does, and groups. SRP "
			"targets have IDs of their own, see with."},
	{SCHEMA_ROW(qos_rule_options, classes, TEXTS), .max = TEXT, .def = "[]",
		.help = "Paths asked for with these QoS classes, or ranges "
			"such as 8-15; rdma_cm asks with the type of service."},
	{SCHEMA_ROW(qos_rule_options, with, TEXTS), .max = TEXT, .def = "[]",
		.help = "Paths from or to one of these ports: a port GUID, a "
			"node GUID, a pattern of node names, hosts, switches, "
			"routers, sm."},
	{SCHEMA_ROW(qos_rule_options, among, TEXTS), .max = TEXT, .def = "[]",
		.help = "Paths from one of these ports to another."},
};

static const struct schema level_schema = {"", levels,
	sizeof(levels) / sizeof(levels[0]), sizeof(struct qos_level_options)};
static const struct schema rule_schema = {"", rules,
	sizeof(rules) / sizeof(rules[0]), sizeof(struct qos_rule_options)};

static const struct schema_option rows[] = {
	{SCHEMA_ROW(config_qos, levels, RECORDS), .record = &level_schema,
		.def = "{}",
		.opensm = "qos qos_sl2vl qos_vlarb_high qos_vlarb_low",
		.help = "QoS levels by name, each with virtual lanes (VLs) of "
			"its own on every link. Traffic that no rule gives a "
			"level takes the level default, which need not be "
			"listed. Without any level all traffic is treated "
			"alike and the switches keep their own tables."},
	{SCHEMA_ROW(config_qos, rules, RECORDS), .record = &rule_schema,
		.def = "{}", .opensm = "qos_policy_file",
		.help = "Which traffic takes which level, by name. The first "
			"matching rule applies; a rule that names no traffic "
			"matches all. A rule that can never match, or that "
			"conflicts with another, is an error. Programs that "
			"do not ask for their paths choose a level "
			"themselves, by its sl."},
	{SCHEMA_ROW_AS(
		 "high_limit.hosts", config_qos, high_limit[QOS_HOSTS], INT),
		.max = 255, .def = "16", .unit = "4 KiB",
		.opensm = "qos_high_limit qos_ca_high_limit",
		.help = "How much a host port may send of high-priority levels "
			"before a low-priority one is served. 0: one packet. "
			"255: no limit."},
	{SCHEMA_ROW_AS("high_limit.switches", config_qos,
		 high_limit[QOS_SWITCHES], INT),
		.max = 255, .def = "16", .unit = "4 KiB",
		.opensm = "qos_swe_high_limit",
		.help = "The same as qos.high_limit.hosts, for external ports "
			"of switches."},
	{SCHEMA_ROW_AS(
		 "high_limit.port0", config_qos, high_limit[QOS_PORT0], INT),
		.max = 255, .def = "16", .unit = "4 KiB",
		.opensm = "qos_sw0_high_limit",
		.help = "The same as qos.high_limit.hosts, for enhanced ports "
			"0 of switches."},
	{SCHEMA_ROW_AS("high_limit.routers", config_qos,
		 high_limit[QOS_ROUTERS], INT),
		.max = 255, .def = "16", .unit = "4 KiB",
		.opensm = "qos_rtr_high_limit",
		.help = "The same as qos.high_limit.hosts, for ports of "
			"routers."},
	{SCHEMA_ROW(config_qos, shortage, ENUM), .choices = shortages,
		.def = "share",
		.help = "What to do where a link has fewer VLs than there are "
			"levels. share: on that link only, levels share VLs as "
			"their shares_with says. refuse: such a configuration "
			"is refused; if the fabric changes so, all levels "
			"share VLs everywhere until it is restored. Either "
			"raises an alarm."},
	{SCHEMA_ROW(config_qos, unknown_sl, ENUM), .choices = unknowns,
		.def = "default",
		.help = "Packets whose service level belongs to no level "
			"travel on that of the level default (default) or are "
			"discarded (drop; service level 0 is never "
			"discarded)."},
};

const struct schema qos_schema = {
	"qos", rows, sizeof(rows) / sizeof(rows[0]), sizeof(struct config_qos)};

/* ---- what texts mean ---- */

/* "N" or "N-M", both at most max. */
static bool
parse_range(const char *text, uint64_t max, struct qos_range *out)
{
	uint64_t *at[] = {&out->first, &out->last};
	const char *s = text;
	char *end;

	for (unsigned i = 0; i < 2; i++) {
		if (*s < '0' || *s > '9')
			return false;
		errno = 0;
		*at[i] = strtoull(s, &end, 0);
		if (errno != 0 || *at[i] > max)
			return false;
		if (i == 0 && *end == '\0') {
			out->last = out->first;
			return true;
		}
		if (*end != (i == 0 ? '-' : '\0'))
			return false;
		s = end + 1;
	}
	return out->first <= out->last;
}

/* Service IDs of rdma_cm: the port space, then the port. */
enum { PS_TCP = 0x0106, PS_UDP = 0x0111 };

static struct qos_range
rdma_cm_service_ids(uint64_t space, uint64_t first, uint64_t last)
{
	return (struct qos_range){space << 16 | first, space << 16 | last};
}

bool
qos_service(const char *text, struct qos_range *out)
{
	static const struct {
		const char *word;
		struct qos_range ids;
	} known[] = {
		{"iser", {0x01060cbc, 0x01060cbc}},
		{"lustre", {0x010603db, 0x010603db}},
		{"nfs", {0x01064e51, 0x01064e51}},
		{"nvme", {0x01061144, 0x01061144}},
		{"rds", {0x010648ca, 0x010648ca}},
		{"smb", {0x010601bd, 0x010601bd}},
		{"sdp", {0x00010000, 0x0001ffff}},
		{"rdma_cm", {0x01000000, 0x01ffffff}},
	};
	static const struct {
		const char *prefix;
		uint64_t space;
	} spaces[] = {{"tcp:", PS_TCP}, {"udp:", PS_UDP}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(text, known[i].word) == 0) {
			*out = known[i].ids;
			return true;
		}
	for (size_t i = 0; i < 2; i++) {
		size_t n = strlen(spaces[i].prefix);

		if (strncmp(text, spaces[i].prefix, n) != 0)
			continue;
		if (!parse_range(text + n, UINT16_MAX, out))
			return false;
		*out = rdma_cm_service_ids(
			spaces[i].space, out->first, out->last);
		return true;
	}
	return parse_range(text, UINT64_MAX, out);
}

bool
qos_no_service(const char *text)
{
	return strcmp(text, "ipoib") == 0;
}

bool
qos_class(const char *text, struct qos_range *out)
{
	return parse_range(text, 0xfff, out); /* 12 bits */
}

uint16_t
qos_pkey(const struct config *c, const char *text)
{
	const struct partition_options *p = c->partitions.record;
	struct qos_range r;

	for (size_t i = 0; i < c->partitions.n; i++)
		if (strcmp(c->partitions.name[i], text) == 0)
			return (uint16_t)p[i].pkey;
	if (!parse_range(text, UINT16_MAX, &r) || r.first != r.last)
		return 0;
	return r.first & PKEY_NUMBER;
}

/* ---- levels by number ---- */

/* The place of the default level in the file, or n: the file lacks it. */
static size_t
default_at(const struct schema_records *all)
{
	size_t i = 0;

	while (i < all->n && strcmp(all->name[i], default_name) != 0)
		i++;
	return i;
}

unsigned
qos_levels(const struct config *c)
{
	const struct schema_records *all = &c->qos.levels;

	if (all->n == 0)
		return 0;
	return (unsigned)(all->n + (default_at(all) == all->n ? 1 : 0));
}

/* The place in the file of level i > 0. */
static size_t
level_place(const struct schema_records *all, unsigned i)
{
	return i - 1 < default_at(all) ? i - 1 : i;
}

const struct qos_level_options *
qos_level(const struct config *c, unsigned i)
{
	static const struct qos_level_options usual = {
		.weight = QOS_DEFAULT_WEIGHT, .shares_with = default_name};
	const struct schema_records *all = &c->qos.levels;
	const struct qos_level_options *o = all->record;
	size_t builtin = default_at(all);

	if (i == 0)
		return builtin < all->n ? &o[builtin] : &usual;
	return &o[level_place(all, i)];
}

const char *
qos_level_name(const struct config *c, unsigned i)
{
	return i == 0 ? default_name
		      : c->qos.levels.name[level_place(&c->qos.levels, i)];
}

int
qos_find_level(const struct config *c, const char *name)
{
	for (unsigned i = 0; i < qos_levels(c); i++)
		if (strcmp(qos_level_name(c, i), name) == 0)
			return (int)i;
	return -1;
}

unsigned
qos_layers(const struct config *c)
{
	unsigned most = 1;

	for (size_t i = 0; i < c->nown; i++)
		for (const struct schema_module *const *m = c->modules;
			*m != NULL; m++) {
			unsigned n = 0;

			if ((*m)->options == c->own[i].schema &&
				(*m)->layers != NULL)
				n = (*m)->layers(c->own[i].value);
			most = n > most ? n : most;
		}
	return most;
}

/* ---- judging levels ---- */

static void
check_count(const struct config *c, struct diag_list *d)
{
	const struct schema_records *all = &c->qos.levels;
	unsigned n = qos_levels(c), layers = qos_layers(c);

	if (n > QOS_LEVELS)
		diag_add(d, all->at[all->n - 1], "too-many", "qos.levels",
			"qos.levels: %u levels, default among them, are too "
			"many: at most %u",
			n, QOS_LEVELS);
	else if (n * layers > QOS_SLS)
		diag_add(d, all->at[all->n - 1], "too-many", "qos.levels",
			"qos.levels: %u levels, default among them, times %u "
			"routing layers need %u service levels; "
			"there are %u",
			n, layers, n * layers, QOS_SLS);
}

static void
check_sl(const struct config *c, size_t i, struct diag_list *d)
{
	const struct schema_records *all = &c->qos.levels;
	const struct qos_level_options *o = all->record;
	struct diag *e;

	for (size_t k = 0; k < i; k++) {
		if (o[i].sl == 0 || o[i].sl != o[k].sl)
			continue;
		e = diag_add(d, all->at[i], "duplicate-value", "qos.levels",
			"qos.levels.%.60s: sl %u is already that of %.60s",
			all->name[i], o[i].sl - 1, all->name[k]);
		diag_note(d, e, all->at[k], "given here before");
		return;
	}
}

/* Following shares_with must end at the default level. */
static void
check_shares(const struct config *c, size_t i, struct diag_list *d)
{
	const struct schema_records *all = &c->qos.levels;
	const struct qos_level_options *o = all->record;
	int at = qos_find_level(c, o[i].shares_with);
	unsigned hops = 0;

	while (at > 0 && hops++ < QOS_LEVELS)
		at = qos_find_level(c, qos_level(c, (unsigned)at)->shares_with);
	if (at == 0)
		return;
	diag_add(d, all->at[i], "value", "qos.levels",
		hops > QOS_LEVELS
			? "qos.levels.%.60s: shares_with loops at %.60s"
			: "qos.levels.%.60s: shares_with %.60s does not lead "
			  "to a level that exists",
		all->name[i], o[i].shares_with);
}

/* Something must be adaptive, where levels say what is. */
static void
check_adaptive(const struct config *c, struct diag_list *d)
{
	const struct schema_records *all = &c->qos.levels;
	bool any = false;

	for (unsigned i = 0; i < qos_levels(c); i++)
		any |= qos_level(c, i)->adaptive;
	if (all->n > 0 && c->routing.adaptive.enabled && !any)
		diag_add(d, all->at[0], "conflict", "qos.levels",
			"qos.levels: routing.adaptive.enabled is true, and no "
			"level is adaptive");
}

bool
qos_adaptive_by_lid(const struct config *c)
{
	return c->routing.adaptive.enabled &&
	       c->routing.adaptive.by == CONFIG_BY_LID;
}

bool
qos_tells_adaptive(const struct config *c)
{
	bool ordered = c->routing.adaptive.sls != ALL_SLS;

	if (qos_adaptive_by_lid(c))
		return ordered;
	for (unsigned i = 0; i < qos_levels(c); i++)
		ordered |= !qos_level(c, i)->adaptive;
	return ordered;
}

static void
check_levels(const struct config *c, struct diag_list *d)
{
	check_count(c, d);
	check_adaptive(c, d);
	for (size_t i = 0; i < c->qos.levels.n; i++) {
		check_sl(c, i, d);
		if (strcmp(c->qos.levels.name[i], default_name) != 0)
			check_shares(c, i, d);
	}
}

/* ---- judging rules ---- */

static void
bad_text(const struct config *c, size_t i, const struct schema_text *t,
	const char *what, struct diag_list *d)
{
	diag_add(d, t->at, "value", "qos.rules",
		"qos.rules.%.60s: '%.60s' is not a %s", c->qos.rules.name[i],
		t->text, what);
}

static void
check_members(const struct config *c, size_t i, const struct schema_texts *t,
	struct diag_list *d)
{
	uint64_t guid;

	/* a mistyped GUID would be a pattern that fits nothing */
	for (size_t k = 0; k < t->n; k++)
		if (strncmp(t->entry[k].text, "0x", 2) == 0 &&
			partition_member(t->entry[k].text, &guid) !=
				PARTITION_GUID)
			bad_text(c, i, &t->entry[k],
				"GUID such as 0x0002c90300a1b2c3", d);
}

static void
check_texts(const struct config *c, size_t i, struct diag_list *d)
{
	const struct qos_rule_options *r =
		(const struct qos_rule_options *)c->qos.rules.record + i;
	struct qos_range ids;

	for (size_t k = 0; k < r->partitions.n; k++)
		if (qos_pkey(c, r->partitions.entry[k].text) == 0)
			bad_text(c, i, &r->partitions.entry[k],
				"partition or a P_Key such as 0x7fff", d);
	for (size_t k = 0; k < r->services.n; k++)
		if (!qos_no_service(r->services.entry[k].text) &&
			!qos_service(r->services.entry[k].text, &ids))
			bad_text(c, i, &r->services.entry[k],
				"service: a word, tcp:PORT, or IDs such as "
				"0x10000-0x1ffff",
				d);
	for (size_t k = 0; k < r->classes.n; k++)
		if (!qos_class(r->classes.entry[k].text, &ids))
			bad_text(c, i, &r->classes.entry[k],
				"QoS class: 0 to 4095, or a range such as 8-15",
				d);
	check_members(c, i, &r->with, d);
	check_members(c, i, &r->among, d);
}

static void
check_level(const struct config *c, size_t i, struct diag_list *d)
{
	const struct schema_records *all = &c->qos.rules;
	const struct qos_rule_options *r = all->record;
	struct suggest s = suggest_for(r[i].level);

	if (qos_find_level(c, r[i].level) >= 0)
		return;
	for (unsigned k = 0; k < qos_levels(c); k++)
		suggest_offer(&s, qos_level_name(c, k));
	if (s.best != NULL)
		diag_add(d, all->at[i], "unknown-level", "qos.rules",
			"qos.rules.%.60s: there is no level '%.60s'; did you "
			"mean '%.60s'?",
			all->name[i], r[i].level, s.best);
	else
		diag_add(d, all->at[i], "unknown-level", "qos.rules",
			"qos.rules.%.60s: there is no level '%.60s'",
			all->name[i], r[i].level);
}

/* One kind of thing that rules name, and how two texts of it compare. */
struct kind {
	const struct config *c;
	bool (*meet)(const struct kind *k, const char *a, const char *b);
	bool (*inside)(const struct kind *k, const char *a, const char *b);
	bool (*read)(const char *text, struct qos_range *out);
};

/* Compares texts as ranges; a text that is no range meets only itself. */
static bool
ranges_meet(const struct kind *k, const char *a, const char *b)
{
	struct qos_range x, y;

	if (!k->read(a, &x) || !k->read(b, &y))
		return strcmp(a, b) == 0;
	return x.first <= y.last && y.first <= x.last;
}

static bool
ranges_inside(const struct kind *k, const char *a, const char *b)
{
	struct qos_range x, y;

	if (!k->read(a, &x) || !k->read(b, &y))
		return strcmp(a, b) == 0;
	return y.first <= x.first && x.last <= y.last;
}

static bool
pkeys_same(const struct kind *k, const char *a, const char *b)
{
	return qos_pkey(k->c, a) == qos_pkey(k->c, b);
}

/* Only the fabric shows which ports a text names: the same text is the same. */
static bool
texts_same(const struct kind *k, const char *a, const char *b)
{
	(void)k;
	return strcmp(a, b) == 0;
}

/* True if b names all that a names; an empty list names everything. */
static bool
all_inside(const struct kind *k, const struct schema_texts *a,
	const struct schema_texts *b)
{
	size_t i, m;

	if (b->n == 0 || a->n == 0)
		return b->n == 0;
	for (i = 0; i < a->n; i++) {
		for (m = 0; m < b->n; m++)
			if (k->inside(k, a->entry[i].text, b->entry[m].text))
				break;
		if (m == b->n)
			return false;
	}
	return true;
}

static bool
some_meet(const struct kind *k, const struct schema_texts *a,
	const struct schema_texts *b)
{
	if (a->n == 0 || b->n == 0)
		return a->n == b->n;
	for (size_t i = 0; i < a->n; i++)
		for (size_t m = 0; m < b->n; m++)
			if (k->meet(k, a->entry[i].text, b->entry[m].text))
				return true;
	return false;
}

enum { KINDS = 5 };

/*
 * Report rule b where the earlier rule a covers all of it, so that b never
 * applies, and where the two give different levels, name the same kinds of
 * things and some of the same things, so that the intention is unclear.
 */
static void
check_pair(const struct config *c, size_t a, size_t b, struct diag_list *d)
{
	const struct kind kind[KINDS] = {
		{c, pkeys_same, pkeys_same, NULL},
		{c, ranges_meet, ranges_inside, qos_service},
		{c, ranges_meet, ranges_inside, qos_class},
		{c, texts_same, texts_same, NULL},
		{c, texts_same, texts_same, NULL},
	};
	const struct schema_records *all = &c->qos.rules;
	const struct qos_rule_options *r = all->record;
	const struct schema_texts *x[KINDS] = {&r[a].partitions, &r[a].services,
		&r[a].classes, &r[a].with, &r[a].among};
	const struct schema_texts *y[KINDS] = {&r[b].partitions, &r[b].services,
		&r[b].classes, &r[b].with, &r[b].among};
	bool inside = true, meet = true;
	struct diag *e;

	for (size_t i = 0; i < KINDS; i++) {
		inside &= all_inside(&kind[i], y[i], x[i]);
		meet &= some_meet(&kind[i], x[i], y[i]);
	}
	if (!inside && (!meet || strcmp(r[a].level, r[b].level) == 0))
		return;
	e = diag_add(d, all->at[b], "overlap", "qos.rules",
		inside ? "qos.rules.%.60s: never applies: %.60s covers all of "
			 "it"
		       : "qos.rules.%.60s: overlaps %.60s",
		all->name[b], all->name[a]);
	diag_note(d, e, all->at[a], "the rule before it");
}

static void
check_rules(const struct config *c, struct diag_list *d)
{
	const struct schema_records *all = &c->qos.rules;
	size_t i, k;

	if (all->n > 0 && qos_levels(c) == 0)
		diag_add(d, all->at[0], "missing-key", "qos.rules",
			"qos.rules: there are rules but no qos.levels");
	for (i = 0; i < all->n && qos_levels(c) > 0; i++) {
		check_level(c, i, d);
		check_texts(c, i, d);
	}
	for (i = 0; i < all->n && diag_count(d) == 0; i++)
		for (k = 0; k < i; k++)
			check_pair(c, k, i, d);
}

/* With QoS levels, rules give the level of a partition's group, not its SL. */
static void
check_groups(const struct config *c, struct diag_list *d)
{
	const struct partition_options *p = c->partitions.record;

	for (size_t i = 0; i < c->partitions.n && qos_levels(c) > 0; i++)
		if (p[i].ipoib.sl != 0)
			diag_add(d, c->partitions.at[i], "conflict",
				"partitions",
				"partitions.%.60s.ipoib.sl: where there are "
				"qos.levels, a rule with this partition gives "
				"its level",
				c->partitions.name[i]);
}

void
qos_check(const struct config *c, struct diag_list *d)
{
	check_levels(c, d);
	check_rules(c, d);
	check_groups(c, d);
}
