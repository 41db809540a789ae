/*
 * qos_* of opensm.conf: tables for all ports and for four classes of them. The
 * SLs that its SL2VL puts on one VL become a level; what the arbitration gives
 * that VL becomes the level's weight and priority. Tables that are not given
 * have OpenSM's defaults.
 *
 * torus-2QoS has an SL2VL of its own: a level is VL 0 or 1 at ports of hosts,
 * and VLs 0 to 3 or 4 to 7 between switches, which should weigh alike.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/config.h"
#include "config/import/import_priv.h"
#include "config/qos_options.h"
#include "sm/base/mem.h"

enum { VLS = 15, DROP = 15, MOST = 255, NAME = 64 };
enum { TORUS_SLS = 8, TORUS_VLS = 4 }; /* of a level of torus-2QoS */

enum class { ALL, HOSTS, PORT0, SWITCHES, ROUTERS, CLASSES };

static const struct {
	const char *prefix; /* the longest that fits counts */
	const char *ours;
} classes[CLASSES] = {
	[ALL] = {"qos_", NULL},
	[HOSTS] = {"qos_ca_", "hosts"},
	[PORT0] = {"qos_sw0_", "port0"},
	[SWITCHES] = {"qos_swe_", "switches"},
	[ROUTERS] = {"qos_rtr_", "routers"},
};

struct tables {
	bool low_given, high_given, limit_given;
	unsigned low[VLS], high[VLS]; /* weights */
	unsigned limit;
};

struct part_sl {
	char name[NAME];
	unsigned pkey, sl;
};

/* A rule of a policy. */
struct policy_rule {
	unsigned line; /* 0: for what no other rule matches */
	unsigned sl;
	char *yaml; /* what it matches */
};

struct import_qos {
	bool on;
	struct tables of[CLASSES];
	unsigned vl[QOS_SLS];
	bool vl_given;
	bool torus; /* the engine is torus-2QoS: vl is as at ports of hosts */
	struct part_sl *part;
	size_t nparts, capparts;
	struct policy_rule *rule;
	size_t nrules, caprules;
	struct import_file policy; /* its name, for messages */
	bool has_policy;
	unsigned usual; /* SL where no rule of the policy matches */
};

struct import_qos *
import_qos_new(void)
{
	struct import_qos *q = mem_zalloc(1, sizeof(*q));

	q->of[ALL].high[0] = 4;
	for (unsigned i = 1; i < VLS; i++)
		q->of[ALL].low[i] = 4;
	for (unsigned i = 0; i < QOS_SLS; i++)
		q->vl[i] = i < DROP ? i : 7;
	return q;
}

void
import_qos_free(struct import_qos *q)
{
	if (q == NULL)
		return;
	for (size_t i = 0; i < q->nrules; i++)
		free(q->rule[i].yaml);
	free(q->rule);
	free(q->part);
	free(q);
}

void
import_qos_torus(struct import_qos *q)
{
	q->torus = true;
	for (unsigned i = 0; i < QOS_SLS; i++)
		q->vl[i] = i / TORUS_SLS;
}

bool
import_qos_on(const struct import_qos *q)
{
	return q->on;
}

void
import_qos_partition(
	struct import_qos *q, const char *name, unsigned pkey, unsigned sl)
{
	struct part_sl *p;

	q->part = mem_grow(q->part, q->nparts, &q->capparts, sizeof(*q->part));
	p = &q->part[q->nparts++];
	(void)snprintf(p->name, sizeof(p->name), "%s", name);
	p->pkey = pkey;
	p->sl = sl;
}

void
import_qos_rule(struct import_qos *q, const struct import_file *f,
	unsigned line, unsigned sl, const char *yaml)
{
	q->policy.name = f->name;
	q->rule = mem_grow(q->rule, q->nrules, &q->caprules, sizeof(*q->rule));
	q->rule[q->nrules++] = (struct policy_rule){line, sl, mem_strdup(yaml)};
}

void
import_qos_default(
	struct import_qos *q, const struct import_file *f, unsigned sl)
{
	q->policy.name = f->name;
	q->has_policy = true;
	q->usual = sl;
}

/* ---- reading ---- */

