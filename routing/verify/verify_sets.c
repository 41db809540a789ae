#include "routing/verify/verify_sets.h"

#include <stdlib.h>
#include <string.h>

#include "routing/verify/dep_cycle.h"
#include "routing/verify/dest_scan.h"
#include "sm/base/bitset.h"
#include "sm/base/buf.h"
#include "sm/base/mem.h"
#include "sm/base/thread.h"

enum {
	SHOWN = 6,
	WORDS = 4, /* destinations taken at a time, in words of bits */
	TAKEN = WORDS * 64,
};

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

/* LIDs of hosts that follow each other in one block of a table. */
struct lid_run {
	uint32_t block;
	uint8_t first, n;
};

/* Some of the destinations, a bit each. */
struct some {
	uint64_t w[WORDS];
};

struct judge {
	const struct verify_sets_job *job;
	const struct topo *t;
	struct dep_graph frame;
	uint64_t *dep;	       /* as the frame's matrices */
	uint8_t *kind;	       /* [nsw] enum route_switch_kind */
	bool escapes;	       /* some switch does */
	struct dest_lids lids; /* destinations, by the numbers of sets */
	struct lid_run *run;   /* LIDs of number i: run[first[i] ..
				  first[i + 1]) */
	size_t nruns;
	uint32_t *first; /* [lids.n + 1] */
	/* of TAKEN destinations from number base on */
	uint32_t base;
	struct some *option; /* [nrec] of a port: those that it is an option for
			      */
	struct some *table; /* [nrec] that an entry names it for, where it is no
			       option or the switch escapes */
	struct some *entry; /* [nsw] for which there is an entry */
};

/* What one thread does and finds. */
struct part {
	struct judge *j;
	sw_ix from, to; /* switches */
	struct some *by_set;
	struct dest_scan scan;
	uint32_t *degree; /* [nsw] */
	sw_ix *queue;	  /* [nsw] */
	struct verify_sets_report found;
	enum fault fault; /* the first one, and where */
	sw_ix fault_at, fault_to;
	unsigned fault_port;
};

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

static bool
have_common(const struct some *a, const struct some *b)
{
	uint64_t both = 0;

	for (unsigned i = 0; i < WORDS; i++)
		both |= a->w[i] & b->w[i];
	return both != 0;
}

static uint32_t
taken_count(const struct judge *j)
{
	uint32_t rest = j->lids.n - j->base;

	return rest < TAKEN ? rest : TAKEN;
}

static sw_ix
first_of(const struct judge *j, const struct some *d)
{
	for (unsigned i = 0; i < WORDS; i++)
		if (d->w[i] != 0)
			return j->lids.sw[j->base + i * 64 +
					  bitset_lowest64(d->w[i])];
	return TOPO_NONE;
}

/* The record at the other end of a port, which s need not have. */
static uint32_t
record_behind(const struct dep_graph *n, sw_ix s, unsigned port)
{
	return port < n->off[s + 1] - n->off[s] ? n->peer[n->off[s] + port]
						: n->nrec - 1;
}

/* The switch behind a port of s, or TOPO_NONE. */
static sw_ix
switch_behind(const struct judge *j, sw_ix s, unsigned port)
{
	sw_ix next = j->frame.owner[record_behind(&j->frame, s, port)];

	return next == j->frame.nsw ? TOPO_NONE : next;
}

/* ---- destinations ---- */

/* A LID of destination number i, which is the last one so far. */
static void
add_lid(struct judge *j, uint32_t i, uint32_t lid, size_t *room)
{
	struct lid_run *last =
		j->nruns > j->first[i] ? &j->run[j->nruns - 1] : NULL;

	if (last != NULL && last->block == lid / LFT_BLOCK &&
		last->first + last->n == lid % LFT_BLOCK) {
		last->n++;
		return;
	}
	j->run = mem_grow(j->run, j->nruns, room, sizeof(*j->run));
	j->run[j->nruns++] = (struct lid_run){
		lid / LFT_BLOCK, (uint8_t)(lid % LFT_BLOCK), 1};
}

