/*
 * OpenSM's QoS policy (qos-policy.conf): rules that give path queries an SL, as
 * qos.rules. Match rules come first, then those of qos-ulps, then the default;
 * in each the first that fits counts. Heddle wants rules of one kind
 * separate_rules from each other: what an earlier rule has taken is left out of
 * a later one.
 *
 * A rule of OpenSM has a direction, one of Heddle treats both ends alike, as
 * the answers of a connection need it. What has no counterpart is listed line
 * by line: ranges of GUIDs, P_Keys of port groups, limits of levels.
 *
 * OpenSM's doc/QoS_management_in_OpenSM.txt.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/import/import_priv.h"
#include "config/partition_options.h"
#include "config/qos_options.h"
#include "sm/base/mem.h"

enum {
	NAME = 64,
	TEXT = 1024,
	EXPAND = 16, /* P_Keys or GUIDs of a range, one by one */
	NO_SL = QOS_SLS,
	SDP = 0x10000, /* service IDs: by TCP port */
	RDMA_CM = 0x1060000,
	PORT_MAX = 0xffff
};

enum kind { PKEYS, SERVICES, CLASSES, KINDS };

static const struct {
	const char *key;
	uint64_t max;
	bool hex;
} kinds[KINDS] = {
	[PKEYS] = {"partitions", 0xffff, true},
	[SERVICES] = {"services", UINT64_MAX, true},
	[CLASSES] = {"classes", 0xfff, false},
};

struct range {
	uint64_t first, last;
};

struct ranges {
	struct range *at;
	size_t n, cap;
};

/* Ports: a list of texts as in qos.rules.NAME.with. */
struct group {
	char name[NAME];
	struct buf ports;
	bool all; /* every port */
};

struct level {
	char name[NAME];
	unsigned sl; /* NO_SL: it gives none */
};

struct rule {
	unsigned line;
	unsigned sl;
	char level[NAME];
	bool given[KINDS];
	struct ranges of[KINDS];
	const struct group *end[2]; /* source, destination; NULL: not given */
	struct buf ports;	    /* of a rule of qos-ulps */
	bool bad;		    /* a part of it is lost */
};

enum policy_section {
	NOWHERE,
	ULPS,
	GROUPS,
	GROUP,
	SETUP,
	LEVELS,
	LEVEL,
	RULES,
	RULE
};

struct policy {
	const struct import_file *file;
	struct import_qos *qos;
	struct import_notes *notes;
	enum policy_section in;
	unsigned line;
	struct group **group; /* pointers: rules keep them */
	size_t ngroups, capgroups;
	struct level *level;
	size_t nlevels, caplevels;
	struct rule rule; /* being read */
	struct rule *match, *ulp;
	size_t nmatch, capmatch, nulp, capulp;
	unsigned default_sl;
	struct ranges taken[KINDS]; /* by rules of that kind alone */
	bool directed;		    /* it was noted what becomes of ends */
};

#define LOST(p, ...) import_lost((p)->notes, (p)->file, (p)->line, __VA_ARGS__)

/* ---- ranges ---- */

static void
add_range(struct ranges *r, uint64_t first, uint64_t last)
{
	r->at = mem_grow(r->at, r->n, &r->cap, sizeof(*r->at));
	r->at[r->n++] = (struct range){first, last};
}

/* A number up to max at *s, moved behind it and the blanks around it. */
static bool
take_number(const char **s, uint64_t max, uint64_t *out)
{
	char *end;

	*s += strspn(*s, " \t");
	if (**s < '0' || **s > '9')
		return false;
	errno = 0;
	*out = strtoull(*s, &end, 0);
	*s = end + strspn(end, " \t");
	return errno == 0 && *out <= max;
}

/* "7-9,11", each moved up by base; false: not understood. */
static bool
read_ranges(const char *s, uint64_t max, uint64_t base, struct ranges *out)
{
	for (;; s++) {
		uint64_t a, b;

		if (!take_number(&s, max, &a))
			return false;
		b = a;
		if (*s == '-') {
			s++;
			if (!take_number(&s, max, &b) || b < a)
				return false;
		}
		add_range(out, base + a, base + b);
		if (*s != ',')
			return *s == '\0';
	}
}

