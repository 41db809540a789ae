#include "routing/updown/updown_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"

const struct updown_state *
updown_state_of(const struct routes *r)
{
	return r != NULL && r->state != NULL &&
			       r->state->ops == &updown_state_ops
		       ? r->state->what
		       : NULL;
}

sw_ix
updown_state_sftree_root(const struct routes *r)
{
	const struct updown_state *state = updown_state_of(r);

	return state != NULL ? state->sftree_root : TOPO_NONE;
}

static uint64_t **
copy_extra(const struct updown *u, struct arena *a)
{
	size_t bytes = u->graph.words * sizeof(**u->sftree_extra);
	uint64_t **extra;

	if (u->sftree_extra == NULL)
		return NULL;
	extra = arena_array(a, u->graph.nsw, sizeof(*extra));
	for (sw_ix s = 0; s < u->graph.nsw; s++)
		if (sftree_is_extension(u, s))
			extra[s] = memcpy(arena_alloc(a, bytes),
				u->sftree_extra[s], bytes);
	return extra;
}

static uint16_t *
copy_numbers(const struct updown *u, struct arena *a)
{
	size_t bytes = u->graph.nsw * sizeof(*u->leaf_number);

	return u->leaf_number == NULL
		       ? NULL
		       : memcpy(arena_alloc(a, bytes), u->leaf_number, bytes);
}

/* The parts that the order covers are the trees. */
static void
give_parts(struct routes *r, const uint8_t *tree)
{
	if (tree == NULL)
		return;
	r->part = mem_dup(tree, r->topo->nsw);
	for (sw_ix s = 0; s < r->topo->nsw; s++)
		r->part[s] &= ROUTE_PART | ROUTE_GATE;
}

void
updown_state_keep(const struct updown *u, const uint8_t *tree, struct routes *r)
{
	struct arena *a = arena_new();
	struct updown_state *state = arena_alloc(a, sizeof(*state));

	*state = (struct updown_state){.sftree_root = u->sftree_root,
		.sftree_extra = copy_extra(u, a),
		.extra_known = true,
		.tree = tree == NULL ? NULL
				     : memcpy(arena_alloc(a, u->graph.nsw),
					       tree, u->graph.nsw),
		.leaf_number = copy_numbers(u, a),
		.reranked = u->reranked,
		.moved = u->moved};
	give_parts(r, state->tree);
	routes_set_state(r, &updown_state_ops, a, state);
}

/* ---- as text ---- */

/* The beginning of a line: what it says of switch s follows. */
static void
print_switch(const struct routes *r, const char *what, sw_ix s, struct buf *out)
{
	buf_printf(out, "%s %s 0x%016" PRIx64, r->engine, what,
		r->topo->node[r->topo->sw[s].node].guid);
}

static void
print_state(const struct routes *r, struct buf *out)
{
	const struct updown_state *state = updown_state_of(r);
	const uint16_t *number = state->leaf_number;

	if (state->sftree_root != TOPO_NONE) {
		print_switch(r, "turn", state->sftree_root, out);
		buf_printf(out, "\n");
	}
	for (sw_ix s = 0; state->tree != NULL && s < r->topo->nsw; s++) {
		uint8_t mark = state->tree[s];

		print_switch(r, "plane", s, out);
		buf_printf(out, " %u%s\n", mark & ROUTE_PART,
			mark & ROUTE_GATE	? " apex"
			: mark & UPDN_TREE_LEAF ? " leaf"
						: "");
	}
	for (sw_ix s = 0; number != NULL && s < r->topo->nsw; s++)
		if (number[s] != UPDN_NO_NUMBER) {
			print_switch(r, "number", s, out);
			buf_printf(out, " %u\n", number[s]);
		}
}

/* The text behind this word and the space after it; NULL: it begins with
 * another word. */
static const char *
skip_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	return strncmp(text, word, n) == 0 && text[n] == ' ' ? text + n + 1
							     : NULL;
}

/* A state that is being read. */
struct reader {
	const struct topo *t;
	struct arena *a;
	struct updown_state *state;
};

/* Cut a GUID off *text; TOPO_NONE: its switch is away. False: there is none. */
static bool
take_switch(const struct topo *t, const char **text, sw_ix *s)
{
	node_ix n;
	char *end;

	if (strncmp(*text, "0x", 2) != 0)
		return false;
	n = topo_by_node_guid(t, strtoull(*text, &end, 16));
	*text = end;
	*s = n == TOPO_NONE ? TOPO_NONE : t->node[n].sw;
	return true;
}

