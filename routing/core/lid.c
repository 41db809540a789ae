#include "routing/core/lid.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

enum { SPACE = TOPO_LID_MAX + 1 };

enum lid_class {
	CLASS_HOST,
	CLASS_ROUTER,
	CLASS_AGGREGATION,
	CLASS_SWITCH,
	NCLASSES
};

/* How an owner came to its range. */
enum claim { CLAIM_NONE, CLAIM_RECORD, CLAIM_HELD, CLAIM_NEW, CLAIM_ABSENT };

/*
 * An owner needs or reserves a range: a port of the topology, or the record of
 * one that is away (port TOPO_NONE).
 */
struct owner {
	uint64_t guid;
	port_ix port;
	uint32_t rank; /* place in leaf order */
	uint32_t base; /* 0: none yet */
	uint16_t rec;  /* recorded base, 0: none */
	uint8_t rec_lmc;
	uint8_t lmc; /* of the range it has */
	uint8_t want;
	uint8_t claim;
	bool shadow; /* its GUID is another port's: cannot be recorded */
};

struct assign {
	const struct topo *t;
	const struct lid_policy *policy;
	struct lid_table *out;
	struct owner *own; /* sorted by (GUID, port); absent ones behind */
	uint32_t n;	   /* present */
	uint32_t nabsent;
	uint32_t *order;	       /* [n] owners in leaf order */
	uint32_t *at;		       /* [SPACE] owner + 1 of each LID */
	uint32_t first, end;	       /* LIDs to give out: [first, end) */
	uint32_t cursor[LMC_MAX + 1];  /* nothing free below */
	uint32_t reclaim[LMC_MAX + 1]; /* nothing to reclaim below */
};

static enum lid_class
class_of(const struct topo *t, port_ix p)
{
	const struct topo_node *n = &t->node[t->port[p].node];

	if (n->type == TOPO_SWITCH)
		return CLASS_SWITCH;
	if (n->type == TOPO_ROUTER)
		return CLASS_ROUTER;
	return n->flags & TN_AGGREGATION ? CLASS_AGGREGATION : CLASS_HOST;
}

static uint8_t
class_lmc(const struct lid_policy *policy, enum lid_class c)
{
	const uint8_t lmc[NCLASSES] = {policy->lmc_hosts, policy->lmc_routers,
		policy->lmc_aggregation, policy->lmc_switches};

	return lmc[c] < LMC_MAX ? lmc[c] : LMC_MAX;
}

/* The LMC that port p is to have; *named: an override names it. */
static uint8_t
lmc_of(const struct lid_policy *policy, const struct topo *t, port_ix p,
	bool *named)
{
	const struct topo_node *n = &t->node[t->port[p].node];
	uint64_t guid = t->port[p].guid;
	size_t lo = 0, hi = policy->noverride;

	*named = false;
	if (n->type == TOPO_SWITCH && !(n->flags & TN_ENHANCED_P0))
		return 0;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (policy->override[mid].guid < guid)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < policy->noverride && policy->override[lo].guid == guid) {
		uint8_t lmc = policy->override[lo].lmc;

		*named = true;
		return lmc < LMC_MAX ? lmc : LMC_MAX;
	}
	return class_lmc(policy, class_of(t, p));
}

/* ---- ports in leaf order ---- */

static void
order_put(const struct topo *t, port_ix p, uint32_t *list, uint32_t *n,
	bool *seen)
{
	if (seen[p] || !topo_has_lid(t, p))
		return;
	seen[p] = true;
	list[(*n)++] = p;
}

/* The end ports of one class, switch by switch. */
static void
order_ends(const struct topo *t, uint32_t s, enum lid_class c, uint32_t *list,
	uint32_t *n, bool *seen)
{
	const struct topo_switch *sw = &t->sw[s];

	for (uint32_t i = 0; i < sw->nend; i++) {
		port_ix p = t->end[sw->end + i].port;

		if (class_of(t, p) == c)
			order_put(t, p, list, n, seen);
	}
}

/*
 * Every port that owns LIDs: hosts and routers leaf by leaf, those that hang
 * on no switch, aggregation nodes, switches. Returns how many; free *list.
 */
