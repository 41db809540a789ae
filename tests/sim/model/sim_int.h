/*
 * sim_int: what the files of the simulated fabric share. No file outside
 * tests/sim includes it.
 */
#ifndef HEDDLE_TESTS_SIM_MODEL_SIM_INT_H
#define HEDDLE_TESTS_SIM_MODEL_SIM_INT_H

#include "sm/base/rng.h"
#include "sm/mad/mad_perf.h"
#include "sm/mad/mad_violation.h"
#include "tests/sim/model/sim.h"

enum {
	SIM_MAX_ENDPOINTS = 64,
	SIM_MAX_OTHER_SMS = 4,
	SIM_PKEYS = 32, /* entries of an end port's P_Key table */
	SIM_DEFAULT_PKEY = 0xffff,
	SIM_PKEYS_BLOCK = 32,
	SIM_GUIDS_BLOCK = 8,
	SIM_NO_PORT = 255, /* LFT entry: drop */
};

struct sim_port {
	struct mad_port_info pi;
	uint64_t guid;
	uint32_t peer, to; /* node at the link's other end; node where SMPs
			      arrive (sim_fault_cross) */
	uint8_t peer_port, to_port;
	bool cut;      /* the cable is broken */
	bool disabled; /* by Set of the physical state */
	bool up;       /* link trained */
	struct fabric_rate rate;
	bool no_fdr10;	   /* switched off */
	struct mono lease; /* M_Key: when protection ends; 0: does not run */
	uint8_t *pkeys;	   /* whole blocks as on the wire, or NULL */
	uint8_t *vlarb;	   /* [4 * 64], or NULL: never written */
	uint8_t *guids;	   /* whole blocks of GUIDInfo, or NULL */
	uint16_t fec_fdr, fec_edr; /* enabled error correction */
	uint64_t count[MAD_PERF_KINDS];
	struct mad_perf_fec fec;
};

/* Adaptive routing of a switch that has it. */
struct sim_ar {
	struct mad_ar_info info;
	struct mad_ar_group *group; /* [group_cap], or NULL */
	struct mad_ar_entry *entry; /* [MAD_LID_END], or NULL */
	uint8_t plft_mode;	    /* ActiveMode of private LFTs */
	enum sim_ar_temper temper;
};

struct sim_switch {
	struct mad_switch_info si;
	uint8_t *lft; /* [lft_n]; entries beyond are SIM_NO_PORT */
	uint32_t lft_n;
	uint8_t (*sl2vl)[8];   /* [in * (nports + 1) + out], or NULL */
	uint8_t *mft;	       /* [block][position][64]; beyond: 0 */
	uint32_t mft_blocks;   /* in mft */
	struct sim_ar *ar;     /* NULL: none */
	struct mad_role *role; /* NULL: does not know the attribute */
};

/* A trap that waits for its TrapRepress. */
struct sim_trap {
	bool pending;
	uint8_t port; /* its LID is in the trap */
	uint64_t tid;
	unsigned tries;
	uint32_t generation; /* a timer of an older generation is void */
	uint16_t number;
	uint8_t data[MAD_DATA];
};
enum { TRAP_128, TRAP_144, TRAP_256, TRAP_257, TRAP_258, TRAP_259, NTRAPS };

/* The ix of an event for a trap. */
#define SIM_TRAP_EVENT(node, which) ((node) << 3 | (which))

struct sim_node {
	uint64_t guid, sysimg;
	char *name;	/* as the fabric calls it, for messages */
	char desc[64];	/* NodeDescription */
	uint32_t first; /* port[] record of port 0 */
	uint32_t vendor;
	uint16_t device;
	uint8_t type, nports;
	bool present, enhanced_p0;
	bool notice_toggle;
	struct fabric_attrs attrs;
	struct sim_behaviour how;
	struct mono busy; /* SMA busy until then */
	struct sim_switch *sw;
	struct sim_trap trap[NTRAPS];
	int8_t endpoint; /* one of the endpoints here, or -1 */
};

struct sim_endpoint {
	struct transport transport; /* first member: send() gets its address */
	struct sim *s;
	uint32_t node;
	uint8_t port;
	sim_recv *recv;
	void *cookie;
};

struct sim_other_sm {
	uint32_t node;
	uint8_t port;
	struct mad_sm_info says;
	bool was_set, handed_over;
	uint32_t modifier;
	struct mad_sm_info sent;
};