/* Leave out of r what is in cut. */
static void
cut_ranges(struct ranges *r, const struct ranges *cut)
{
	for (size_t k = 0; k < cut->n; k++) {
		struct ranges left = {0};

		for (size_t i = 0; i < r->n; i++) {
			struct range x = r->at[i], c = cut->at[k];

			if (x.last < c.first || x.first > c.last) {
				add_range(&left, x.first, x.last);
				continue;
			}
			if (x.first < c.first)
				add_range(&left, x.first, c.first - 1);
			if (x.last > c.last)
				add_range(&left, c.last + 1, x.last);
		}
		free(r->at);
		*r = left;
	}
}

/* ---- port groups ---- */

static void
add_text(struct buf *out, const char *text)
{
	buf_printf(out, "%s\"%s\"", out->n > 0 ? ", " : "", text);
}

/* Append the GUIDs that s lists, and those of short ranges, as ports of a rule;
 * false: s is not understood, or a range is too long. */
static bool
add_guids(struct policy *p, const char *s, struct buf *out)
{
	struct ranges r = {0};
	bool ok = read_ranges(s, UINT64_MAX, 0, &r);
	char text[32];

	for (size_t i = 0; ok && i < r.n; i++) {
		uint64_t n = r.at[i].last - r.at[i].first;

		if (n >= EXPAND || r.at[i].first == 0) {
			LOST(p,
				"port GUIDs 0x%" PRIx64 "-0x%" PRIx64
				": a range has no counterpart, only GUIDs have",
				r.at[i].first, r.at[i].last);
			continue;
		}
		for (uint64_t k = 0; k <= n; k++) {
			(void)snprintf(text, sizeof(text), "0x%016" PRIx64,
				r.at[i].first + k);
			add_text(out, text);
		}
	}
	free(r.at);
	return ok;
}

/* True if a rule takes this for the name of a node, and nothing else. */
static bool
is_plain_name(const char *name)
{
	static const char *const words[] = {
		"all", "hosts", "switches", "routers", "sm"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(name, words[i]) == 0)
			return false;
	for (const char *c = name; *c != '\0'; c++)
		if (*c < 0x20 || *c > 0x7e)
			return false;
	return *name != '\0' && strpbrk(name, "\"\\*?[]") == NULL &&
	       strncmp(name, "0x", 2) != 0;
}

/* "node description/P1": names of nodes. */
static void
add_name(struct policy *p, struct group *g, char *name)
{
	char *port = strrchr(name, '/');

	if (port != NULL)
		*port = '\0';
	if (!is_plain_name(name)) {
		LOST(p,
			"port-name '%.60s': not a name that can stand in a "
			"rule",
			name);
		return;
	}
	if (port != NULL && strcmp(port + 1, "P1") != 0)
		LOST(p,
			"port-name '%.60s': port %.10s alone has no "
			"counterpart, a name means all ports of its node",
			name, port + 1);
	add_text(&g->ports, name);
}

static void
add_type(struct policy *p, struct group *g, const char *type)
{
	static const char *const words[][2] = {{"CA", "hosts"},
		{"SWITCH", "switches"}, {"ROUTER", "routers"}, {"SELF", "sm"}};

	if (strcasecmp(type, "ALL") == 0) {
		g->all = true;
		return;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(type, words[i][0]) == 0) {
			add_text(&g->ports, words[i][1]);
			return;
		}
	LOST(p, "node-type %.40s: not understood", type);
}