/* A decimal number up to max at *s, moved behind it. */
static bool
parse_number(const char **s, unsigned max, unsigned *out)
{
	unsigned long n;
	char *end;

	while (**s == ' ')
		(*s)++;
	if (**s < '0' || **s > '9')
		return false;
	n = strtoul(*s, &end, 0);
	*s = end;
	*out = (unsigned)n;
	return n <= max;
}

/* "0:4,1:0": each VL gets the sum of its weights. */
static bool
read_weights(const char *s, unsigned weight[VLS])
{
	unsigned got[VLS] = {0}, vl, w;

	for (;; s++) {
		if (!parse_number(&s, VLS - 1, &vl) || *s++ != ':' ||
			!parse_number(&s, MOST, &w))
			return false;
		got[vl] += w;
		if (*s == '\0')
			break;
		if (*s != ',')
			return false;
	}
	memcpy(weight, got, sizeof(got));
	return true;
}

static bool
read_sl2vl(const char *s, unsigned vl[QOS_SLS])
{
	unsigned got[QOS_SLS];

	for (unsigned i = 0; i < QOS_SLS; i++) {
		if (!parse_number(&s, DROP, &got[i]))
			return false;
		if (*s != (i + 1 < QOS_SLS ? ',' : '\0'))
			return false;
		s += i + 1 < QOS_SLS;
	}
	memcpy(vl, got, sizeof(got));
	return true;
}

static enum class class_of(const char *key) {
	enum class best = ALL;

	for (unsigned i = HOSTS; i < CLASSES;
		i++) if (strncmp(key, classes[i].prefix,
				 strlen(classes[i].prefix)) == 0)
		best = (enum class)i;
	return best;
}

/* One of the tables; false: no such key, or not understood. */
static bool
take_table(struct import_qos *q, enum class c, const char *key, const char *v)
{
	struct tables *t = &q->of[c];
	const char *s = v;

	if (strcmp(key, "vlarb_low") == 0) {
		t->low_given |= read_weights(v, t->low);
		return t->low_given;
	}
	if (strcmp(key, "vlarb_high") == 0) {
		t->high_given |= read_weights(v, t->high);
		return t->high_given;
	}
	if (strcmp(key, "sl2vl") == 0 && c == ALL) {
		q->vl_given |= read_sl2vl(v, q->vl);
		return q->vl_given;
	}
	if (strcmp(key, "high_limit") == 0) {
		if (strcmp(v, "-1") == 0) /* as for all ports */
			return true;
		t->limit_given =
			parse_number(&s, MOST, &t->limit) && *s == '\0';
		return t->limit_given;
	}
	return false;
}

bool
import_qos_take(struct import_qos *q, const char *key, const char *v)
{
	enum class c = class_of(key);

	if (strcmp(key, "qos") == 0) {
		q->on = strcasecmp(v, "TRUE") == 0 || strcmp(v, "1") == 0;
		return true;
	}
	if (strncmp(key, classes[c].prefix, strlen(classes[c].prefix)) != 0)
		return false;
	return take_table(q, c, key + strlen(classes[c].prefix), v);
}

/* ---- printing ---- */

/* The first SL on the VL of this one: the level's number. */
static unsigned
number_of(const struct import_qos *q, unsigned sl)
{
	unsigned i = 0;

	while (q->vl[i] != q->vl[sl])
		i++;
	return i;
}

static void
level_name(const struct import_qos *q, unsigned sl, char out[NAME])
{
	unsigned n = number_of(q, sl);

	if (n == 0 || q->vl[sl] == DROP)
		(void)snprintf(out, NAME, "default");
	else
		(void)snprintf(out, NAME, "sl%u", n);
}

/* The weight of a VL in a class: of its own table or of that for all ports. */
static unsigned
weight_of(const struct import_qos *q, enum class c, unsigned vl, bool high)
{
	const struct tables *t = &q->of[c];
	bool own = high ? t->high_given : t->low_given;

	if (!own)
		t = &q->of[ALL];
	if (q->torus && c == SWITCHES && vl == 1)
		vl = TORUS_VLS;
	return high ? t->high[vl] : t->low[vl];
}

/* Weights are shares: a table is scaled to Heddle's range as a whole. */
static unsigned
scale_weight(const struct import_qos *q, enum class c, unsigned vl, bool high)
{
	unsigned most = MOST, w = weight_of(q, c, vl, high);

	for (unsigned i = 0; i < VLS; i++)
		if (weight_of(q, c, i, high) > most)
			most = weight_of(q, c, i, high);
	w = w * MOST / most;
	return w > 0 ? w : 1;
}