/* An entry of the event heap. */
struct sim_event {
	int64_t ns;
	uint64_t seq;
	uint32_t ix; /* message, call, or SIM_TRAP_EVENT */
	uint32_t arg;
	enum { EV_ARRIVE, EV_DELIVER, EV_TRAP, EV_CALL, EV_FLAP } kind;
};

/* A message in flight; msg says where it arrives. */
struct sim_flight {
	struct sim_msg msg;
	int8_t origin; /* endpoint that sent it, or -1 */
	uint8_t *held; /* its body, to be freed */
	uint32_t next_free;
};

/* A link with a bad contact. */
struct sim_flap {
	uint32_t node;
	uint8_t port;
	bool up;       /* the next state */
	unsigned left; /* changes of state to go */
	struct mono half;
};

struct sim_call {
	void (*fn)(void *, struct sim *);
	void *cookie;
	uint32_t next_free;
};

struct sim {
	struct sim_options o;
	struct rng rng;
	struct mono now;
	uint64_t seq;
	uint64_t trap_tid;

	struct sim_node *node;
	struct sim_port *port;
	uint32_t nnodes, nports;

	struct sim_endpoint endpoint[SIM_MAX_ENDPOINTS];
	int nendpoints;
	struct sim_other_sm other[SIM_MAX_OTHER_SMS];
	int nothers;

	struct sim_event *heap;
	size_t nheap, heap_cap;
	struct sim_flight *flight;
	size_t nflight, flight_cap;
	uint32_t free_flight;
	struct sim_call *call;
	size_t ncall, call_cap;
	struct sim_flap *flap;
	size_t nflap, flap_cap;
	uint32_t free_call;

	enum sim_verdict (*hook)(void *, struct sim_msg *);
	void *hook_cookie;
	struct sim_plane plane; /* functions NULL: none */
	void (*watch)(void *, const struct sim_change *);
	void *watch_cookie;
	void (*trace)(void *, const struct sim_set *);
	void *trace_cookie;
	struct sim_stats stats;
};

static inline struct sim_port *
sim_int_port(const struct sim *s, uint32_t node, unsigned port)
{
	return &s->port[s->node[node].first + port];
}

/* True if the node's SMA answers and its switch passes directed routes on. */
static inline bool
sim_int_alive(const struct sim_node *n)
{
	return n->present && !n->how.hung;
}

/* Tell the watch and the data plane, if they are set. */
static inline void
sim_int_changed(const struct sim *s, int what, uint32_t node, uint32_t arg)
{
	struct sim_change c = {.node = node, .arg = arg};

	if (what == SIM_PORT && s->plane.changed)
		s->plane.changed(s->plane.cookie, node, arg);
	if (!s->watch)
		return;
	c.what = what == SIM_BLOCK	? SIM_BLOCK
		 : what == SIM_TABLE	? SIM_TABLE
		 : what == SIM_SL2VL	? SIM_SL2VL
		 : what == SIM_GROUPS	? SIM_GROUPS
		 : what == SIM_ADAPTIVE ? SIM_ADAPTIVE
					: SIM_PORT;
	s->watch(s->watch_cookie, &c);
}

/* sim_queue.c: events and messages in flight. */
void sim_queue_event(
	struct sim *s, struct mono t, int kind, uint32_t ix, uint32_t arg);
bool sim_queue_pop(struct sim *s, struct sim_event *e);
struct sim_flight *sim_queue_flight(struct sim *s, uint32_t *ix);
/* m goes into flight: its body, if any, becomes a copy that m owns. */
void sim_queue_hold(struct transport_msg *m);
void sim_queue_release(struct sim *s, uint32_t ix);
/* Give msg the random faults and let it arrive (kind) after the delay. */
void sim_queue_send(struct sim *s, const struct sim_msg *msg, int origin,
	int kind, struct mono delay);
void sim_queue_free(struct sim *s);

/* sim_route.c: paths through the fabric. */
struct sim_way {
	uint32_t node; /* where the path ends, and the port of arrival */
	uint8_t port;
	unsigned hops;
	struct mono time;
};
/* Follow a directed route as a request; ret (NULL allowed) is filled. */
bool sim_route_directed(struct sim *s, uint32_t node, unsigned port,
	const uint8_t *mad, uint8_t *ret, struct sim_way *out);
/* Follow a directed response's return path from a node. */
bool sim_route_return(
	struct sim *s, uint32_t node, const uint8_t *mad, struct sim_way *out);
/* Follow the installed tables; data: only over Active ports. */
bool sim_route_lid(struct sim *s, uint32_t node, unsigned port, uint16_t lid,
	bool data, struct sim_way *out);