/* Cut a space and a number up to max off *text; false: there is none. */
static bool
take_number(const char **text, unsigned long max, unsigned long *n)
{
	char *end;

	if (**text != ' ' || (*text)[1] < '0' || (*text)[1] > '9')
		return false;
	*n = strtoul(*text + 1, &end, 10);
	*text = end;
	return *n <= max;
}

static bool
parse_root(struct reader *x, const char **text, sw_ix s)
{
	(void)text;
	x->state->sftree_root = s;
	return true;
}

static bool
parse_number(struct reader *x, const char **text, sw_ix s)
{
	uint32_t nsw = x->t->nsw;
	unsigned long n;

	if (!take_number(text, UPDN_NO_NUMBER - 1, &n))
		return false;
	if (x->state->leaf_number == NULL) {
		x->state->leaf_number =
			arena_array(x->a, nsw, sizeof(*x->state->leaf_number));
		memset(x->state->leaf_number, 0xff,
			nsw * sizeof(*x->state->leaf_number));
	}
	if (s != TOPO_NONE)
		x->state->leaf_number[s] = (uint16_t)n;
	return true;
}

static bool
parse_tree(struct reader *x, const char **text, sw_ix s)
{
	unsigned long n;

	if (!take_number(text, ROUTE_PART, &n))
		return false;
	if (strncmp(*text, " apex", 5) == 0)
		n |= ROUTE_GATE | UPDN_TREE_LEAF;
	else if (strncmp(*text, " leaf", 5) == 0)
		n |= UPDN_TREE_LEAF;
	*text += n > ROUTE_PART ? 5 : 0;
	if (x->state->tree == NULL)
		x->state->tree =
			arena_array(x->a, x->t->nsw, sizeof(*x->state->tree));
	if (s != TOPO_NONE)
		x->state->tree[s] = (uint8_t)n;
	return true;
}

/* Read one line, without the engine's name; what it says of a switch that is
 * away is skipped. False: it is not understood. */
static bool
parse_line(struct reader *x, const char *line)
{
	static const struct {
		const char *word;
		bool (*parse)(struct reader *x, const char **text, sw_ix s);
	} kind[] = {{"turn", parse_root}, {"number", parse_number},
		{"plane", parse_tree}};

	for (size_t i = 0; i < sizeof(kind) / sizeof(kind[0]); i++) {
		const char *text = skip_word(line, kind[i].word);
		sw_ix s;

		if (text != NULL)
			return take_switch(x->t, &text, &s) &&
			       kind[i].parse(x, &text, s) && *text == '\n';
	}
	return false;
}

static int
parse_state(struct routes *r, const char *engine, const char *text,
	struct reason *why)
{
	struct arena *a = arena_new();
	struct updown_state *state = arena_alloc(a, sizeof(*state));
	struct reader x = {r->topo, a, state};

	*state = (struct updown_state){.sftree_root = TOPO_NONE};
	for (const char *line = text; line != NULL && *line != '\0';
		line += strcspn(line, "\n"), line += *line == '\n') {
		const char *own = skip_word(line, engine);

		if (own == NULL || parse_line(&x, own))
			continue;
		arena_free(a);
		return reason_set(why, "%.*s", (int)strcspn(line, "\n"), line);
	}
	give_parts(r, state->tree);
	routes_set_state(r, &updown_state_ops, a, state);
	return 0;
}

/* ---- for readers ---- */

static unsigned
list_facts(const struct routes *r, struct engine_fact out[ENGINE_FACTS])
{
	const struct updown_state *state = updown_state_of(r);

	out[0] = (struct engine_fact){.key = "turn_leaf",
		.is_switch = true,
		.sw = state->sftree_root};
	out[1] = (struct engine_fact){.key = "reranked", .n = state->reranked};
	return 2;
}

static bool
is_settled(const struct routes *r)
{
	return updown_state_of(r)->moved == 0;
}

/* Not to an extension switch, but for those destinations for which it gets
 * packets from above: its other entries may lead up again (sftree_root.c). */
static bool
may_go_down(const struct routes *r, sw_ix s, sw_ix dest)
{
	const struct updown_state *state = updown_state_of(r);

	return state->sftree_extra == NULL || state->sftree_extra[s] == NULL ||
	       bitset_has(state->sftree_extra[s], dest);
}

const struct engine_state_ops updown_state_ops = {.print = print_state,
	.parse = parse_state,
	.status = list_facts,
	.is_settled = is_settled,
	.may_go_down = may_go_down};