static void
take_group(struct policy *p, const char *key, char *value)
{
	struct group *g = p->group[p->ngroups - 1];
	char *save = NULL, *word;

	if (strcmp(key, "name") == 0) {
		(void)snprintf(g->name, sizeof(g->name), "%s", value);
	} else if (strcmp(key, "port-guid") == 0) {
		if (!add_guids(p, value, &g->ports))
			LOST(p, "port-guid: not understood");
	} else if (strcmp(key, "port-name") == 0 ||
		   strcmp(key, "node-type") == 0) {
		for (word = strtok_r(value, ",", &save); word != NULL;
			word = strtok_r(NULL, ",", &save)) {
			word += strspn(word, " \t");
			word[strcspn(word, "\t")] = '\0';
			if (key[0] == 'p')
				add_name(p, g, word);
			else
				add_type(p, g, word);
		}
	} else if (strcmp(key, "use") != 0) {
		LOST(p,
			"%.20s %.60s: a rule names ports, not partitions of "
			"ports",
			key, value);
	}
}

static const struct group *
find_group(const struct policy *p, const char *name)
{
	for (size_t i = 0; i < p->ngroups; i++)
		if (strcasecmp(p->group[i]->name, name) == 0)
			return p->group[i];
	return NULL;
}

/* ---- levels ---- */

static void
take_level(struct policy *p, const char *key, const char *value)
{
	struct level *l = &p->level[p->nlevels - 1];
	const char *s = value;
	uint64_t sl;

	if (strcmp(key, "name") == 0) {
		(void)snprintf(l->name, sizeof(l->name), "%s", value);
	} else if (strcmp(key, "sl") == 0) {
		if (take_number(&s, QOS_SLS - 1, &sl) && *s == '\0')
			l->sl = (unsigned)sl;
		else
			LOST(p, "sl %.20s: not a number from 0 to 15", value);
	} else if (strcmp(key, "use") != 0) {
		LOST(p,
			"%.20s %.40s: not carried over; qos.levels has "
			"mtu_limit, rate_limit and packet_lifetime",
			key, value);
	}
}

static unsigned
find_level(const struct policy *p, const char *name)
{
	for (size_t i = 0; i < p->nlevels; i++)
		if (strcasecmp(p->level[i].name, name) == 0)
			return p->level[i].sl;
	return NO_SL;
}

/* ---- rules ---- */

static void
take_kind(struct policy *p, struct rule *r, enum kind k, const char *value)
{
	if (read_ranges(value, kinds[k].max, 0, &r->of[k])) {
		r->given[k] = true;
		return;
	}
	r->bad = true;
	LOST(p, "'%.60s': not understood; the rule is left out", value);
}

static void
take_end(struct policy *p, struct rule *r, unsigned end, const char *name)
{
	const struct group *g = find_group(p, name);

	if (g != NULL && r->end[end] == NULL && (g->all || g->ports.n > 0)) {
		r->end[end] = g;
		return;
	}
	r->bad = true;
	LOST(p, "group '%.60s': %s; the rule is left out", name,
		g == NULL	      ? "there is no such group"
		: r->end[end] != NULL ? "a second one has no counterpart"
				      : "none of its ports was carried over");
}

static void
take_rule(struct policy *p, const char *key, const char *value)
{
	struct rule *r = &p->rule;

	if (strcmp(key, "qos-level-name") == 0)
		(void)snprintf(r->level, sizeof(r->level), "%s", value);
	else if (strcmp(key, "pkey") == 0)
		take_kind(p, r, PKEYS, value);
	else if (strcmp(key, "service-id") == 0)
		take_kind(p, r, SERVICES, value);
	else if (strcmp(key, "qos-class") == 0)
		take_kind(p, r, CLASSES, value);
	else if (strcmp(key, "source") == 0)
		take_end(p, r, 0, value);
	else if (strcmp(key, "destination") == 0)
		take_end(p, r, 1, value);
	else if (strcmp(key, "use") != 0)
		LOST(p, "%.20s: not understood", key);
}

/* ---- qos-ulps ---- */

