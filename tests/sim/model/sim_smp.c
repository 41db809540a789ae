#include <string.h>

#include "sm/base/be.h"
#include "tests/sim/model/mad_port_ext.h"
#include "tests/sim/model/sim_ibsim.h"
#include "tests/sim/model/sim_int.h"

/* Byte positions in a MAD's header. */
enum { AT_BASE_VERSION = 0, AT_CLASS_VERSION = 2 };

enum { VENDOR_ATTRS = 0xff00 };

/* Byte of a PortInfo: NeighborMTU in its upper half. */
enum { AT_MTU = 36 };

static uint64_t
attr_bit(uint16_t attr)
{
	if (attr == MAD_ROLE)
		return SIM_ROLE_BIT;
	return attr < 64 ? 1ULL << attr : 0;
}

static uint16_t
act_node_info(const struct sim *s, const struct sim_msg *q,
	const struct smp *req, uint8_t *d)
{
	const struct sim_node *n = &s->node[q->node];
	bool sw = n->type == FABRIC_SWITCH;
	struct mad_node_info ni = {
		.sysimg = n->sysimg,
		.guid = n->guid,
		.port_guid = sim_int_port(s, q->node, sw ? 0 : q->port)->guid,
		.vendor = n->vendor,
		.device = n->device,
		.revision = 1,
		.partition_cap = s->o.pkeys,
		.base_version = 1,
		.class_version = 1,
		.type = n->type,
		.nports = n->how.zero_ports ? 0 : n->nports,
		.local_port = q->port,
	};

	if (s->o.ibsim)
		sim_ibsim_node_info(&ni);
	else if (req->method != MAD_GET)
		return MAD_STATUS_METHOD_ATTR;
	mad_node_info_encode(&ni, d);
	return req->method == MAD_GET ? 0 : MAD_STATUS_METHOD;
}

static uint16_t
act_port_info(struct sim *s, const struct sim_msg *q, const struct smp *req,
	uint8_t *d)
{
	const struct sim_node *n = &s->node[q->node];
	bool ext = req->mod & MAD_PORT_INFO_EXT;
	uint32_t num = req->mod & ~MAD_PORT_INFO_EXT;
	const struct mad_port_info *pi;
	uint16_t status = 0;
	bool shown;

	if (!sim_port_answers(s, q->node, q->port, &num))
		return MAD_STATUS_FIELD;
	/* to requests that bear the key: the one that a Set finds, so that its
	 * answer shows the one that it wrote */
	pi = &sim_int_port(s, q->node, num)->pi;
	shown = !pi->mkey_prot || pi->mkey == 0 || req->mkey == pi->mkey;
	if (req->method == MAD_SET)
		status = sim_port_set(s, q->node, num, ext, req->data);
	if (status)
		return status;
	sim_port_get(s, q->node, num, q->port, ext, d);
	if (req->method == MAD_SET && n->how.claims_mtu &&
		num == n->how.keeps_mtu)
		d[AT_MTU] = (uint8_t)((d[AT_MTU] & 0xf) |
				      (req->data[AT_MTU] & 0xf0));
	if (!shown)
		be_put64(d, 0);
	return 0;
}

/* Error correction: one mode each for FDR and EDR, without effect. */
static uint16_t
act_port_ext(struct sim *s, const struct sim_msg *q, const struct smp *req,
	uint8_t *d)
{
	uint32_t num = req->mod;
	struct mad_port_ext is = {.fdr_supported = 1, .edr_supported = 1}, in;
	struct sim_port *p;

	if (!(s->o.capmask2 & MAD_CAP2_PORT_EXT))
		return MAD_STATUS_METHOD_ATTR;
	if (!sim_port_answers(s, q->node, q->port, &num))
		return MAD_STATUS_FIELD;
	p = sim_int_port(s, q->node, num);
	if (req->method == MAD_SET) {
		mad_port_ext_decode(req->data, &in);
		if ((in.fdr_enabled | in.edr_enabled) & ~1U)
			return MAD_STATUS_FIELD;
		p->fec_fdr = in.fdr_enabled;
		p->fec_edr = in.edr_enabled;
	}
	is.fdr_enabled = p->fec_fdr;
	is.edr_enabled = p->fec_edr;
	is.active = p->rate.speed_ext == 1   ? p->fec_fdr
		    : p->rate.speed_ext == 2 ? p->fec_edr
					     : 0;
	mad_port_ext_encode(&is, d);
	return 0;
}

static struct sim_other_sm *
other_sm(struct sim *s, uint32_t node, uint8_t port)
{
	for (int i = 0; i < s->nothers; i++) {
		if (s->other[i].node == node &&
			(s->other[i].port == port ||
				s->node[node].type == FABRIC_SWITCH))
			return &s->other[i];
	}
	return NULL;
}

static uint16_t
act_sm_info(struct sim *s, const struct sim_msg *q, const struct smp *req,
	uint8_t *d)
{
	struct sim_other_sm *o = other_sm(s, q->node, q->port);

	if (!o)
		return MAD_STATUS_METHOD_ATTR;
	if (req->method == MAD_SET) {
		if (!sim_fault_may_order(o, req))
			return MAD_STATUS_FIELD;
		sim_fault_obey(o, req);
	}
	mad_sm_info_encode(&o->says, d);
	o->says.act_count++;
	return 0;
}