/*
 * sim_gid.c: a, as the sender at a port wrote it, becomes what the receiver
 * sees: the sender's GID, and the index of its own that the GRH names. False:
 * one of both ports does not have that GID.
 */
bool sim_gid_pass(const struct sim *s, uint32_t from, unsigned from_port,
	const struct sim_way *to, struct transport_addr *a);

/* sim_smp.c: an SMA. True when q->m became an answer to send back. */
bool sim_smp_act(struct sim *s, struct sim_msg *q);

/* Whether the second SM at a node (sim_fault_other_sm) takes an order. */
bool sim_fault_may_order(const struct sim_other_sm *o, const struct smp *req);
/* Let it obey one that it takes. */
void sim_fault_obey(struct sim_other_sm *o, const struct smp *req);
/* sim_trace.c: sim_smp_act, and the trace is told of a Set. */
bool sim_trace_act(struct sim *s, struct sim_msg *q);

/* The next change of a bad contact. */
void sim_fault_flap_due(struct sim *s, uint32_t ix);

/* sim_port.c: PortInfo and links. */
void sim_port_boot(struct sim *s, uint32_t node, unsigned port);
/*
 * Whether the SMA that a request arrived at answers for port *num; where that
 * is 0 and the node is no switch, it becomes the port of arrival.
 */
bool sim_port_answers(
	const struct sim *s, uint32_t node, unsigned arrived, uint32_t *num);
void sim_port_get(const struct sim *s, uint32_t node, unsigned port,
	unsigned arrived, bool ext, uint8_t d[MAD_DATA]);
uint16_t sim_port_set(struct sim *s, uint32_t node, unsigned port, bool ext,
	const uint8_t d[MAD_DATA]);
/* Bring a link up or down as its ends, nodes and settings demand. */
void sim_port_refresh(struct sim *s, uint32_t node, unsigned port);
/* Retrain a link that is up: both ends through Down to Init. */
void sim_port_retrain(struct sim *s, uint32_t node, unsigned port);

/* sim_table.c: forwarding and other tables. */
void sim_table_boot(struct sim *s, uint32_t node);
void sim_table_free(struct sim *s, uint32_t node);
uint16_t sim_table_act(struct sim *s, uint32_t node, unsigned arrived,
	const struct smp *req, uint8_t d[MAD_DATA]);
uint8_t sim_table_lft(const struct sim_switch *sw, uint16_t lid);
void sim_table_write(struct sim_switch *sw, uint16_t lid, uint8_t out);

/*
 * sim_key.c: true if the M_Key permits the request. False: no answer; counted,
 * and a trap sent.
 */
bool sim_key_check(
	struct sim *s, const struct sim_msg *q, const struct smp *req);
/* Entries of a port's P_Key table. */
unsigned sim_key_entries(const struct sim *s, uint32_t node, unsigned port);

/* sim_perf.c: counters, and the agent that answers for them. */
void sim_perf_count(struct sim_port *p, enum mad_perf_kind what);
/* A MAD that travels as data crossed a link. */
void sim_perf_hop(struct sim_port *out, struct sim_port *in);
/* True when q->m became an answer to send back. */
bool sim_perf_act(struct sim *s, struct sim_msg *q);

/* sim_vendor.c: vendor attributes and the switch's role. */
void sim_vendor_boot(struct sim *s, uint32_t node);
void sim_vendor_free(struct sim *s, uint32_t node);
/* A Set of the LFT: devices whose adaptive routing it switches off. */
void sim_vendor_lft_set(struct sim *s, uint32_t node);
/* True for a vendor request that this switch leaves without an answer. */
bool sim_vendor_is_mute(const struct sim_node *n, const struct smp *req);
uint16_t sim_vendor_act(struct sim *s, uint32_t node, unsigned arrived,
	const struct smp *req, uint8_t d[MAD_DATA]);

/* sim_trap.c */
void sim_trap_link(struct sim *s, uint32_t node); /* 128 */
void sim_trap_local(
	struct sim *s, uint32_t node, unsigned port, uint16_t flags); /* 144 */
/* 256 to 259 */
void sim_trap_violation(struct sim *s, uint32_t node, unsigned port,
	uint16_t trap, const struct mad_violation *v);
uint16_t sim_trap_notice(
	struct sim *s, uint32_t node, const struct smp *req, uint8_t *d);
void sim_trap_due(struct sim *s, uint32_t node, unsigned which, uint32_t gen);
void sim_trap_repress(struct sim *s, uint32_t node, const struct smp *m);

#endif
