#include "routing/updown/updown_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

void
updown_state_keep(const struct updown *u, struct routes *r)
{
	struct arena *a = arena_new();
	struct updown_state *state = arena_alloc(a, sizeof(*state));

	*state = (struct updown_state){.sftree_root = u->sftree_root,
		.sftree_extra = copy_extra(u, a),
		.extra_known = true,
		.reranked = u->reranked,
		.moved = u->moved};
	routes_set_state(r, &updown_state_ops, a, state);
}

/* ---- as text ---- */

static void
print_state(const struct routes *r, struct buf *out)
{
	const struct updown_state *state = updown_state_of(r);
	const struct topo *t = r->topo;

	if (state->sftree_root != TOPO_NONE)
		buf_printf(out, "%s turn 0x%016" PRIx64 "\n", r->engine,
			t->node[t->sw[state->sftree_root].node].guid);
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

/* Read one line of the engine; the GUID of a switch that is away is skipped.
 * False: it is not understood. */
static bool
parse_line(const struct topo *t, const char *line, struct updown_state *state)
{
	const char *guid = skip_word(line, "turn");
	node_ix n;
	char *end;

	if (guid == NULL || strncmp(guid, "0x", 2) != 0)
		return false;
	n = topo_by_node_guid(t, strtoull(guid, &end, 16));
	if (n != TOPO_NONE)
		state->sftree_root = t->node[n].sw;
	return end > guid && *end == '\n';
}

static int
parse_state(struct routes *r, const char *engine, const char *text,
	struct reason *why)
{
	struct arena *a = arena_new();
	struct updown_state *state = arena_alloc(a, sizeof(*state));

	*state = (struct updown_state){.sftree_root = TOPO_NONE};
	for (const char *line = text; line != NULL && *line != '\0';
		line += strcspn(line, "\n"), line += *line == '\n') {
		const char *own = skip_word(line, engine);

		if (own == NULL || parse_line(r->topo, own, state))
			continue;
		arena_free(a);
		return reason_set(why, "%.*s", (int)strcspn(line, "\n"), line);
	}
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

const struct engine_state_ops updown_state_ops = {.print = print_state,
	.parse = parse_state,
	.status = list_facts,
	.is_settled = is_settled};
