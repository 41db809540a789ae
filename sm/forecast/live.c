#include "sm/forecast/live.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "routing/route.h"
#include "sm/base/loop.h"
#include "sm/base/mem.h"
#include "sm/ctl/client.h"
#include "sm/ctl/member.h"
#include "sm/ctl/words.h"

enum { PATIENCE_S = 60, CODE_PROBLEM = 1, CODE_UNREACHABLE = 3, CODE_REFUSED };

struct live {
	int fd;
};

struct live *
live_open(const char *socket, int *code, struct reason *why)
{
	enum client_fault fault;
	int fd = client_connect(socket, &fault, why);
	struct live *l;

	if (fd < 0) {
		*code = fault == CLIENT_UNREACHABLE ? CODE_UNREACHABLE
			: fault == CLIENT_FORBIDDEN ? CODE_REFUSED
						    : CODE_PROBLEM;
		return NULL;
	}
	l = mem_zalloc(1, sizeof(*l));
	l->fd = fd;
	return l;
}

void
live_close(struct live *l)
{
	if (l == NULL)
		return;
	(void)close(l->fd);
	free(l);
}

/* The reply's result, in a reply to be decref'ed; NULL and why. */
static json_t *
ask(struct live *l, json_t *request, json_t **result, struct reason *why)
{
	struct mono until =
		mono_add(loop_now(), mono_ms((int64_t)PATIENCE_S * 1000));
	enum client_fault fault;
	json_t *reply = client_ask(l->fd, request, until, &fault, why);
	const char *error;

	json_decref(request);
	if (reply == NULL)
		return NULL;
	*result = json_object_get(reply, "result");
	if (json_is_object(*result))
		return reply;
	error = json_string_value(json_object_get(reply, "error"));
	(void)reason_set(
		why, "the daemon says: %s", error != NULL ? error : "nothing");
	json_decref(reply);
	return NULL;
}

char *
live_topology(struct live *l, size_t *n, struct reason *why)
{
	json_t *result, *reply = ask(l,
				json_pack("{s:s, s:s}", "cmd", "topology",
					"format", "ibnetdiscover"),
				&result, why);
	const char *text;
	char *copy = NULL;

	if (reply == NULL)
		return NULL;
	text = json_string_value(json_object_get(result, "text"));
	if (text != NULL) {
		*n = strlen(text);
		copy = mem_strdup(text);
	} else {
		(void)reason_set(why, "the daemon sent no topology");
	}
	json_decref(reply);
	return copy;
}

void
live_pace(struct live *l, struct expect_pace *pace)
{
	struct reason why;
	json_t *result, *reply;
	double answer;

	reply = ask(l, json_pack("{s:s}", "cmd", "status"), &result, &why);
	if (reply == NULL)
		return;
	answer = member_real(json_object_get(result, "wire"), "answer");
	if (answer > 0 && answer < 60)
		pace->answer = (struct mono){(int64_t)(answer * 1e9)};
	json_decref(reply);
}

static enum route_order
order_of(const char *word)
{
	for (enum route_order o = ROUTE_TIERS; o <= ROUTE_ROOTS; o++)
		if (word != NULL && strcmp(word, words_order(o)) == 0)
			return o;
	return ROUTE_TIERS;
}

/* What the fabric was read as; NULL: by an engine that is not known here. */
static struct route_reading
reading_of(const json_t *o)
{
	const char *word = json_string_value(json_object_get(o, "engine"));
	const char *hash = json_string_value(json_object_get(o, "options"));

	return (struct route_reading){route_engine_named(word),
		hash != NULL ? strtoull(hash, NULL, 16) : 0,
		(uint64_t)json_integer_value(json_object_get(o, "at"))};
}

static uint8_t
read_as(const char *word)
{
	for (int r = ROUTE_READ_TREE; r <= ROUTE_READ_MESH; r++)
		if (word != NULL &&
			strcmp(word, words_read((enum route_read)r)) == 0)
			return (uint8_t)r;
	return ROUTE_READ_NEVER;
}

/* One switch's table and rank. */
static int
take_row(struct live *l, struct routes *r, sw_ix s, uint8_t *row,
	struct reason *why)
{
	const struct topo *t = r->topo;
	uint64_t guid = t->node[t->sw[s].node].guid;
	size_t i, bytes = (size_t)r->nblocks * LFT_BLOCK;
	json_t *result, *reply, *entries, *e;

	reply = ask(l,
		json_pack("{s:s, s:o}", "cmd", "routes", "switch",
			words_guid(guid)),
		&result, why);
	if (reply == NULL)
		return -1;
	memset(row, LFT_DROP, bytes);
	entries = json_object_get(result, "entries");
	json_array_foreach(entries, i, e)
	{
		json_int_t lid = json_integer_value(json_object_get(e, "lid"));
		const json_t *out = json_object_get(e, "out");

		if (lid > 0 && (size_t)lid < bytes && json_is_integer(out))
			row[lid] = (uint8_t)json_integer_value(out);
	}
	routes_put_row(r, s, row, NULL, TOPO_NONE);
	r->rank[s] =
		(uint32_t)json_integer_value(json_object_get(result, "rank"));
	r->order =
		order_of(json_string_value(json_object_get(result, "order")));
	r->read[s] =
		read_as(json_string_value(json_object_get(result, "read")));
	r->reading = reading_of(json_object_get(result, "reading"));
	json_decref(reply);
	return 0;
}

struct routes *
live_routes(struct live *l, struct topo *t, struct lft_pool *pool,
	struct reason *why)
{
	struct routes *r = routes_new(t, pool);
	uint8_t *row = mem_alloc((size_t)r->nblocks * LFT_BLOCK);
	int rc = 0;

	r->engine = "in force";
	r->read = mem_zalloc(t->nsw, sizeof(*r->read));
	for (sw_ix s = 0; s < t->nsw && rc == 0; s++)
		rc = take_row(l, r, s, row, why);
	free(row);
	if (rc == 0)
		return r;
	routes_unref(r);
	return NULL;
}
