#include "routing/verify/verify_sets.h"

#include <stdlib.h>
#include <string.h>

#include "routing/verify/dep_cycle.h"
#include "sm/base/buf.h"
#include "sm/base/mem.h"
#include "sm/base/thread.h"

enum { SHOWN = 6 };

/* What is wrong, and where. */
enum fault {
	FAULT_NONE,
	FAULT_DEAD,  /* an option leads to no live switch */
	FAULT_ENDS,  /* an option leads to a switch without an entry */
	FAULT_BACK,  /* ... or one whose entry leads back */
	FAULT_LOOPS, /* options lead round in a circle */
};

static const char *const fault_text[] = {
	[FAULT_DEAD] = "leads to no switch",
	[FAULT_ENDS] = "leads to a switch without an entry",
	[FAULT_BACK] = "leads to a switch whose entry leads back",
	[FAULT_LOOPS] = "is on a loop of options",
};

struct judge {
	const struct verify_sets_job *job;
	const struct topo *t;
	struct dep_graph frame;
	uint8_t *kind; /* [nsw] enum route_switch_kind */
	bool escapes;  /* some switch does */
	unsigned words;
};

/* What one thread finds. */
struct part {
	const struct judge *j;
	sw_ix from, to;	  /* destination switches */
	uint64_t *dep;	  /* as the frame's matrices */
	uint64_t *table;  /* [nsw * words] D of the destination at hand */
	uint64_t *option; /* [nsw * words] O */
	uint32_t *degree; /* [nsw] */
	sw_ix *queue;	  /* [nsw] */
	struct verify_sets_report found;
	enum fault fault; /* the first one, and where */
	sw_ix fault_at, fault_to;
	unsigned fault_port;
};

static uint64_t *
row_of(const struct part *x, uint64_t *rows, sw_ix s)
{
	return rows + (size_t)s * x->j->words;
}

/* The next port of a row from *at on; false: none. */
static bool
next_port(const struct part *x, const uint64_t *row, unsigned *at)
{
	for (; *at < x->j->words * 64; *at = (*at | 63) + 1) {
		uint64_t rest = row[*at / 64] >> *at % 64;

		if (rest != 0) {
			*at += (unsigned)__builtin_ctzll(rest);
			return true;
		}
	}
	return false;
}

static void
note_fault(struct part *x, enum fault f, sw_ix s, unsigned port, sw_ix t)
{
	if (x->fault != FAULT_NONE)
		return;
	x->fault = f;
	x->fault_at = s;
	x->fault_port = port;
	x->fault_to = t;
}

/* ---- the entries and options of one destination switch ---- */

static void
add_tables_of_lid(struct part *x, const struct verify_sets_side *side, sw_ix t,
	uint32_t lid)
{
	const struct topo *topo = x->j->t;

	for (sw_ix s = 0; s < topo->nsw && side->row != NULL; s++) {
		uint8_t out;

		if (s == t || side->row[s] == NULL || !topo_sw_live(topo, s))
			continue;
		out = lft_row_entry(
			side->pool, side->row[s], side->nblocks, lid);
		if (out != 0 && out < x->j->words * 64 &&
			topo_port_behind(topo, s, out) != TOPO_NONE)
			row_of(x, x->table, s)[out / 64] |= UINT64_C(1)
							    << out % 64;
	}
}

static void
add_tables(struct part *x, const struct verify_sets_side *side, sw_ix t)
{
	const struct topo *topo = x->j->t;
	const struct topo_switch *d = &topo->sw[t];

	for (uint32_t e = d->end; e < d->end + d->nend; e++) {
		const struct topo_port *p = &topo->port[topo->end[e].port];

		for (unsigned k = 0;
			topo->end[e].host && p->lid != 0 && k < 1U << p->lmc;
			k++)
			add_tables_of_lid(x, side, t, p->lid + k);
	}
}

/* The options of switch s to t of one side; false: there are none. */
static bool
add_options(
	struct part *x, const struct verify_sets_side *side, sw_ix s, sw_ix t)
{
	const struct route_set *set = route_sets_get(side->sets, s, t);
	unsigned room = x->j->words * 64, beyond;

	if (set == NULL)
		return false;
	for (unsigned w = 0; w < x->j->words; w++)
		row_of(x, x->option, s)[w] |= set->port[w];
	beyond = route_set_next(set, room);
	if (beyond < ROUTE_SET_WORDS * 64)
		note_fault(x, FAULT_DEAD, s, beyond, t);
	return true;
}