/* The ports whose tables say what a level's priority is: with torus-2QoS the
 * tables for all ports are not to be used. */
static enum class leading_class(const struct import_qos *q) {
	return q->torus ? HOSTS : ALL;
}

static void
print_level(const struct import_qos *q, unsigned sl, struct buf *out)
{
	unsigned vl = q->vl[sl];
	bool high = vl < VLS && weight_of(q, leading_class(q), vl, true) > 0;
	bool any = false;
	char name[NAME];

	level_name(q, sl, name);
	if (vl == DROP) /* with SL 0 discarded no port could be queried */
		vl = 0;
	buf_printf(out, "    %s:\n      sl: %u\n      weight: %u\n", name, sl,
		scale_weight(q, ALL, vl, high));
	if (high)
		buf_printf(out, "      priority: high\n");
	for (unsigned c = HOSTS; c < CLASSES; c++) {
		const struct tables *t = &q->of[c];

		if (high ? !t->high_given : !t->low_given)
			continue;
		if (!any)
			buf_printf(out, "      weight_at:\n");
		any = true;
		buf_printf(out, "        %s: %u\n", classes[c].ours,
			scale_weight(q, (enum class)c, vl, high));
	}
}

static void
print_limits(const struct import_qos *q, struct buf *out)
{
	buf_printf(out, "  high_limit:\n");
	for (unsigned c = HOSTS; c < CLASSES; c++)
		buf_printf(out, "    %s: %u\n", classes[c].ours,
			q->of[c].limit_given ? q->of[c].limit
					     : q->of[ALL].limit);
}

/*
 * Add a rule to those so far if Heddle takes it after them; else why not.
 * levels is the text of the section down to its levels.
 */
static bool
add_rule(const struct buf *levels, struct buf *rules, const char *rule,
	struct reason *why)
{
	struct buf text = {0};
	struct diag_list d;
	struct config *c;
	bool ok;

	buf_printf(&text, "%s  rules:\n%s%s", levels->text,
		rules->text != NULL ? rules->text : "", rule);
	c = config_parse("import", text.text, text.n, NULL, &d);
	ok = c != NULL;
	if (ok)
		buf_printf(rules, "%s", rule);
	else
		(void)reason_set(
			why, "%s", d.n > 0 ? d.item[0].message : "not valid");
	config_unref(c);
	diag_free(&d);
	buf_free(&text);
	return ok;
}

static void
print_policy(const struct import_qos *q, const struct buf *levels,
	struct import_notes *notes, struct buf *rules)
{
	for (size_t i = 0; i < q->nrules; i++) {
		const struct policy_rule *r = &q->rule[i];
		struct reason why = {""};
		struct buf text = {0};
		char name[NAME];

		level_name(q, r->sl, name);
		buf_printf(&text, "    policy-%u:\n      level: %s\n%s",
			r->line, name, r->yaml);
		if (q->vl[r->sl] == DROP)
			import_lost(notes, &q->policy, r->line,
				"SL %u is discarded; the rule is left out",
				r->sl);
		else if (!add_rule(levels, rules, text.text, &why))
			import_lost(
				notes, &q->policy, r->line, "%.300s", why.text);
		buf_free(&text);
	}
}

/* True if a policy's rule takes what no other does from the default level. */
static bool
has_other_default(const struct import_qos *q)
{
	char name[NAME];

	level_name(q, q->usual, name);
	return q->has_policy && strcmp(name, "default") != 0;
}

/* The SLs of partitions. A rule of the policy for all of one comes first. */
static void
print_partitions(const struct import_qos *q, const struct buf *levels,
	struct import_notes *notes, struct buf *rules)
{
	struct buf judged = {0};

	if (rules->n > 0)
		buf_printf(&judged, "%s", rules->text);
	for (size_t i = 0; i < q->nparts; i++) {
		const struct part_sl *p = &q->part[i];
		struct reason why = {""};
		struct buf text = {0};
		char name[NAME];

		level_name(q, p->sl, name);
		if (strcmp(name, "default") == 0 && !has_other_default(q))
			continue;
		buf_printf(&text,
			"    \"%s\":\n      level: %s\n"
			"      partitions: [\"0x%04x\"]\n",
			p->name, name, p->pkey);
		if (add_rule(levels, &judged, text.text, &why))
			buf_printf(rules,
				"    \"%s\":\n      level: %s\n"
				"      partitions: [\"%s\"]\n",
				p->name, name, p->name);
		else
			import_note(notes, &q->policy, 0,
				"the SL of partition %.60s is not used: %.200s",
				p->name, why.text);
		buf_free(&text);
	}
	buf_free(&judged);
}