static uint16_t
act_on_attr(struct sim *s, const struct sim_msg *q, const struct smp *req,
	uint8_t *d)
{
	if (s->o.ibsim && req->attr != MAD_NODE_INFO)
		return sim_ibsim_act(s, q, req, d);
	if (!s->o.ibsim && req->method != MAD_GET && req->method != MAD_SET)
		return MAD_STATUS_METHOD;
	switch (req->attr) {
	case MAD_NODE_INFO:
		return act_node_info(s, q, req, d);
	case MAD_NODE_DESC:
		if (req->method != MAD_GET)
			return MAD_STATUS_METHOD_ATTR;
		memcpy(d, s->node[q->node].desc, MAD_DATA);
		return 0;
	case MAD_PORT_INFO:
		return act_port_info(s, q, req, d);
	case MAD_SM_INFO:
		return act_sm_info(s, q, req, d);
	case MAD_NOTICE:
		return sim_trap_notice(s, q->node, req, d);
	case MAD_PORT_EXT:
		return act_port_ext(s, q, req, d);
	default:
		if (req->attr >= VENDOR_ATTRS)
			return sim_vendor_act(s, q->node, q->port, req, d);
		return sim_table_act(s, q->node, q->port, req, d);
	}
}

/* A status forced by random faults or the script; 0: the SMA decides. */
static uint16_t
forced_status(struct sim *s, const struct sim_behaviour *b, uint16_t attr)
{
	uint32_t busy = s->o.faults.busy + b->faults.busy;

	if (busy && rng_below(&s->rng, 1000000) < busy)
		return MAD_STATUS_BUSY;
	if (b->refuse & attr_bit(attr))
		return b->status ? b->status : MAD_STATUS_METHOD_ATTR;
	return 0;
}

/*
 * The answer to a Set that is acknowledged but not carried out: its own data;
 * in PortInfo a state of NoChange becomes the port's real one.
 */
static void
fake_set(struct sim *s, const struct sim_msg *q, const struct smp *req,
	uint8_t *d)
{
	uint32_t num = req->mod & ~MAD_PORT_INFO_EXT;
	struct mad_port_info pi;

	if (req->attr != MAD_PORT_INFO ||
		!sim_port_answers(s, q->node, q->port, &num) ||
		mad_port_info_decode(d, &pi, NULL) != 0)
		return;
	if (pi.state == 0)
		pi.state = sim_int_port(s, q->node, num)->pi.state;
	mad_port_info_encode(&pi, d);
}

static void
encode_answer(struct sim_msg *q, struct smp *a, uint16_t status)
{
	a->method = MAD_GET_RESP;
	a->response = true;
	a->status = status;
	a->hop_ptr = 0;
	smp_encode(a, q->m.mad);
	q->from = q->node;
}

/* Refuse a class version that the SMA does not know; true: answered. */
static bool
answer_version(struct sim_msg *q)
{
	struct smp a;

	if (q->m.len != MAD_SIZE || q->m.mad[AT_BASE_VERSION] != 1 ||
		q->m.mad[AT_CLASS_VERSION] == 1)
		return false;
	q->m.mad[AT_CLASS_VERSION] = 1;
	if (smp_decode(q->m.mad, q->m.len, &a, NULL) || a.response)
		return false;
	encode_answer(q, &a, MAD_STATUS_VERSION);
	return true;
}

/* True for Sets that configure the fabric; discovery sends none of these. */
static bool
is_config_set(const struct smp *req)
{
	return req->method == MAD_SET &&
	       (req->attr == MAD_LFT || req->attr == MAD_SL2VL ||
		       req->attr == MAD_PORT_INFO);
}

bool
sim_smp_act(struct sim *s, struct sim_msg *q)
{
	struct sim_node *n = &s->node[q->node];
	struct smp req;
	uint8_t d[MAD_DATA];
	uint16_t status;

	if (!sim_int_alive(n))
		return false;
	if (smp_decode(q->m.mad, q->m.len, &req, NULL))
		return answer_version(q);
	if (req.method & 0x80 || n->how.mute & attr_bit(req.attr) ||
		sim_vendor_is_mute(n, &req) || !sim_key_check(s, q, &req))
		return false;
	s->stats.smps++;
	s->stats.by[sim_attr_row(req.attr)][req.method & 7]++;
	if (req.method == MAD_TRAP_REPRESS) {
		sim_trap_repress(s, q->node, &req);
		return false;
	}
	memcpy(d, req.data, MAD_DATA);
	status = forced_status(s, &n->how, req.attr);
	if (status == 0 && req.method == MAD_SET &&
		n->how.lies & attr_bit(req.attr))
		fake_set(s, q, &req, d);
	else if (status == 0)
		status = act_on_attr(s, q, &req, d);
	if (is_config_set(&req))
		s->stats.last_set = sim_now(s);
	if (n->how.bad_role && req.attr == MAD_ROLE)
		d[0] ^= 0x20;
	if (status == 0 || s->o.ibsim)
		memcpy(req.data, d, MAD_DATA);
	if (n->how.wrong & attr_bit(req.attr))
		req.attr ^= 1;
	encode_answer(q, &req, status);
	s->stats.answers++;
	return true;
}

uint16_t
sim_read(struct sim *s, uint32_t node, unsigned port, uint16_t attr,
	uint32_t mod, uint8_t d[MAD_DATA])
{
	const struct sim_msg q = {.node = node, .port = (uint8_t)port};
	const struct smp req = {
		.method = MAD_GET,
		.attr = attr,
		.mod = mod,
		.mkey = sim_int_port(s, node, port)->pi.mkey,
	};
	uint8_t got[MAD_DATA] = {0};
	uint16_t status = act_on_attr(s, &q, &req, got);

	if (status == 0)
		memcpy(d, got, MAD_DATA);
	return status;
}