/* The options of all switches to t; false: there are none. */
static bool
collect_ports(struct part *x, sw_ix t)
{
	const struct judge *j = x->j;
	size_t bytes = (size_t)j->t->nsw * j->words * sizeof(uint64_t);
	bool any = false;

	memset(x->option, 0, bytes);
	for (unsigned i = 0; i < j->job->nsides; i++)
		for (sw_ix s = 0; s < j->t->nsw; s++)
			any |= add_options(x, &j->job->side[i], s, t);
	if (!any)
		return false;
	memset(x->table, 0, bytes);
	for (unsigned i = 0; i < j->job->nsides; i++)
		add_tables(x, &j->job->side[i], t);
	return true;
}

/* ---- dependencies ---- */

/* A packet that came over a link to switch s, at record in, waits for these
 * ports; never for the one that it came by. */
static void
add_waits(struct part *x, uint32_t in, sw_ix s, bool of_table, bool of_option)
{
	const uint64_t *table = row_of(x, x->table, s),
		       *option = row_of(x, x->option, s);
	uint64_t *dep = x->dep + ((size_t)in << x->j->frame.shift);
	unsigned back = in - x->j->frame.off[s];

	for (unsigned w = 0; w < x->j->words; w++) {
		uint64_t out =
			(of_table ? table[w] : 0) | (of_option ? option[w] : 0);

		if (w == back / 64)
			out &= ~(UINT64_C(1) << back % 64);
		dep[w] |= out;
	}
}

static bool
has_port(const uint64_t *row, unsigned port)
{
	return row[port / 64] >> port % 64 & 1;
}

static bool
is_empty(const struct part *x, const uint64_t *row)
{
	unsigned at = 0;

	return !next_port(x, row, &at);
}

/* The record at the other end of a port, which s need not have. */
static uint32_t
record_behind(const struct dep_graph *n, sw_ix s, unsigned port)
{
	return port < n->off[s + 1] - n->off[s] ? n->peer[n->off[s] + port]
						: n->nrec - 1;
}

/* A packet leaves s to t by an option. */
static void
follow_option(struct part *x, sw_ix s, unsigned port, sw_ix t)
{
	const struct dep_graph *n = &x->j->frame;
	uint32_t in = record_behind(n, s, port);
	sw_ix next = n->owner[in];
	const uint64_t *table;

	x->found.options++;
	if (next == n->nsw) {
		note_fault(x, FAULT_DEAD, s, port, t);
		return;
	}
	if (next == t)
		return;
	table = row_of(x, x->table, next);
	if (is_empty(x, table))
		note_fault(x, FAULT_ENDS, s, port, t);
	else if (has_port(table, in - n->off[next]))
		note_fault(x, FAULT_BACK, s, port, t);
	if (x->j->kind[s] != ROUTE_ESCAPES || x->j->kind[next] != ROUTE_ESCAPES)
		add_waits(x, in, next, true, x->j->kind[next] == ROUTE_COMMITS);
}

/* A packet leaves s to t by the table: what it waits for beside the tables. */
static void
follow_table(struct part *x, sw_ix s, unsigned port, sw_ix t)
{
	const struct dep_graph *n = &x->j->frame;
	uint32_t in = record_behind(n, s, port);
	sw_ix next = n->owner[in];

	if (next != n->nsw && next != t && x->j->kind[next] == ROUTE_COMMITS)
		add_waits(x, in, next, false, true);
}

static void
follow_all(struct part *x, sw_ix t)
{
	for (sw_ix s = 0; s < x->j->t->nsw; s++) {
		const uint64_t *option = row_of(x, x->option, s),
			       *table = row_of(x, x->table, s);

		if (s == t)
			continue;
		x->found.choices += !is_empty(x, option);
		for (unsigned p = 0; next_port(x, option, &p); p++)
			follow_option(x, s, p, t);
		for (unsigned p = 0; next_port(x, table, &p); p++)
			follow_table(x, s, p, t);
	}
}

/* ---- loops, where switches escape ---- */

/* The ports that a switch may choose, defaults of switches that escape left
 * out. */
static uint64_t
choice_word(struct part *x, sw_ix s, unsigned w)
{
	uint64_t option = row_of(x, x->option, s)[w];

	return x->j->kind[s] == ROUTE_ESCAPES && option != 0
		       ? option
		       : option | row_of(x, x->table, s)[w];
}