static uint32_t
leaf_order(const struct topo *t, uint32_t **list)
{
	bool *seen = mem_zalloc(t->nports + 1U, sizeof(*seen));
	uint32_t n = 0;

	*list = mem_alloc((t->nports + 1U) * sizeof(**list));
	for (uint32_t s = 0; s < t->nsw; s++) {
		order_ends(t, s, CLASS_HOST, *list, &n, seen);
		order_ends(t, s, CLASS_ROUTER, *list, &n, seen);
	}
	for (port_ix p = 0; p < t->nports; p++)
		if (class_of(t, p) == CLASS_HOST ||
			class_of(t, p) == CLASS_ROUTER)
			order_put(t, p, *list, &n, seen);
	for (uint32_t s = 0; s < t->nsw; s++)
		order_ends(t, s, CLASS_AGGREGATION, *list, &n, seen);
	for (port_ix p = 0; p < t->nports; p++)
		if (class_of(t, p) == CLASS_AGGREGATION)
			order_put(t, p, *list, &n, seen);
	for (port_ix p = 0; p < t->nports; p++)
		order_put(t, p, *list, &n, seen);
	free(seen);
	return n;
}

/* ---- ranges ---- */

static uint32_t
size_of(unsigned lmc)
{
	return 1U << lmc;
}

/* True if the range is inside the space and aligned. */
static bool
is_range_allowed(const struct assign *a, uint32_t base, unsigned lmc)
{
	return base >= a->first && base + size_of(lmc) <= a->end &&
	       (base & (size_of(lmc) - 1)) == 0;
}

/* The first owner + 1 in the range other than `self` (+ 1), or 0. */
static uint32_t
first_occupant(
	const struct assign *a, uint32_t base, unsigned lmc, uint32_t self)
{
	for (uint32_t l = base; l < base + size_of(lmc); l++)
		if (a->at[l] != 0 && a->at[l] != self)
			return a->at[l];
	return 0;
}

static void
mark_range(struct assign *a, uint32_t base, unsigned lmc, uint32_t value)
{
	for (uint32_t l = base; l < base + size_of(lmc); l++)
		a->at[l] = value;
}

static void
take_range(struct assign *a, uint32_t i, uint32_t base, unsigned lmc,
	enum claim claim)
{
	struct owner *o = &a->own[i];

	if (o->base != 0)
		mark_range(a, o->base, o->lmc, 0);
	o->base = base;
	o->lmc = (uint8_t)lmc;
	o->claim = (uint8_t)claim;
	mark_range(a, base, lmc, i + 1);
}

static void
release_range(struct assign *a, uint32_t i)
{
	struct owner *o = &a->own[i];

	mark_range(a, o->base, o->lmc, 0);
	for (unsigned l = 0; l <= LMC_MAX; l++) {
		uint32_t base = o->base & ~(size_of(l) - 1);

		if (base < a->cursor[l])
			a->cursor[l] = base;
	}
	o->base = 0;
	o->claim = CLAIM_NONE;
}