static void
list_runs(struct judge *j)
{
	const struct topo *t = j->t;
	size_t room = 0;

	j->first = mem_zalloc(j->lids.n + 1U, sizeof(*j->first));
	for (uint32_t i = 0; i < j->lids.n; i++) {
		const struct topo_switch *sw = &t->sw[j->lids.sw[i]];

		for (uint32_t e = sw->end; e < sw->end + sw->nend; e++) {
			const struct topo_port *p = &t->port[t->end[e].port];

			for (unsigned k = 0; t->end[e].host && p->lid != 0 &&
					     k < 1U << p->lmc;
				k++)
				add_lid(j, i, p->lid + k, &room);
		}
		j->first[i + 1] = (uint32_t)j->nruns;
	}
}

/* ---- options by port ---- */

/* The destinations of each set of a row. */
static void
sort_by_set(struct part *x, const struct route_set_row *row)
{
	const struct judge *j = x->j;

	x->by_set = mem_resize(x->by_set, row->n, sizeof(*x->by_set));
	memset(x->by_set, 0, row->n * sizeof(*x->by_set));
	for (uint32_t i = 0; i < taken_count(j); i++)
		bitset_add(x->by_set[row->of[j->base + i]].w, i);
}

/* The options of switch s of one side. */
static void
transpose_sets(struct part *x, const struct verify_sets_side *side, sw_ix s)
{
	struct judge *j = x->j;
	const struct route_set_row *row =
		side->sets != NULL ? side->sets->row[s] : NULL;
	struct some *option = j->option + j->frame.off[s];
	unsigned ports = j->frame.off[s + 1] - j->frame.off[s];

	if (row == NULL)
		return;
	sort_by_set(x, row);
	for (uint16_t k = 1; k < row->n; k++) {
		const struct some *of = &x->by_set[k];
		sw_ix t = first_of(j, of);

		for (unsigned p = 0; t != TOPO_NONE &&
				     (p = route_set_next(&row->set[k], p)) <
					     ROUTE_SET_WORDS * 64;
			p++) {
			if (switch_behind(j, s, p) == TOPO_NONE)
				note_fault(x, FAULT_DEAD, s, p, t);
			for (unsigned w = 0; p < ports && w < WORDS; w++)
				option[p].w[w] |= of->w[w];
		}
	}
}

/* ---- entries of tables ---- */

/* An entry that names a port of s. */
static void
note_entry(struct judge *j, sw_ix s, uint32_t i, uint8_t port)
{
	if (topo_port_behind(j->t, s, port) == TOPO_NONE)
		return;
	bitset_add(j->entry[s].w, i);
	bitset_add(j->table[j->frame.off[s] + port].w, i);
}

/* True if all entries are the same. */
static bool
are_alike(const uint8_t *entry, unsigned n)
{
	uint8_t differ = 0;

	for (unsigned k = 1; k < n; k++)
		differ |= entry[k] ^ entry[0];
	return differ == 0;
}

/* The entries of s for LIDs of destination number i: those that are options
 * say nothing more, unless s escapes. */
static void
note_entries(struct judge *j, sw_ix s, uint32_t i, const uint8_t *entry,
	unsigned n, const bool is_option[256])
{
	bool all = j->kind[s] == ROUTE_COMMITS;

	if (are_alike(entry, n))
		n = 1;
	for (unsigned k = 0; k < n && all; k++)
		all = is_option[entry[k]];
	if (all) {
		bitset_add(j->entry[s].w, i);
		return;
	}
	for (unsigned k = 0; k < n; k++)
		note_entry(j, s, i, entry[k]);
}

static void
find_options(const struct judge *j, sw_ix s, uint32_t i, bool is_option[256])
{
	const struct some *option = j->option + j->frame.off[s];
	unsigned ports = j->frame.off[s + 1] - j->frame.off[s];

	for (unsigned p = 0; p < ports; p++)
		is_option[p] = bitset_has(option[p].w, i);
}

/* The destinations for which s has entries that are all options of its set,
 * found a block of entries at a time. */