/* The switch behind a port of s, or TOPO_NONE. */
static sw_ix
switch_behind(const struct part *x, sw_ix s, unsigned port)
{
	const struct dep_graph *n = &x->j->frame;
	sw_ix next = n->owner[record_behind(n, s, port)];

	return next == n->nsw ? TOPO_NONE : next;
}

/* Add d to the degree of what s leads to; what has none left is queued. */
static void
count_next(struct part *x, sw_ix s, sw_ix t, int d, uint32_t *n)
{
	for (unsigned w = 0; w < x->j->words; w++)
		for (uint64_t rest = choice_word(x, s, w); rest != 0;
			rest &= rest - 1) {
			sw_ix next = switch_behind(
				x, s, w * 64 + (unsigned)__builtin_ctzll(rest));

			if (next == TOPO_NONE || next == t)
				continue;
			x->degree[next] += (uint32_t)d;
			if (d < 0 && x->degree[next] == 0)
				x->queue[(*n)++] = next;
		}
}

static void
find_loops(struct part *x, sw_ix t)
{
	uint32_t n = 0, head = 0, nsw = x->j->t->nsw;

	memset(x->degree, 0, nsw * sizeof(*x->degree));
	for (sw_ix s = 0; s < nsw; s++)
		if (s != t)
			count_next(x, s, t, 1, &n);
	for (sw_ix s = 0; s < nsw; s++)
		if (s != t && x->degree[s] == 0)
			x->queue[n++] = s;
	while (head < n)
		count_next(x, x->queue[head++], t, -1, &n);
	for (sw_ix s = 0; s < nsw && n < nsw - 1; s++)
		for (unsigned p = 0; x->degree[s] > 0 &&
				     next_port(x, row_of(x, x->option, s), &p);
			p++) {
			sw_ix next = switch_behind(x, s, p);

			if (next != TOPO_NONE && x->degree[next] > 0)
				note_fault(x, FAULT_LOOPS, s, p, t);
		}
}

static void
judge_part(void *arg)
{
	struct part *x = arg;

	for (sw_ix t = x->from; t < x->to; t++) {
		if (!topo_sw_live(x->j->t, t) || !collect_ports(x, t))
			continue;
		follow_all(x, t);
		if (x->j->escapes)
			find_loops(x, t);
	}
}

/* ---- all of it ---- */

static void
make_frame(struct judge *j)
{
	const struct topo *t = j->t;

	dep_graph_by_topo(&j->frame, t, 1);
	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
			const struct topo_adj *a = &t->adj[t->sw[s].adj + i];

			if (topo_sw_live(t, s) && topo_sw_live(t, a->peer))
				dep_graph_link(&j->frame,
					j->frame.off[s] + a->out,
					j->frame.off[a->peer] + a->peer_port);
		}
	j->words = 1U << j->frame.shift;
}

/* A switch escapes if it does with the sets of every side. */
static void
find_kinds(struct judge *j)
{
	j->kind = mem_zalloc(j->t->nsw, sizeof(*j->kind));
	for (sw_ix s = 0; s < j->t->nsw; s++) {
		bool seen[ROUTE_ESCAPES + 1] = {false};

		for (unsigned i = 0; i < j->job->nsides; i++) {
			const struct route_sets *sets = j->job->side[i].sets;

			seen[sets != NULL ? sets->can[s].kind : ROUTE_FIXED] =
				true;
		}
		if (seen[ROUTE_COMMITS])
			j->kind[s] = ROUTE_COMMITS;
		else if (seen[ROUTE_ESCAPES] && !seen[ROUTE_FIXED])
			j->kind[s] = ROUTE_ESCAPES;
		j->escapes |= j->kind[s] == ROUTE_ESCAPES;
	}
}

static void
part_new(struct part *x, const struct judge *j, unsigned i, unsigned n)
{
	uint32_t nsw = j->t->nsw;

	*x = (struct part){.j = j,
		.from = (sw_ix)((uint64_t)nsw * i / n),
		.to = (sw_ix)((uint64_t)nsw * (i + 1) / n),
		.dep = mem_zalloc(dep_graph_words(&j->frame), sizeof(*x->dep)),
		.table = mem_zalloc((size_t)nsw * j->words, sizeof(uint64_t)),
		.option = mem_zalloc((size_t)nsw * j->words, sizeof(uint64_t)),
		.degree = mem_zalloc(nsw, sizeof(*x->degree)),
		.queue = mem_zalloc(nsw, sizeof(*x->queue))};
}

