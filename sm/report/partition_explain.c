#include "sm/report/partition_explain.h"

#include <stdio.h>

#include "sm/base/buf.h"
#include "sm/base/reason.h"
#include "sm/mad/mad.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"
#include "sm/report/port_find.h"
#include "sm/view/view_partition.h"

/* True if the list contains this key, membership bit included. */
static bool
has_key(const uint16_t *key, size_t n, uint16_t wanted)
{
	for (size_t i = 0; i < n; i++)
		if (key[i] == wanted)
			return true;
	return false;
}

/* The keys of the port's table, and whether each is configured. */
static json_t *
keys_json(const struct view *v, port_ix p)
{
	const uint16_t *live;
	size_t nlive = view_partition_keys(v, p, &live);
	json_t *list = json_array();

	for (unsigned b = 0; b < view_partition_blocks(v, p); b++) {
		uint16_t key[VIEW_PARTITION_BLOCK];

		if (!view_partition_table(v, p, b, key))
			break;
		for (unsigned i = 0; i < VIEW_PARTITION_BLOCK; i++) {
			if (key[i] == 0)
				continue;
			json_util_append(list,
				M("index", (int)(b * VIEW_PARTITION_BLOCK + i)),
				M("pkey", key[i] & PKEY_NUMBER),
				M("full", json_boolean(
						  (key[i] & PKEY_FULL) != 0)),
				M("configured", json_boolean(has_key(
							live, nlive, key[i]))),
				M("partition", names_text(view_partition_name(
						       v, key[i]))));
		}
	}
	return list;
}

/* True if the switch port that a host is connected to enforces its keys. */
static bool
is_guarded(const struct topo *t, port_ix p)
{
	port_ix peer = t->port[p].peer;
	struct mad_port_info i;

	return t->node[t->port[p].node].type != TOPO_SWITCH &&
	       peer != TOPO_NONE &&
	       t->node[t->port[peer].node].type == TOPO_SWITCH &&
	       mad_port_info_decode(topo_info(t, peer), &i, NULL) == 0 &&
	       i.enf_in;
}

static json_t *
port_json(const struct view *v, port_ix p)
{
	const struct topo *t = v->topo;

	return json_util_object(M("guid", names_guid(t->port[p].guid)),
		M("port", t->port[p].num), M("lid", t->port[p].lid),
		M("name", names_node_desc(t, t->port[p].node)),
		M("guarded", json_boolean(is_guarded(t, p))),
		M("keys", keys_json(v, p)));
}

/* Why two ports share no partition in which they may talk. */
static void
explain_refusal(const struct view *v, port_ix a, port_ix b, struct buf *out)
{
	const uint16_t *ka, *kb;
	size_t na = view_partition_keys(v, a, &ka),
	       nb = view_partition_keys(v, b, &kb);

	for (size_t i = 0; i < na; i++)
		for (size_t k = 0; k < nb; k++)
			if (((ka[i] ^ kb[k]) & PKEY_NUMBER) == 0) {
				buf_printf(out,
					"both are limited members of the only "
					"shared partition, %s: limited members "
					"cannot talk to each other",
					view_partition_name(v, ka[i]));
				return;
			}
	buf_printf(out, "they share no partition");
}

/* Append the partitions in which a talks to b, each once; how many there are.
 */
static size_t
put_shared(const struct view *v, port_ix a, port_ix b, struct buf *out)
{
	const uint16_t *key;
	size_t n = view_partition_keys(v, a, &key), shared = 0;

	for (size_t i = 0; i < n; i++) {
		/* a port may have both keys of a partition */
		if (view_partition_has(v, a, b, key[i]) != key[i])
			continue;
		buf_printf(out, "%s%.60s, 0x%04x", shared > 0 ? "; " : "",
			view_partition_name(v, key[i]), key[i] & PKEY_NUMBER);
		shared++;
	}
	return shared;
}

static void
put_verdict(json_t *o, const struct view *v, port_ix a, port_ix b)
{
	struct buf in = {0}, why = {0};
	size_t shared = put_shared(v, a, b, &in);

	if (shared > 0)
		buf_printf(&why, "in partition%s %s",
			names_plural((long long)shared), in.text);
	else
		explain_refusal(v, a, b, &why);
	json_util_put(o, M("talk", json_boolean(shared > 0)),
		M("why", names_text(why.text)));
	buf_free(&why);
	buf_free(&in);
}

struct answer *
partition_explain(json_t *request, const struct view *v)
{
	const char *cmd, *what, *name[2] = {NULL, NULL};
	port_ix p[2] = {TOPO_NONE, TOPO_NONE};
	json_error_t err;
	struct reason why;
	uint16_t lid;
	json_t *o;

	if (json_unpack_ex(request, &err, 0, "{s:s, s:s, s:s, s?s !}", "cmd",
		    &cmd, "what", &what, "from", &name[0], "to", &name[1]) != 0)
		return answer_error("bad-argument", err.text);
	for (unsigned i = 0; i < 2 && name[i] != NULL; i++) {
		p[i] = port_find(v->topo, name[i], &lid, &why);
		if (p[i] == TOPO_NONE)
			return answer_error("not-found", why.text);
	}
	o = json_util_object(
		M("generation", v->generation), M("from", port_json(v, p[0])));
	if (name[1] != NULL) {
		json_util_put(o, M("to", port_json(v, p[1])));
		put_verdict(o, v, p[0], p[1]);
	}
	return answer_result(o);
}