static struct some
find_all_options(struct part *x, const struct verify_sets_side *side, sw_ix s)
{
	const struct judge *j = x->j;
	const struct route_set_row *row =
		side->sets != NULL ? side->sets->row[s] : NULL;
	struct some found = {{0}};

	if (row == NULL || j->kind[s] != ROUTE_COMMITS)
		return found;
	sort_by_set(x, row);
	for (uint16_t k = 1; k < row->n; k++) {
		const struct some *of = &x->by_set[k];

		if (!have_common(of, of))
			continue;
		dest_scan_row(&x->scan, side->pool, side->row[s], side->nblocks,
			&row->set[k]);
		for (unsigned w = 0; w < WORDS; w++) {
			uint64_t some, all;

			dest_scan_word(&x->scan, j->base / 64 + w, of->w[w],
				&some, &all);
			found.w[w] |= some & all;
		}
	}
	return found;
}

static void
note_table(struct part *x, const struct verify_sets_side *side, sw_ix s)
{
	struct judge *j = x->j;
	struct some said;
	bool is_option[256] = {false};
	uint64_t last = UINT64_MAX;

	if (side->row == NULL || side->row[s] == NULL)
		return;
	said = find_all_options(x, side, s);
	for (uint32_t i = 0; i < taken_count(j); i++) {
		uint32_t d = j->base + i;
		uint64_t set = 0;

		if (j->lids.sw[d] == s)
			continue;
		if (bitset_has(said.w, i)) {
			bitset_add(j->entry[s].w, i);
			continue;
		}
		for (unsigned k = 0; k < j->job->nsides; k++)
			set = set << 16 | route_sets_index(j->job->side[k].sets,
						  s, j->lids.sw[d]);
		if (set != last)
			find_options(j, s, i, is_option);
		last = set;
		for (uint32_t r = j->first[d]; r < j->first[d + 1]; r++)
			if (j->run[r].block < side->nblocks)
				note_entries(j, s, i,
					lft_bytes(side->pool,
						lft_row_ref(side->row[s],
							j->run[r].block)) +
						j->run[r].first,
					j->run[r].n, is_option);
	}
}

/* Whether packets may pass a switch. */
static bool
is_passed(const struct judge *j, sw_ix s)
{
	return j->job->everywhere || topo_sw_live(j->t, s);
}

static void
transpose_part(void *arg)
{
	struct part *x = arg;
	struct judge *j = x->j;

	for (sw_ix s = x->from; s < x->to; s++) {
		uint32_t first = j->frame.off[s],
			 n = j->frame.off[s + 1] - first;

		memset(j->option + first, 0, n * sizeof(*j->option));
		memset(j->table + first, 0, n * sizeof(*j->table));
		j->entry[s] = (struct some){{0}};
		if (!is_passed(j, s))
			continue;
		for (unsigned i = 0; i < j->job->nsides; i++)
			transpose_sets(x, &j->job->side[i], s);
		for (unsigned i = 0; i < j->job->nsides; i++)
			note_table(x, &j->job->side[i], s);
	}
}

/* ---- dependencies ---- */

/* Destinations but the switch itself, where packets leave the fabric. */
static struct some
without_own(const struct judge *j, const struct some *d, sw_ix s)
{
	struct some out = *d;
	uint32_t i = j->lids.number[s] - j->base;

	if (i < TAKEN)
		out.w[i / 64] &= ~(UINT64_C(1) << i % 64);
	return out;
}

/* True if an entry of s for a LID of the destination names this port. */
static bool
is_entry(const struct judge *j, sw_ix s, uint32_t i, unsigned port)
{
	uint32_t d = j->base + i;

	for (unsigned k = 0; k < j->job->nsides; k++) {
		const struct verify_sets_side *side = &j->job->side[k];

		for (uint32_t r = j->first[d];
			side->row != NULL && r < j->first[d + 1]; r++)
			for (unsigned n = 0; n < j->run[r].n; n++)
				if (lft_row_entry(side->pool, side->row[s],
					    side->nblocks,
					    j->run[r].block * LFT_BLOCK +
						    j->run[r].first + n) ==
					port)
					return true;
	}
	return false;
}

