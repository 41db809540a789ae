#include "sm/report/counters_json.h"

#include <errno.h>
#include <stdlib.h>

#include "discovery/link_rate.h"
#include "sm/health/port_fec.h"
#include "sm/mad/mad_perf.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"

/* The LID of a node: of a switch, or of the first port of another that has one.
 */
static uint16_t
lid_of(const struct topo *t, node_ix n)
{
	for (unsigned i = 0; i <= t->node[n].nports; i++) {
		uint16_t lid = t->port[topo_port_of(t, n, i)].lid;

		if (lid != 0)
			return lid;
	}
	return 0;
}

/*
 * Put what error correction and detection counted: totals of the port where it
 * has RS-FEC, as those do that have counted some, and HDR and faster; else the
 * sums of the lanes.
 */
static void
put_fec(json_t *counters, const struct mad_perf_fec *r, bool is_rs)
{
	const struct port_fec_lanes lanes = port_fec_lanes(r);

	if (is_rs || (r->corrected_symbols | r->corrected_blocks |
			     r->uncorrectable_blocks) != 0) {
		json_util_put(counters,
			M("PortFECCorrectedSymbolCounter",
				r->corrected_symbols),
			M("PortFECUncorrectableBlockCounter",
				r->uncorrectable_blocks));
		return;
	}
	json_util_put(counters,
		M("FECCorrectableBlockCtrLane", lanes.corrected),
		M("FECUncorrectableBlockCtrLane", lanes.uncorrectable),
		M("ErrorDetectionCounterLane", lanes.detected));
}

static json_t *
port_json(const struct topo *t, port_ix p, const struct port_health *h)
{
	const struct topo_port *peer = &t->port[t->port[p].peer];
	const struct topo_node *n = &t->node[peer->node];
	json_t *counters = json_object();
	double ber;

	for (unsigned k = 0; k < MAD_PERF_KINDS; k++)
		if ((h->known >> k & 1) != 0)
			json_util_put(counters,
				M(mad_perf_name((enum mad_perf_kind)k),
					h->count[k]));
	if (h->fec != NULL && h->fec->counts)
		put_fec(counters, &h->fec->last,
			t->port[p].speed_ext >= PORT_HDR);
	if (link_verdict_raw_ber(h, t, p, PORT_HEALTH_HOUR, &ber))
		json_util_put(counters, M("RawBER", ber));
	if (link_verdict_ber(h, t, p, PORT_HEALTH_HOUR, &ber))
		json_util_put(counters, M("EffectiveBER", ber));
	return json_util_object(M("port", t->port[p].num),
		M("gbps", link_rate_active(&t->port[p]) / 10.0),
		M("peer",
			json_util_object(M("guid", names_guid(n->guid)),
				M("name", names_node_desc(t, peer->node)),
				M("type", names_type(n)), M("port", peer->num),
				M("lid", lid_of(t, peer->node)))),
		M("counters", counters));
}

static json_t *
node_json(const struct links_facts *f, node_ix n, unsigned *ports)
{
	const struct topo_node *node = &f->t->node[n];
	json_t *list = json_array();

	for (unsigned i = 1; i <= node->nports; i++) {
		port_ix p = topo_port_of(f->t, n, i);
		const struct port_health *h = links_record(f, p);

		if (h == NULL || f->t->port[p].peer == TOPO_NONE)
			continue;
		json_util_add(list, port_json(f->t, p, h));
		(*ports)++;
	}
	return json_util_object(M("guid", names_guid(node->guid)),
		M("name", names_node_desc(f->t, n)), M("lid", lid_of(f->t, n)),
		M("type", names_type(node)), M("ports", list));
}

/* The place among the nodes by GUID of the first one after a GUID. */
static uint32_t
place_after(const struct topo *t, uint64_t guid)
{
	uint32_t low = 0, high = t->nnodes;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (t->node[t->by_node[mid]].guid <= guid)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static json_t *
page_json(const struct links_facts *f, uint32_t at)
{
	const struct topo *t = f->t;
	json_t *nodes = json_array(), *next = json_null();
	unsigned ports = 0;

	for (; at < t->nnodes && ports < COUNTERS_JSON_PAGE; at++) {
		node_ix n = t->by_node[at];

		/* of nodes with one GUID the first one */
		if (topo_by_node_guid(t, t->node[n].guid) != n)
			continue;
		json_util_add(nodes, node_json(f, n, &ports));
	}
	if (at < t->nnodes)
		next = names_guid(t->node[t->by_node[at - 1]].guid);
	return json_util_object(M("nodes", nodes), M("next", next));
}

struct answer *
counters_answer(json_t *request, const struct links_facts *f)
{
	const char *cmd, *after = "0";
	json_error_t err;
	uint64_t guid;
	char *end;

	if (json_unpack_ex(request, &err, 0, "{s:s, s?s !}", "cmd", &cmd,
		    "after", &after) != 0)
		return answer_error("bad-argument", err.text);
	errno = 0;
	guid = strtoull(after, &end, 16);
	if (errno != 0 || end == after || *end != '\0')
		return answer_error("bad-argument", "'after' is no GUID");
	return answer_result(page_json(
		f, after[0] == '0' && guid == 0 ? 0 : place_after(f->t, guid)));
}