/* An owner in words: "port 0x... ('node-1')", "absent port 0x..." */
static void
owner_name(const struct assign *a, const struct owner *o, char *s, size_t size)
{
	const char *desc = "";
	const struct topo *t = a->t;
	int n;

	if (o->port == TOPO_NONE) {
		(void)snprintf(s, size, "absent port 0x%016" PRIx64, o->guid);
		return;
	}
	if (t->text != NULL)
		desc = t->text + t->node[t->port[o->port].node].desc;
	n = snprintf(s, size, "port 0x%016" PRIx64, o->guid);
	if (desc[0] != '\0' && n > 0 && (size_t)n < size)
		(void)snprintf(s + n, size - (size_t)n, " ('%.40s')", desc);
	for (; *s != '\0'; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			*s = '.';
}

/* Owner number keeper - 1 keeps LID `lid`, which loser claims too. */
static void
note_conflict(struct assign *a, uint32_t lid, uint32_t keeper, uint32_t loser)
{
	char kept[80], lost[80];

	if (a->out->conflicts++ > 0)
		return;
	owner_name(a, &a->own[keeper - 1], kept, sizeof(kept));
	owner_name(a, &a->own[loser], lost, sizeof(lost));
	(void)snprintf(a->out->conflict, sizeof(a->out->conflict),
		"LID %" PRIu32 " is claimed twice: %s keeps it, not %s", lid,
		kept, lost);
}

/* ---- owners ---- */

static int
by_guid(const void *pa, const void *pb)
{
	const struct owner *a = pa, *b = pb;

	if (a->guid != b->guid)
		return a->guid < b->guid ? -1 : 1;
	return a->port < b->port ? -1 : a->port > b->port;
}

static void
add_owner(struct assign *a, const struct owner *o)
{
	a->own[a->n + a->nabsent] = *o;
	if (o->port == TOPO_NONE)
		a->nabsent++;
	else
		a->n++;
}

/*
 * Several ports with one GUID: the one that holds the recorded LID is the
 * record's, else the first. The others are shadows.
 */
static void
choose_guid_owner(struct assign *a, uint32_t lo, uint32_t hi,
	const struct lid_record *rec)
{
	uint32_t chosen = lo;

	for (uint32_t i = lo; rec != NULL && i < hi; i++)
		if (a->t->port[a->own[i].port].found_lid == rec->lid) {
			chosen = i;
			break;
		}
	for (uint32_t i = lo; i < hi; i++)
		a->own[i].shadow = i != chosen || a->own[i].guid == 0;
	if (rec != NULL && !a->own[chosen].shadow) {
		a->own[chosen].rec = rec->lid;
		a->own[chosen].rec_lmc = rec->lmc;
	}
}

/* A record that means something: not LID 0, aligned, inside the space. */
static bool
record_ok(const struct assign *a, const struct lid_record *r)
{
	return r->guid != 0 && r->lmc <= LMC_MAX &&
	       is_range_allowed(a, r->lid, r->lmc);
}

/* Join ports and records, both sorted by GUID. */
static void
match_records(struct assign *a, const struct lid_record *record, size_t nrecord)
{
	uint32_t i = 0, n = a->n;
	size_t r = 0;

	while (i < n || r < nrecord) {
		uint32_t end = i;

		if (r < nrecord && !record_ok(a, &record[r])) {
			r++;
			continue;
		}
		if (i == n ||
			(r < nrecord && record[r].guid < a->own[i].guid)) {
			struct owner o = {.guid = record[r].guid,
				.port = TOPO_NONE,
				.rec = record[r].lid,
				.rec_lmc = record[r].lmc};

			add_owner(a, &o);
			for (r++; r < nrecord && record[r].guid == o.guid;)
				r++;
			continue;
		}
		while (end < n && a->own[end].guid == a->own[i].guid)
			end++;
		if (r < nrecord && record[r].guid == a->own[i].guid) {
			choose_guid_owner(a, i, end, &record[r]);
			while (r < nrecord && record[r].guid == a->own[i].guid)
				r++;
		} else {
			choose_guid_owner(a, i, end, NULL);
		}
		i = end;
	}
}

static void
assign_new(struct assign *a, const struct lid_record *record, size_t nrecord)
{
	uint32_t *list, n = leaf_order(a->t, &list);
	bool named;

	a->own = mem_zalloc(n + nrecord + 1, sizeof(*a->own));
	a->order = mem_alloc((n + 1U) * sizeof(*a->order));
	a->at = mem_zalloc(SPACE + size_of(LMC_MAX), sizeof(*a->at));
	for (uint32_t i = 0; i < n; i++) {
		struct owner o = {.guid = a->t->port[list[i]].guid,
			.port = list[i],
			.rank = i,
			.want = lmc_of(a->policy, a->t, list[i], &named)};

		add_owner(a, &o);
	}
	free(list);
	if (n > 0)
		qsort(a->own, n, sizeof(*a->own), by_guid);
	for (uint32_t i = 0; i < n; i++)
		a->order[a->own[i].rank] = i;
	match_records(a, record, nrecord);
	for (unsigned l = 0; l <= LMC_MAX; l++) {
		uint32_t size = size_of(l);

		a->cursor[l] = (a->first + size - 1) & ~(size - 1);
		a->reclaim[l] = a->cursor[l];
	}
}

/* ---- the four sources of a range ---- */

/* What ports hold alone, or with the record on their side. */
static void
claim_held_before_records(struct assign *a)
{
	uint8_t *holders = mem_zalloc(UINT16_MAX + 1, sizeof(*holders));

	for (uint32_t i = 0; i < a->n; i++) {
		uint16_t held = a->t->port[a->own[i].port].found_lid;

		if (holders[held] < 2)
			holders[held]++;
	}
	for (uint32_t i = 0; i < a->n; i++) {
		const struct owner *o = &a->own[i];
		uint16_t held = a->t->port[o->port].found_lid;

		if (is_range_allowed(a, held, o->want) &&
			(holders[held] == 1 || o->rec == held) &&
			first_occupant(a, held, o->want, 0) == 0)
			take_range(a, i, held, o->want, CLAIM_HELD);
	}
	free(holders);
}

/* What is on record: first the ports that are here, then the absent ones. */
static void
claim_records(struct assign *a)
{
	for (uint32_t i = 0; i < a->n + a->nabsent; i++) {
		struct owner *o = &a->own[i];
		unsigned lmc = o->rec_lmc;
		uint32_t other;

		if (o->rec == 0 || o->base != 0)
			continue;
		if (i < a->n && o->want < lmc)
			lmc = o->want;
		other = first_occupant(a, o->rec, lmc, 0);
		if (other == 0)
			take_range(a, i, o->rec, lmc,
				i < a->n ? CLAIM_RECORD : CLAIM_ABSENT);
		else if (!a->policy->held_first)
			note_conflict(a, o->rec, other, i);
	}
}

/*
 * Ranges that became too small are extended where they are, or given back.
 * Ranges that can only be given back go first: another one may grow into them.
 */
static void
extend_records(struct assign *a)
{
	for (uint32_t i = 0; i < a->n; i++) {
		const struct owner *o = &a->own[i];

		if (o->base != 0 && o->lmc < o->want &&
			!is_range_allowed(a, o->base, o->want))
			release_range(a, i);
	}
	for (uint32_t i = 0; i < a->n; i++) {
		const struct owner *o = &a->own[i];

		if (o->base == 0 || o->lmc >= o->want)
			continue;
		if (first_occupant(a, o->base, o->want, i + 1) == 0)
			take_range(a, i, o->base, o->want, CLAIM_RECORD);
		else
			release_range(a, i);
	}
}

/* What ports hold without a record, the lower GUID first. */
static void
claim_held(struct assign *a)
{
	for (uint32_t i = 0; i < a->n; i++) {
		const struct owner *o = &a->own[i];
		uint32_t held = a->t->port[o->port].found_lid;

		if (o->base != 0 || !is_range_allowed(a, held, o->want))
			continue;
		if (first_occupant(a, held, o->want, 0) == 0)
			take_range(a, i, held, o->want, CLAIM_HELD);
	}
}

/* Ports that hold a LID which now belongs to another port. */
static void
count_conflicts(struct assign *a)
{
	for (uint32_t i = 0; i < a->n; i++) {
		const struct owner *o = &a->own[i];
		uint32_t held = a->t->port[o->port].found_lid, other;

		if (held == 0 || held >= SPACE)
			continue;
		other = a->at[held];
		if (other != 0 && other != i + 1 &&
			!(o->rec == held && o->base == 0))
			note_conflict(a, held, other, i);
	}
}

/* The lowest free range, or 0. */
static uint32_t
lowest_free(struct assign *a, unsigned lmc)
{
	uint32_t base = a->cursor[lmc], size = size_of(lmc);

	while (base + size <= a->end && first_occupant(a, base, lmc, 0) != 0)
		base += size;
	a->cursor[lmc] = base;
	return base + size <= a->end ? base : 0;
}

/* Take the lowest range that only absent ports stand in; 0: there is none. */
static uint32_t
reclaim_range(struct assign *a, unsigned lmc)
{
	uint32_t size = size_of(lmc);

	for (; a->reclaim[lmc] + size <= a->end; a->reclaim[lmc] += size) {
		uint32_t base = a->reclaim[lmc], l = base;

		while (l < base + size && (a->at[l] == 0 || a->at[l] > a->n))
			l++;
		if (l < base + size)
			continue;
		for (l = base; l < base + size; l++) {
			if (a->at[l] == 0)
				continue;
			release_range(a, a->at[l] - 1);
			a->out->reclaimed++;
		}
		return base;
	}
	return 0;
}

/* New ranges in leaf order. Returns how many ports found none. */
static uint32_t
claim_new(struct assign *a)
{
	uint32_t failed = 0;

	for (uint32_t k = 0; k < a->n; k++) {
		uint32_t i = a->order[k], base;
		unsigned want = a->own[i].want;

		if (a->own[i].base != 0)
			continue;
		base = lowest_free(a, want);
		if (base == 0)
			base = reclaim_range(a, want);
		if (base == 0) {
			failed++;
			continue;
		}
		take_range(a, i, base, want, CLAIM_NEW);
		a->out->assigned++;
	}
	return failed;
}

/* ---- outcome ---- */

static int
explain_exhausted(const struct assign *a, uint32_t failed, struct reason *why)
{
	uint64_t need = 0, absent = 0, there = a->end - a->first;

	for (uint32_t i = 0; i < a->n; i++)
		need += size_of(a->own[i].want);
	for (uint32_t i = a->n; i < a->n + a->nabsent; i++)
		if (a->own[i].base != 0)
			absent += size_of(a->own[i].lmc);
	(void)reason_set(why,
		"LID space exhausted: %" PRIu32 " ports need %" PRIu64
		" LIDs, %" PRIu64 " are available (%" PRIu32 "-%" PRIu32
		"), %" PRIu64 " of them kept for absent ports",
		a->n, need, there, a->first, a->end - 1, absent);
	if (need <= there)
		(void)reason_add(why,
			"; %" PRIu32
			" ports find no free range that is aligned for their "
			"LMC between those in use",
			failed);
	return -1;
}

static int
record_order(const void *pa, const void *pb)
{
	const struct lid_record *a = pa, *b = pb;

	return a->guid < b->guid ? -1 : a->guid > b->guid;
}

static void
fill_table(const struct assign *a)
{
	struct lid_table *out = a->out;
	uint32_t total = a->n + a->nabsent;

	out->lid = mem_zalloc(a->t->nports + 1U, sizeof(*out->lid));
	out->lmc = mem_zalloc(a->t->nports + 1U, sizeof(*out->lmc));
	out->record = mem_zalloc(total + 1U, sizeof(*out->record));
	for (uint32_t i = 0; i < total; i++) {
		const struct owner *o = &a->own[i];

		if (o->base != 0 && !o->shadow)
			out->record[out->nrecord++] =
				(struct lid_record){.guid = o->guid,
					.lid = (uint16_t)o->base,
					.lmc = o->lmc};
		if (i >= a->n)
			continue;
		out->lid[o->port] = (uint16_t)o->base;
		out->lmc[o->port] = o->lmc;
		if (a->t->port[o->port].found_lid != 0 &&
			a->t->port[o->port].found_lid != o->base)
			out->moved++;
	}
	if (out->nrecord > 0)
		qsort(out->record, out->nrecord, sizeof(*out->record),
			record_order);
}

int
lid_assign(const struct topo *t, const struct lid_policy *policy,
	const struct lid_record *record, size_t nrecord, struct lid_table *out,
	struct reason *why)
{
	struct assign a = {.t = t, .policy = policy, .out = out};
	uint32_t failed;

	memset(out, 0, sizeof(*out));
	a.first = policy->first > 0 ? policy->first : 1;
	a.end = (policy->last < TOPO_LID_MAX ? policy->last : TOPO_LID_MAX) +
		1U;
	if (a.end < a.first)
		a.end = a.first;
	assign_new(&a, record, nrecord);
	if (policy->held_first)
		claim_held_before_records(&a);
	claim_records(&a);
	extend_records(&a);
	claim_held(&a);
	count_conflicts(&a);
	failed = claim_new(&a);
	if (failed == 0)
		fill_table(&a);
	else
		memset(out, 0, sizeof(*out));
	free(a.order);
	free(a.at);
	if (failed != 0)
		(void)explain_exhausted(&a, failed, why);
	free(a.own);
	return failed == 0 ? 0 : -1;
}

void
lid_table_free(struct lid_table *t)
{
	free(t->lid);
	free(t->lmc);
	free(t->record);
	memset(t, 0, sizeof(*t));
}