/* Packets by options arrive at s by port `in`, from port out of `from`: they
 * must find an entry, that does not lead back. */
static void
check_arrivals(struct part *x, const struct some *by, sw_ix s, unsigned in)
{
	const struct judge *j = x->j;
	const struct dep_graph *n = &j->frame;
	uint32_t back = n->peer[n->off[s] + in];
	sw_ix from = n->owner[back];
	unsigned out = back - n->off[from];

	for (unsigned w = 0; w < WORDS; w++) {
		uint64_t ends = by->w[w] & ~j->entry[s].w[w],
			 doubt = by->w[w] &
				 (j->table[n->off[s] + in].w[w] |
					 j->option[n->off[s] + in].w[w]);

		if (ends != 0)
			note_fault(x, FAULT_ENDS, from, out,
				j->lids.sw[j->base + w * 64 +
					   bitset_lowest64(ends)]);
		for (; doubt != 0; doubt &= doubt - 1) {
			uint32_t i = w * 64 + bitset_lowest64(doubt);

			if (is_entry(j, s, i, in))
				note_fault(x, FAULT_BACK, from, out,
					j->lids.sw[j->base + i]);
		}
	}
}

/* Packets that came by an option wait for by_option's ports, others by
 * by_table's. */
static bool
has_dependency(const struct judge *j, sw_ix s, uint32_t out,
	const struct some *by_option, const struct some *by_table)
{
	if (have_common(by_option, &j->table[out]))
		return true;
	return j->kind[s] == ROUTE_COMMITS &&
	       (have_common(by_option, &j->option[out]) ||
		       have_common(by_table, &j->option[out]));
}

/* The dependencies on the link that arrives at switch s by port `in`. */
static void
add_dependencies(struct part *x, sw_ix s, unsigned in)
{
	struct judge *j = x->j;
	const struct dep_graph *n = &j->frame;
	uint32_t rec = n->off[s] + in, back = n->peer[rec];
	struct some by_option, by_table;

	if (n->owner[back] == n->nsw)
		return;
	by_option = without_own(j, &j->option[back], s);
	by_table = without_own(j, &j->table[back], s);
	if (!have_common(&by_option, &by_option) &&
		!have_common(&by_table, &by_table))
		return;
	check_arrivals(x, &by_option, s, in);
	if (j->kind[s] == ROUTE_ESCAPES &&
		j->kind[n->owner[back]] == ROUTE_ESCAPES)
		by_option = (struct some){{0}};
	for (unsigned q = 1; q < n->off[s + 1] - n->off[s]; q++)
		if (q != in && n->owner[n->peer[n->off[s] + q]] != n->nsw &&
			!dep_graph_has(n, j->dep, rec, q) &&
			has_dependency(
				j, s, n->off[s] + q, &by_option, &by_table))
			dep_graph_put(n, j->dep, rec, q);
}

static void
count_choices(struct part *x, sw_ix s)
{
	const struct judge *j = x->j;
	struct some any = {{0}};

	for (uint32_t r = j->frame.off[s]; r < j->frame.off[s + 1]; r++)
		for (unsigned w = 0; w < WORDS; w++) {
			any.w[w] |= j->option[r].w[w];
			x->found.options += bitset_count64(j->option[r].w[w]);
		}
	for (unsigned w = 0; w < WORDS; w++)
		x->found.choices += bitset_count64(any.w[w]);
}

static void
connect_part(void *arg)
{
	struct part *x = arg;

	for (sw_ix s = x->from; s < x->to; s++) {
		count_choices(x, s);
		for (unsigned in = 1;
			in < x->j->frame.off[s + 1] - x->j->frame.off[s]; in++)
			add_dependencies(x, s, in);
	}
}

/* ---- loops, where switches escape ---- */

/* Whether s may choose a port for destination number i; defaults of switches
 * that escape are left out where there are options. */
static bool
may_choose(const struct judge *j, sw_ix s, uint32_t rec, uint32_t i)
{
	if (bitset_has(j->option[rec].w, i))
		return true;
	if (!bitset_has(j->table[rec].w, i))
		return false;
	for (uint32_t r = j->frame.off[s];
		j->kind[s] == ROUTE_ESCAPES && r < j->frame.off[s + 1]; r++)
		if (bitset_has(j->option[r].w, i))
			return false;
	return true;
}