/* What a line of qos-ulps matches, before its ':'. False: not understood. */
static bool
match_ulp(struct policy *p, struct rule *r, const char *protocol,
	const char *what, const char *values)
{
	static const struct {
		const char *protocol;
		uint64_t base, first, last; /* ports without port-num */
	} by_port[] = {{"sdp", SDP, 0, PORT_MAX},
		{"rds", RDMA_CM, 0x48ca, 0x48ca},
		{"iser", RDMA_CM, 0x0cbc, 0x0cbc}};

	for (size_t i = 0; i < sizeof(by_port) / sizeof(by_port[0]); i++) {
		if (strcmp(protocol, by_port[i].protocol) != 0)
			continue;
		r->given[SERVICES] = true;
		if (*what == '\0')
			add_range(&r->of[SERVICES],
				by_port[i].base + by_port[i].first,
				by_port[i].base + by_port[i].last);
		return *what == '\0' ||
		       (strcmp(what, "port-num") == 0 &&
			       read_ranges(values, PORT_MAX, by_port[i].base,
				       &r->of[SERVICES]));
	}
	if (strcmp(protocol, "ipoib") == 0 && *what == '\0') {
		r->given[PKEYS] = true;
		add_range(&r->of[PKEYS], PARTITION_DEFAULT_KEY,
			PARTITION_DEFAULT_KEY);
		return true;
	}
	if (strcmp(what, "pkey") == 0 || strcmp(what, "service-id") == 0) {
		enum kind k = what[0] == 'p' ? PKEYS : SERVICES;

		r->given[k] = true;
		return read_ranges(values, kinds[k].max, 0, &r->of[k]);
	}
	return (strcmp(what, "target-port-guid") == 0 ||
		       strcmp(what, "source-port-guid") == 0) &&
	       add_guids(p, values, &r->ports);
}

/* "sdp, port-num 10000-20000 : 2" */
static void
take_ulp(struct policy *p, char *text)
{
	char *colon = strrchr(text, ':'), *protocol, *what, *save = NULL;
	struct rule r = {.line = p->line};
	const char *s = colon != NULL ? colon + 1 : "";
	uint64_t sl;

	if (colon == NULL || !take_number(&s, QOS_SLS - 1, &sl) || *s != '\0') {
		LOST(p, "'%.60s': no SL from 0 to 15 at its end", text);
		return;
	}
	*colon = '\0';
	protocol = strtok_r(text, ", \t", &save);
	what = strtok_r(NULL, ", \t", &save);
	r.sl = (unsigned)sl;
	if (protocol != NULL && what == NULL &&
		strcmp(protocol, "default") == 0) {
		p->default_sl = r.sl;
		return;
	}
	r.bad = protocol == NULL ||
		!match_ulp(p, &r, protocol, what != NULL ? what : "",
			save != NULL ? save : "");
	if (r.bad)
		LOST(p, "'%.40s %.40s': not understood",
			protocol != NULL ? protocol : "",
			what != NULL ? what : "");
	p->ulp = mem_grow(p->ulp, p->nulp, &p->capulp, sizeof(*p->ulp));
	p->ulp[p->nulp++] = r;
}

/* ---- lines ---- */

static void
begin_part(struct policy *p, enum policy_section in)
{
	p->in = in;
	if (in == GROUP) {
		p->group = mem_grow(p->group, p->ngroups, &p->capgroups,
			sizeof(struct group *));
		p->group[p->ngroups++] = mem_zalloc(1, sizeof(struct group));
	} else if (in == LEVEL) {
		p->level = mem_grow(
			p->level, p->nlevels, &p->caplevels, sizeof(*p->level));
		p->level[p->nlevels++] = (struct level){.sl = NO_SL};
	} else if (in == RULE) {
		p->rule = (struct rule){.line = p->line};
	}
}

static void
end_rule(struct policy *p)
{
	p->match =
		mem_grow(p->match, p->nmatch, &p->capmatch, sizeof(*p->match));
	p->match[p->nmatch++] = p->rule;
	p->rule = (struct rule){0};
}