static void
part_free(struct part *x)
{
	free(x->dep);
	free(x->table);
	free(x->option);
	free(x->degree);
	free(x->queue);
}

/* What part x found, too, is in first. */
static void
join_parts(struct part *first, const struct part *x)
{
	size_t n = dep_graph_words(&first->j->frame);

	for (size_t i = 0; i < n; i++)
		first->dep[i] |= x->dep[i];
	first->found.choices += x->found.choices;
	first->found.options += x->found.options;
	if (x->fault != FAULT_NONE)
		note_fault(first, x->fault, x->fault_at, x->fault_port,
			x->fault_to);
}

/* The dependencies of the tables among themselves. */
static void
add_given(struct part *x)
{
	const struct verify_dependencies *d = x->j->job->deps;
	size_t n = d != NULL ? (size_t)d->nrec << d->shift : 0;

	for (unsigned l = 0; d != NULL && l < d->layers; l++)
		for (size_t i = 0; i < n; i++)
			x->dep[i] |= d->row[l * n + i];
}

static void
describe_cycle(const struct judge *j, const uint32_t *path, uint32_t n,
	struct reason *why)
{
	const struct dep_graph *f = &j->frame;
	struct buf b = {0};

	for (uint32_t i = 0; i < n && i < SHOWN; i++) {
		sw_ix s = f->owner[path[i]];
		uint32_t out = f->peer[path[(i + 1) % n]];

		buf_printf(&b, "%s port %u -> ",
			topo_name(j->t, j->t->sw[s].node).s,
			(unsigned)(out - f->off[s]));
	}
	(void)reason_set(why, "options close a credit loop of %u links: %s%s",
		n, b.text, n > SHOWN ? "..." : "back");
	buf_free(&b);
}

/* Channels on a cycle, or behind one; why names a short one. */
static uint32_t
find_cycle(const struct judge *j, const uint64_t *dep, struct reason *why)
{
	const struct dep_graph *n = &j->frame;
	const struct dep_matrix m = {n, dep};
	const struct dep_channels d = dep_cycle_matrix(&m);
	bool *left = mem_zalloc(n->nv, sizeof(*left));
	uint32_t *path, stay, length;

	for (uint32_t v = 0; v < n->nv; v++)
		left[v] = n->owner[n->peer[v]] != n->nsw;
	stay = dep_cycle_trim(&d, false, left, NULL);
	if (stay > 0) {
		(void)dep_cycle_trim(&d, true, left, NULL);
		path = mem_alloc(n->nv * sizeof(*path));
		length = dep_cycle_shortest(&d, left, path);
		describe_cycle(j, path, length, why);
		free(path);
	}
	free(left);
	return stay;
}

static int
reach_verdict(const struct judge *j, const struct part *x,
	struct verify_sets_report *out, struct reason *why)
{
	const struct topo *t = j->t;

	*out = x->found;
	out->cyclic = find_cycle(j, x->dep, why);
	if (out->cyclic > 0)
		return -1;
	if (x->fault == FAULT_NONE)
		return 0;
	return reason_set(why, "option port %u of %s to hosts on %s %s",
		x->fault_port, topo_name(t, t->sw[x->fault_at].node).s,
		topo_name(t, t->sw[x->fault_to].node).s, fault_text[x->fault]);
}

int
verify_sets(const struct verify_sets_job *job, struct verify_sets_report *out,
	struct reason *why)
{
	struct judge j = {.job = job, .t = job->topo};
	struct part part[THREAD_SHARES];
	unsigned n = job->threads < 1 ? 1 : job->threads;
	int rc;

	if (n > THREAD_SHARES)
		n = THREAD_SHARES;
	make_frame(&j);
	find_kinds(&j);
	for (unsigned i = 0; i < n; i++)
		part_new(&part[i], &j, i, n);
	thread_share(n, judge_part, part, sizeof(part[0]));
	for (unsigned i = 1; i < n; i++)
		join_parts(&part[0], &part[i]);
	add_given(&part[0]);
	rc = reach_verdict(&j, &part[0], out, why);
	for (unsigned i = 0; i < n; i++)
		part_free(&part[i]);
	free(j.kind);
	dep_graph_free(&j.frame);
	return rc;
}