/* Add d to the degree of what s leads to; what has none left is queued. */
static void
count_next(struct part *x, sw_ix s, uint32_t i, int d, uint32_t *n)
{
	const struct judge *j = x->j;

	for (uint32_t r = j->frame.off[s]; r < j->frame.off[s + 1]; r++) {
		sw_ix next = j->frame.owner[j->frame.peer[r]];

		if (next == j->frame.nsw || next == j->lids.sw[j->base + i] ||
			!may_choose(j, s, r, i))
			continue;
		x->degree[next] += (uint32_t)d;
		if (d < 0 && x->degree[next] == 0)
			x->queue[(*n)++] = next;
	}
}

/* Switches that something leads to are left: name an option among them. */
static void
name_loop(struct part *x, uint32_t i)
{
	const struct judge *j = x->j;

	for (sw_ix s = 0; s < j->t->nsw; s++)
		for (uint32_t r = j->frame.off[s];
			x->degree[s] > 0 && r < j->frame.off[s + 1]; r++) {
			sw_ix next = j->frame.owner[j->frame.peer[r]];

			if (next != j->frame.nsw && x->degree[next] > 0 &&
				bitset_has(j->option[r].w, i))
				note_fault(x, FAULT_LOOPS, s,
					r - j->frame.off[s],
					j->lids.sw[j->base + i]);
		}
}

static void
find_loops(struct part *x, uint32_t i)
{
	uint32_t n = 0, head = 0, nsw = x->j->t->nsw;
	sw_ix t = x->j->lids.sw[x->j->base + i];

	memset(x->degree, 0, nsw * sizeof(*x->degree));
	for (sw_ix s = 0; s < nsw; s++)
		if (s != t)
			count_next(x, s, i, 1, &n);
	for (sw_ix s = 0; s < nsw; s++)
		if (s != t && x->degree[s] == 0)
			x->queue[n++] = s;
	while (head < n)
		count_next(x, x->queue[head++], i, -1, &n);
	if (n < nsw - 1)
		name_loop(x, i);
}

/* ---- all of it ---- */

/* All links between switches, whatever they are used for. */
static void
link_everything(struct judge *j)
{
	const struct topo *t = j->t;

	for (sw_ix s = 0; s < t->nsw; s++)
		for (unsigned p = 1; p < j->frame.off[s + 1] - j->frame.off[s];
			p++) {
			port_ix peer = topo_port_behind(t, s, p);
			sw_ix next = topo_port_switch(t, peer);

			if (next != TOPO_NONE)
				dep_graph_link(&j->frame, j->frame.off[s] + p,
					j->frame.off[next] + t->port[peer].num);
		}
}

/* The links that routes may use. */
static void
link_routes(struct judge *j)
{
	const struct topo *t = j->t;

	for (sw_ix s = 0; s < t->nsw; s++)
		for (uint32_t i = 0; i < t->sw[s].nadj; i++) {
			const struct topo_adj *a = &t->adj[t->sw[s].adj + i];

			if (topo_sw_live(t, s) && topo_sw_live(t, a->peer))
				dep_graph_link(&j->frame,
					j->frame.off[s] + a->out,
					j->frame.off[a->peer] + a->peer_port);
		}
}