/* A keyword that begins or ends a section; false: it is none. */
static bool
take_keyword(struct policy *p, const char *word)
{
	static const struct {
		const char *word;
		enum policy_section from, to;
	} words[] = {
		{"qos-ulps", NOWHERE, ULPS},
		{"end-qos-ulps", ULPS, NOWHERE},
		{"port-groups", NOWHERE, GROUPS},
		{"end-port-groups", GROUPS, NOWHERE},
		{"port-group", GROUPS, GROUP},
		{"end-port-group", GROUP, GROUPS},
		{"qos-setup", NOWHERE, SETUP},
		{"end-qos-setup", SETUP, NOWHERE},
		{"qos-levels", NOWHERE, LEVELS},
		{"end-qos-levels", LEVELS, NOWHERE},
		{"qos-level", LEVELS, LEVEL},
		{"end-qos-level", LEVEL, LEVELS},
		{"qos-match-rules", NOWHERE, RULES},
		{"end-qos-match-rules", RULES, NOWHERE},
		{"qos-match-rule", RULES, RULE},
		{"end-qos-match-rule", RULE, RULES},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcasecmp(words[i].word, word) != 0)
			continue;
		if (p->in != words[i].from)
			return false;
		if (p->in == RULE)
			end_rule(p);
		if (words[i].from < words[i].to)
			begin_part(p, words[i].to);
		p->in = words[i].to;
		return true;
	}
	return false;
}

/* "key: value", in the part that it stands in. */
static void
take_entry(struct policy *p, char *text)
{
	char *value = text + strcspn(text, ":");
	char key[NAME];

	(void)snprintf(
		key, sizeof(key), "%.*s", (int)strcspn(text, ": \t"), text);
	for (char *c = key; *c != '\0'; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c + ('a' - 'A'));
	if (*value == '\0' ||
		(p->in != GROUP && p->in != LEVEL && p->in != RULE)) {
		LOST(p, "'%.60s': not understood", text);
		return;
	}
	value++;
	value += strspn(value, " \t");
	if (p->in == GROUP)
		take_group(p, key, value);
	else if (p->in == LEVEL)
		take_level(p, key, value);
	else
		take_rule(p, key, value);
}

static void
read_policy(struct policy *p)
{
	struct import_line line;
	char text[TEXT];
	size_t at = 0;

	while (import_next_line(p->file, &at, &line, p->notes)) {
		p->line = line.number;
		(void)snprintf(text, sizeof(text), "%s%s%s", line.key,
			*line.rest != '\0' ? " " : "", line.rest);
		if (take_keyword(p, text) || p->in == SETUP)
			continue;
		if (p->in == ULPS)
			take_ulp(p, text);
		else
			take_entry(p, text);
	}
	if (p->in != NOWHERE)
		LOST(p, "the file ends within a section");
}

/* ---- printing ---- */

/* "0x10-0x1f"; "7". */
static void
add_span(struct buf *list, enum kind k, struct range x)
{
	struct buf text = {0};

	if (kinds[k].hex)
		buf_printf(&text, "0x%" PRIx64, x.first);
	else
		buf_printf(&text, "%" PRIu64, x.first);
	if (x.last != x.first && kinds[k].hex)
		buf_printf(&text, "-0x%" PRIx64, x.last);
	else if (x.last != x.first)
		buf_printf(&text, "-%" PRIu64, x.last);
	add_text(list, text.text);
	buf_free(&text);
}

/* False: a range of P_Keys is too wide to be listed. */
static bool
print_kind(struct policy *p, const struct rule *r, enum kind k, struct buf *out)
{
	struct buf list = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < r->of[k].n; i++) {
		struct range x = r->of[k].at[i];

		ok = k != PKEYS || x.last - x.first < EXPAND;
		if (ok && k != PKEYS)
			add_span(&list, k, x);
		for (uint64_t v = x.first; ok && k == PKEYS && v <= x.last; v++)
			add_span(&list, k,
				(struct range){v & PARTITION_DEFAULT_KEY,
					v & PARTITION_DEFAULT_KEY});
	}
	if (ok)
		buf_printf(out, "      %s: [%s]\n", kinds[k].key, list.text);
	else
		LOST(p,
			"a range of more than %d P_Keys has no counterpart; "
			"the rule is left out",
			EXPAND);
	buf_free(&list);
	return ok;
}