/* Rules in the order in which OpenSM tries them. */
static void
print_rules(const struct import_qos *q, const struct buf *levels,
	struct import_notes *notes, struct buf *out)
{
	struct buf rules = {0};
	char name[NAME];

	print_policy(q, levels, notes, &rules);
	print_partitions(q, levels, notes, &rules);
	level_name(q, q->usual, name);
	if (has_other_default(q))
		buf_printf(
			&rules, "    policy-default:\n      level: %s\n", name);
	if (q->has_policy && q->nparts > 0)
		import_note(notes, &q->policy, 0,
			"paths that no rule of the policy matches have the SL "
			"of their partition, as its groups do; with OpenSM "
			"they have that of the default level");
	if (rules.n > 0)
		buf_printf(out, "  rules:\n%s", rules.text);
	buf_free(&rules);
}

/* A VL in both tables of an arbiter; a level is in one. */
static void
check_weights(const struct import_qos *q, const struct import_file *f,
	unsigned sl, struct import_notes *notes)
{
	enum class c = leading_class(q);
	unsigned vl = q->vl[sl];

	if (vl < VLS && weight_of(q, c, vl, true) > 0 &&
		weight_of(q, c, vl, false) > 0)
		import_lost(notes, f, 0,
			"VL %u is in %svlarb_high and in %svlarb_low: its "
			"weight of %u in the latter is not carried over",
			vl, classes[c].prefix, classes[c].prefix,
			weight_of(q, c, vl, false));
}

/* The SLs that share the VL of SL n, a lower one. */
static void
print_shared(const struct import_qos *q, const struct import_file *f,
	unsigned n, struct import_notes *notes)
{
	struct buf sls = {0};
	unsigned count = 0;

	for (unsigned sl = n + 1; sl < QOS_SLS && q->vl[n] != DROP; sl++)
		if (number_of(q, sl) == n && q->vl[sl] != DROP)
			buf_printf(&sls, "%s%u", count++ > 0 ? ", " : "", sl);
	if (count > 0)
		(q->vl_given ? import_lost : import_note)(notes, f, 0,
			"SL%s %s %s on the VL of SL %u: programs configured "
			"with %s must use SL %u",
			count == 1 ? "" : "s", sls.text,
			count == 1 ? "is" : "are", n,
			count == 1 ? "it" : "one of them", n);
	buf_free(&sls);
}

/* What changes; there is no line to name. */
static void
print_losses(const struct import_qos *q, const struct import_file *f,
	struct import_notes *notes, struct buf *out)
{
	bool drops = false;

	if (q->torus)
		import_note(notes, f, 0,
			"torus-2QoS has two QoS levels: SL 0 to 7, and SL 8 to "
			"15%s",
			q->vl_given ? "; it ignores qos_sl2vl" : "");
	for (unsigned sl = 0; sl < QOS_SLS; sl++) {
		drops |= sl > 0 && q->vl[sl] == DROP;
		if (!q->torus)
			print_shared(q, f, sl, notes);
		if (number_of(q, sl) == sl && q->vl[sl] < VLS)
			check_weights(q, f, sl, notes);
	}
	if (q->vl[0] == DROP)
		import_lost(notes, f, 0, "SL 0 cannot be discarded");
	if (drops)
		buf_printf(out, "  unknown_sl: drop\n");
}

void
import_qos_print(const struct import_qos *q, const struct import_file *f,
	struct import_notes *n, struct buf *out)
{
	struct buf levels = {0};

	if (!q->on)
		return;
	buf_printf(&levels, "qos:\n  levels:\n");
	for (unsigned sl = 0; sl < QOS_SLS; sl++)
		if (sl == 0 || (number_of(q, sl) == sl && q->vl[sl] != DROP))
			print_level(q, sl, &levels);
	buf_put(out, levels.text, levels.n);
	print_rules(q, &levels, n, out);
	buf_free(&levels);
	print_limits(q, out);
	print_losses(q, f, n, out);
}