static void
make_frame(struct judge *j)
{
	dep_graph_by_topo(&j->frame, j->t, 1);
	if (j->job->everywhere)
		link_everything(j);
	else
		link_routes(j);
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

/* The dependencies of the tables among themselves. */
static void
add_given(struct judge *j)
{
	const struct verify_dependencies *d = j->job->deps;
	size_t n = d != NULL ? (size_t)d->nrec << d->shift : 0;

	for (unsigned l = 0; d != NULL && l < d->layers; l++)
		for (size_t i = 0; i < n; i++)
			j->dep[i] |= d->row[l * n + i];
}

static void
judge_open(struct judge *j, const struct verify_sets_job *job)
{
	*j = (struct judge){.job = job, .t = job->topo};
	make_frame(j);
	find_kinds(j);
	dest_lids_open(&j->lids, j->t);
	list_runs(j);
	j->dep = mem_zalloc(dep_graph_words(&j->frame), sizeof(*j->dep));
	j->option = mem_zalloc(j->frame.nrec, sizeof(*j->option));
	j->table = mem_zalloc(j->frame.nrec, sizeof(*j->table));
	j->entry = mem_zalloc(j->t->nsw, sizeof(*j->entry));
	add_given(j);
}

static void
judge_close(struct judge *j)
{
	free(j->dep);
	free(j->option);
	free(j->table);
	free(j->entry);
	free(j->kind);
	free(j->first);
	free(j->run);
	dest_lids_close(&j->lids);
	dep_graph_free(&j->frame);
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
find_cycle(const struct judge *j, struct reason *why)
{
	const struct dep_graph *n = &j->frame;
	const struct dep_matrix m = {n, j->dep};
	const struct dep_channels d = dep_cycle_matrix(&m);
	bool *left = mem_zalloc(n->nv, sizeof(*left));
	uint32_t *path, stay, length;

	for (uint32_t v = 0; v < n->nv; v++)
		left[v] = n->owner[n->peer[v]] != n->nsw;
	stay = dep_cycle_trim(&d, false, left);
	if (stay > 0) {
		(void)dep_cycle_trim(&d, true, left);
		path = mem_alloc(n->nv * sizeof(*path));
		length = dep_cycle_shortest(&d, left, path);
		describe_cycle(j, path, length, why);
		free(path);
	}
	free(left);
	return stay;
}

/* What all parts found; first gets it. */
static void
join_parts(struct part *part, unsigned n)
{
	for (unsigned i = 1; i < n; i++) {
		part[0].found.choices += part[i].found.choices;
		part[0].found.options += part[i].found.options;
		if (part[i].fault != FAULT_NONE)
			note_fault(&part[0], part[i].fault, part[i].fault_at,
				part[i].fault_port, part[i].fault_to);
	}
}

/* Take all destinations, some at a time; x is the first of n parts. */
static void
take_destinations(struct judge *j, struct part *part, unsigned n)
{
	for (; j->base < j->lids.n; j->base += TAKEN) {
		thread_share(n, transpose_part, part, sizeof(part[0]));
		thread_share(n, connect_part, part, sizeof(part[0]));
		join_parts(part, n);
		for (unsigned i = 1; i < n; i++)
			part[i].found = (struct verify_sets_report){0};
		for (uint32_t i = 0; j->escapes && i < taken_count(j); i++)
			find_loops(&part[0], i);
	}
}

static int
reach_verdict(const struct judge *j, const struct part *x,
	struct verify_sets_report *out, struct reason *why)
{
	const struct topo *t = j->t;

	*out = x->found;
	out->cyclic = find_cycle(j, why);
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
	struct judge j;
	struct part part[THREAD_SHARES];
	unsigned n = job->threads < 1 ? 1 : job->threads;
	int rc;

	if (n > THREAD_SHARES)
		n = THREAD_SHARES;
	judge_open(&j, job);
	for (unsigned i = 0; i < n; i++)
		part[i] = (struct part){.j = &j,
			.from = (sw_ix)((uint64_t)j.t->nsw * i / n),
			.to = (sw_ix)((uint64_t)j.t->nsw * (i + 1) / n)};
	for (unsigned i = 0; i < n; i++)
		dest_scan_open(&part[i].scan, &j.lids);
	part[0].degree = mem_zalloc(j.t->nsw, sizeof(*part[0].degree));
	part[0].queue = mem_zalloc(j.t->nsw, sizeof(*part[0].queue));
	take_destinations(&j, part, n);
	rc = reach_verdict(&j, &part[0], out, why);
	for (unsigned i = 0; i < n; i++) {
		free(part[i].by_set);
		dest_scan_close(&part[i].scan);
	}
	free(part[0].degree);
	free(part[0].queue);
	judge_close(&j);
	return rc;
}