/* The ports of a rule; false: they have no counterpart. */
static bool
print_ports(struct policy *p, const struct rule *r, struct buf *out)
{
	const struct group *a = r->end[0], *b = r->end[1];
	const char *key = "with", *ports = r->ports.text;

	if (a != NULL && a->all)
		a = NULL;
	if (b != NULL && b->all)
		b = NULL;
	if (a != NULL && a == b)
		key = "among";
	else if (a != NULL && b != NULL) {
		LOST(p, "from one group to another: Heddle's rules have one "
			"group; the rule is left out");
		return false;
	}
	if (a != NULL || b != NULL)
		ports = (a != NULL ? a : b)->ports.text;
	if (ports == NULL)
		return true;
	buf_printf(out, "      %s: [%s]\n", key, ports);
	if (strcmp(key, "with") == 0 && !p->directed)
		import_note(p->notes, p->file, p->line,
			"rules with a source or a destination apply to paths "
			"from and to these ports, as connections need it");
	p->directed |= strcmp(key, "with") == 0;
	return true;
}

/* Leave out what rules before this one have taken. False: that is all of it. */
static bool
subtract_earlier(struct policy *p, struct rule *r)
{
	unsigned n = 0, only = 0;

	for (unsigned k = 0; k < KINDS; k++)
		if (r->given[k]) {
			n++;
			only = k;
		}
	if (n != 1 || r->end[0] != NULL || r->end[1] != NULL || r->ports.n > 0)
		return true;
	cut_ranges(&r->of[only], &p->taken[only]);
	for (size_t i = 0; i < r->of[only].n; i++)
		add_range(&p->taken[only], r->of[only].at[i].first,
			r->of[only].at[i].last);
	return r->of[only].n > 0;
}

static void
give_rule(struct policy *p, struct rule *r)
{
	struct buf text = {0};
	bool ok = !r->bad, any = r->ports.n > 0;

	p->line = r->line;
	if (ok && r->sl >= QOS_SLS) {
		LOST(p, "level '%.60s' gives no SL; the rule is left out",
			r->level);
		ok = false;
	}
	if (ok && !subtract_earlier(p, r)) {
		import_note(p->notes, p->file, p->line,
			"the rules before it have taken all of it");
		ok = false;
	}
	ok = ok && print_ports(p, r, &text);
	for (unsigned k = 0; k < KINDS; k++) {
		any |= r->given[k];
		if (ok && r->given[k])
			ok = print_kind(p, r, (enum kind)k, &text);
	}
	any |= r->end[0] != NULL || r->end[1] != NULL;
	if (ok && !any) {
		LOST(p, "a rule that matches nothing in particular");
		ok = false;
	}
	if (ok)
		import_qos_rule(p->qos, p->file, r->line, r->sl,
			text.text != NULL ? text.text : "");
	buf_free(&text);
}

static void
give_rules(struct policy *p)
{
	unsigned sl = find_level(p, "DEFAULT");

	for (size_t i = 0; i < p->nmatch; i++) {
		p->match[i].sl = find_level(p, p->match[i].level);
		give_rule(p, &p->match[i]);
	}
	for (size_t i = 0; i < p->nulp; i++)
		give_rule(p, &p->ulp[i]);
	import_qos_default(p->qos, p->file, sl < QOS_SLS ? sl : p->default_sl);
}

static void
free_rules(struct rule *rule, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (unsigned k = 0; k < KINDS; k++)
			free(rule[i].of[k].at);
		buf_free(&rule[i].ports);
	}
	free(rule);
}

static void
policy_free(struct policy *p)
{
	free_rules(p->match, p->nmatch);
	free_rules(p->ulp, p->nulp);
	for (unsigned k = 0; k < KINDS; k++) {
		free(p->rule.of[k].at); /* of a file that ends in it */
		free(p->taken[k].at);
	}
	for (size_t i = 0; i < p->ngroups; i++) {
		buf_free(&p->group[i]->ports);
		free(p->group[i]);
	}
	free(p->group);
	free(p->level);
}

void
import_policy(const struct import_file *f, struct import_qos *q,
	struct import_notes *n)
{
	struct policy p = {.file = f, .qos = q, .notes = n, .default_sl = 0};

	read_policy(&p);
	give_rules(&p);
	policy_free(&p);
}
