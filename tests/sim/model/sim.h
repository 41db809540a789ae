/*
 * sim: a simulated fabric in the test's own process, on a virtual clock.
 *
 * It is built from a struct fabric and keeps its own state: what real devices
 * keep, and nothing of what the subnet manager under test believes. A test
 * attaches an endpoint to a port and gets a struct transport to send with;
 * messages that arrive at that port are handed to a callback with the virtual
 * time. Between two events no time passes; nothing here sleeps or reads a
 * clock. The same seed and the same calls give the same run.
 *
 *	endpoint --send--> walk through the fabric --> SMA --answer--> endpoint
 *	             |  directed route or installed tables  |
 *	             +-- faults, hook                       +-- faults, hook
 *
 * The path of a message is followed when it is sent, that of an answer when the
 * SMA answers: in the microseconds between nothing that matters can change, and
 * one event per direction keeps the simulation fast. A link that is down, a
 * missing table entry or a loop loses the message; the loss is counted, and the
 * sender learns of it by its timer only.
 *
 * Directed routes: IBA volume 1, 14.2.2; attributes 14.2.5; traps 14.3.
 */
#ifndef HEDDLE_TESTS_SIM_MODEL_SIM_H
#define HEDDLE_TESTS_SIM_MODEL_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/clock.h"
#include "sm/mad/mad.h"
#include "sm/mad/mad_ar.h"
#include "sm/mad/mad_perf.h"
#include "sm/mad/mad_role.h"
#include "sm/transport/transport.h"
#include "tests/topo/fabric.h"

struct sim;
struct sim_endpoint;

/* Chances of faults of a message, in millionths per direction. dup: it arrives
 * twice, one copy right behind the other. */
struct sim_faults {
	uint32_t loss, dup, delay, corrupt, truncate;
	uint32_t reorder;      /* overtaken by messages sent soon after */
	uint32_t busy;	       /* SMA answers BUSY and does nothing */
	struct mono delay_max; /* of delayed messages: uniform up to this */
};

struct sim_options {
	uint64_t seed;
	struct mono hop;     /* time per link */
	struct mono service; /* of an SMA per SMP, which it serves one by one */
	unsigned sma_queue;  /* SMPs that may wait at an SMA; 0: any number */
	struct mono trap_interval; /* between repetitions of a trap */
	unsigned trap_tries; /* times a trap is sent; 0: until repressed */
	uint16_t lft_cap, mft_cap;
	uint16_t enf_cap; /* P_Keys of a switch's external port; 0: none */
	uint16_t pkeys;	  /* of all other ports, at least 1 */
	uint8_t vl_cap, mtu_cap; /* codes as in PortInfo; a CA has at most 4
				    VLs, base port 0 of a switch none */
	uint16_t capmask2;	 /* bits that end ports may have; bit 1:
				    PortInfoExtended */
	bool opt_sl2vl;		 /* switches do optimized SL2VL programming */
	bool keep_lids;		 /* start with the LIDs in the fabric's file */
	bool ibsim;		 /* SMAs that answer as ibsim 0.10 does */
	struct sim_faults faults;
};

/* 1 us a hop, 2 us a SMP, traps every 200 ms, 8 VLs, MTU 4096, no faults. */
struct sim_options sim_defaults(void);

/* A fabric after power-on: every linked port in Init, nothing configured. */
struct sim *sim_new(const struct fabric *f, const struct sim_options *o);
void sim_free(struct sim *s); /* NULL allowed */

/*
 * Follow the growth of f, the fabric that the sim was made of: new nodes are
 * switched on, new links plugged in. Not while a watch is set or a data plane
 * runs (asserted).
 */
void sim_grow(struct sim *s, const struct fabric *f);

/*
 * Takes the messages that arrive at an endpoint's port and are not for its SMA.
 * m lives as long as the call; the callback may send and change the fabric, but
 * not step the clock.
 */
typedef void sim_recv(
	void *cookie, const struct transport_msg *m, struct mono now);

/*
 * Attach an endpoint to a port (a CA's, or port 0 of a switch). At most 64 in a
 * fabric, one per port. The endpoint lives as long as the sim, or until
 * sim_detach: messages on their way to it are lost then.
 */
struct sim_endpoint *sim_attach(struct sim *s, uint32_t node, unsigned port,
	sim_recv *recv, void *cookie);
void sim_detach(struct sim_endpoint *e);

/* The transport by which the endpoint sends. */
struct transport *sim_transport(struct sim_endpoint *e);

/*
 * Send from the endpoint with the TID as it is, all 64 bits of it: for a server
 * that keeps there the number by which it knows its client. sim_transport
 * overwrites the upper half.
 */
void sim_send(struct sim_endpoint *e, const struct transport_msg *m);

/* Raise or clear IsSM in the endpoint's CapabilityMask (sends trap 144). */
void sim_set_issm(struct sim_endpoint *e, bool on);

/* Hand m to the endpoint after the delay; its bytes are not checked. */
void sim_inject(struct sim_endpoint *e, const struct transport_msg *m,
	struct mono delay);

/*
 * The clock. sim_step runs the next event, false when there is none;
 * sim_run_until runs everything up to and including t and ends at t.
 */
struct mono sim_now(const struct sim *s);
struct mono sim_next(const struct sim *s); /* MONO_NEVER when idle */
bool sim_step(struct sim *s);
void sim_run_until(struct sim *s, struct mono t);

/* Call fn(cookie, s) at time t: test scripts cause their faults so. */
void sim_at(struct sim *s, struct mono t, void (*fn)(void *, struct sim *),
	void *cookie);

/* A message on its way, as the hook sees it. */
struct sim_msg {
	enum { SIM_AT_SMA, SIM_AT_ENDPOINT } where;
	uint32_t node; /* the node and port that it has arrived at */
	uint8_t port;
	uint32_t from;	 /* node that sent it */
	struct mono now; /* before the SMA acts */
	struct transport_msg m;
};

enum sim_verdict { SIM_PASS, SIM_DROP };

/*
 * hook sees every message just before an SMA acts on it or an endpoint gets it,
 * after the random faults. It may change the bytes, and drops the message with
 * SIM_DROP.
 */
void sim_set_hook(struct sim *s,
	enum sim_verdict (*hook)(void *, struct sim_msg *), void *cookie);

/* A Set that an SMA has dealt with. */
struct sim_set {
	struct mono now;
	uint32_t node;
	uint8_t port; /* by which it arrived */
	uint16_t attr;
	uint32_t mod;
	uint64_t mkey;		/* of the request */
	uint8_t data[MAD_DATA]; /* what it asks for */
	bool has_before;
	uint8_t before[MAD_DATA]; /* what a Get would have shown before it */
	bool answered;
	uint16_t status; /* of the answer */
};

/*
 * trace is called at every Set that arrives at an SMA, after the SMA has acted
 * on it or discarded it (its M_Key): programs that compare managers read their
 * Sets so. Notice and SMInfo have no value before: a Get of them has effects.
 * NULL: none. It must change nothing.
 */
void sim_trace(struct sim *s, void (*trace)(void *, const struct sim_set *),
	void *cookie);

/* A change in the fabric that has just happened. */
struct sim_change {
	enum {
		SIM_BLOCK,  /* LFT entries of 64 LIDs, block number arg */
		SIM_TABLE,  /* all of a switch's LFT: its top, or wiped */
		SIM_PORT,   /* state of the node's port arg */
		SIM_SL2VL,  /* SL2VL of a switch, from arg >> 8 to arg & 255 */
		SIM_GROUPS, /* a switch's multicast table */
		SIM_ADAPTIVE, /* a switch's adaptive routing */
	} what;
	uint32_t node, arg;
};

/*
 * watch is called at every change of forwarding tables and port states as soon
 * as it has happened, so that judges see every moment. It must change nothing.
 */
void sim_watch(struct sim *s, void (*watch)(void *, const struct sim_change *),
	void *cookie);

/*
 * Rows of the counts by attribute: standard attributes, vendor attributes
 * 0xff00-0xffff, and one row for all others.
 */
enum { SIM_STD_ATTRS = 64, SIM_ATTRS = SIM_STD_ATTRS + 256 + 1 };

static inline unsigned
sim_attr_row(uint16_t attr)
{
	return attr < SIM_STD_ATTRS ? attr
	       : attr >= 0xff00	    ? SIM_STD_ATTRS + (attr & 0xffU)
				    : SIM_ATTRS - 1;
}

struct sim_stats {
	uint64_t sent;		     /* by endpoints */
	uint64_t smps;		     /* acted on by SMAs */
	uint64_t by[SIM_ATTRS][8];   /* of these: [sim_attr_row][method & 7] */
	uint64_t answers;	     /* made by SMAs */
	uint64_t delivered;	     /* to endpoints */
	uint64_t lost_link;	     /* link down, port or node absent */
	uint64_t lost_entry;	     /* no table entry */
	uint64_t lost_loop;	     /* forwarding loop */
	uint64_t lost_fault;	     /* by a random fault or the hook */
	uint64_t lost_queue;	     /* SMA's buffer full */
	uint64_t lost_silent;	     /* hung, mute, garbage, M_Key */
	uint64_t lost_nobody;	     /* no endpoint at the port */
	uint64_t lft_sets, lft_same; /* blocks written; unchanged */
	uint64_t lft_entries;	     /* entries that such a block changed */
	/* the first trap that arrives; the last Set of a forwarding table,
	 * SL2VL or PortInfo; 0: none */
	struct mono first_trap, last_set;
	uint64_t mft_sets, mft_same;
	uint64_t port_sets, switch_sets;
	uint64_t sl2vl_blind; /* Sets of many rows that changed none that
				 packets can be sent by */
	uint64_t traps;	      /* sent, repetitions included */
	uint64_t client_rereg;
};
const struct sim_stats *sim_stats(const struct sim *s);
void sim_clear_stats(struct sim *s);

/* The state of the fabric, for judges and tests. */
uint32_t sim_nodes(const struct sim *s); /* indexes as in the fabric */
const char *sim_name(const struct sim *s, uint32_t node);
bool sim_present(const struct sim *s, uint32_t node);
const struct mad_port_info *sim_port_info(
	const struct sim *s, uint32_t node, unsigned port);
uint8_t sim_lft(const struct sim *s, uint32_t node, uint16_t lid);
const struct mad_switch_info *sim_switch_info(
	const struct sim *s, uint32_t node);

/*
 * What an SMA would answer to a Get of an attribute that arrives by a port and
 * bears the port's M_Key. 0, or the MAD status and d untouched.
 */
uint16_t sim_read(struct sim *s, uint32_t node, unsigned port, uint16_t attr,
	uint32_t mod, uint8_t d[MAD_DATA]);

/*
 * Multicast: the ports of an MLID, none if it is above MulticastFDBTop: bit n %
 * 64 of word n / 64 is port n.
 */
void sim_mft(
	const struct sim *s, uint32_t node, uint16_t mlid, uint64_t ports[4]);

/* SLtoVLMappingTable of a switch, or of a CA's port (out; in is ignored). */
uint8_t sim_vl(const struct sim *s, uint32_t node, unsigned in, unsigned out,
	unsigned sl);

/* Adaptive routing info of the switch, NULL if it has none. */
const struct mad_ar_info *sim_ar_info(const struct sim *s, uint32_t node);

/*
 * What another manager left on (enum mad_ar_on bits), and how the switch takes
 * a Set that switches it off. A switch without adaptive routing gets it, and
 * has it after a reboot too, when it is off and the switch obeys.
 */
enum sim_ar_temper {
	SIM_AR_OBEYS,
	SIM_AR_REFUSES,	   /* answers the Set with a status */
	SIM_AR_IGNORES,	   /* does not answer the Set */
	SIM_AR_KEEPS,	   /* acknowledges the Set, and keeps it on */
	SIM_AR_SECRET,	   /* does not answer GeneralInfo */
	SIM_AR_PLAIN,	   /* a Set(LFT) switches it off */
	SIM_AR_NO_GROUPS,  /* refuses groups */
	SIM_AR_NO_ENTRIES, /* does not answer a Set of entries */
	SIM_AR_STAYS_OFF,  /* acknowledges the Set that switches it on, in vain
			    */
	SIM_AR_LOSES,	   /* acknowledges a group, without its highest port */
};
void sim_hand_adaptive(
	struct sim *s, uint32_t node, unsigned on, enum sim_ar_temper temper);
unsigned sim_adaptive_on(const struct sim *s, uint32_t node);

/*
 * Write a group, which becomes the highest in use if it is above these, or an
 * entry of ARLFT. The switch has adaptive routing (asserted).
 */
void sim_hand_ar_group(struct sim *s, uint32_t node, uint16_t group,
	const struct mad_ar_group *ports);
void sim_hand_ar_entry(struct sim *s, uint32_t node, uint16_t lid,
	const struct mad_ar_entry *entry);
/* GroupTop, of whatever value. */
void sim_hand_ar_top(struct sim *s, uint32_t node, uint16_t top);
/* Other firmware: the switch has no adaptive routing any more. */
void sim_hand_ar_none(struct sim *s, uint32_t node);

/* The role that a switch reports, NULL if it does not know the attribute. */
const struct mad_role *sim_role(const struct sim *s, uint32_t node);

/*
 * Whether a packet with this P_Key would pass a port. An end port takes the
 * keys in its table unless both members are limited; an external port of a
 * switch compares the number alone, and only if the SM has switched enforcement
 * on.
 */
bool sim_pkey_passes(const struct sim *s, uint32_t node, unsigned port,
	uint16_t pkey, bool inbound);

/*
 * A packet with a P_Key that did not pass, or a wrong Q_Key: sim_bad_key counts
 * it, and sends trap 257, 258 or, from external ports of switches, 259.
 */
struct sim_bad_key {
	bool qkey, inbound;
	uint16_t slid, dlid;
	uint32_t key;
	uint8_t sl;
	uint32_t qp1, qp2;
};
void sim_bad_key(struct sim *s, uint32_t node, unsigned port,
	const struct sim_bad_key *k);

/* Write an entry or a LID as an SM would, for hand-made tables. */
void sim_set_lft(struct sim *s, uint32_t node, uint16_t lid, uint8_t out);
void sim_set_lid(struct sim *s, uint32_t node, unsigned port, uint16_t lid);
void sim_activate_all(struct sim *s); /* every linked port Active */

/*
 * More settings by hand (sim_hand.c): PortInfo of a port, written as it is;
 * PortStateChange of a switch; SL2VL of (in, out), or a CA's own with its port
 * as out; the entry of an MLID, ports below 16 of it; a block of a P_Key table;
 * VLArb as the four blocks of the attribute one after the other: low, low,
 * high, high.
 */
void sim_hand_port(struct sim *s, uint32_t node, unsigned port,
	const struct mad_port_info *pi);
void sim_hand_life(struct sim *s, uint32_t node, uint8_t life); /* switch's */
/* The ports to which a switch sends groups that are in no table; 255: none. */
void sim_hand_default_mcast(
	struct sim *s, uint32_t node, uint8_t primary, uint8_t other);
void sim_hand_change_bit(struct sim *s, uint32_t node, bool set);
/* A Set of a table or of PortInfo, as by an SMP that arrives at the SMA. */
void sim_hand_set(struct sim *s, uint32_t node, const struct smp *set);
void sim_hand_sl2vl(struct sim *s, uint32_t node, unsigned in, unsigned out,
	const uint8_t row[8]);
void sim_hand_mft(struct sim *s, uint32_t node, uint16_t mlid, uint16_t ports);
void sim_hand_pkeys(struct sim *s, uint32_t node, unsigned port, unsigned block,
	const uint16_t key[32]);
/* A block of alias GUIDs of a host's port; the first GUID of all stays. */
void sim_hand_guids(struct sim *s, uint32_t node, unsigned port, unsigned block,
	const uint64_t guid[8]);
void sim_hand_vlarb(
	struct sim *s, uint32_t node, unsigned port, const uint8_t table[256]);

/*
 * A second source of events on the same clock: the data plane. run is called
 * before the clock moves to t, to do everything that lies before t; changed is
 * called when the state, link or settings of a port may have changed. NULL:
 * none.
 */
struct sim_plane {
	void *cookie;
	void (*run)(void *cookie, struct mono t);
	void (*changed)(void *cookie, uint32_t node, unsigned port);
};
void sim_set_plane(struct sim *s, const struct sim_plane *plane);

/* A counter of a port as its agent would tell it, and writing it. */
uint64_t sim_counter(const struct sim *s, uint32_t node, unsigned port,
	enum mad_perf_kind kind);
void sim_hand_counter(struct sim *s, uint32_t node, unsigned port,
	enum mad_perf_kind kind, uint64_t count);

/* The same of FEC: written in place, by the agent's numbers. */
struct mad_perf_fec *sim_fec(struct sim *s, uint32_t node, unsigned port);

/* Faults of the fabric itself (sim_fault.c). */

/* What the performance agent of a node knows. */
enum sim_perf_agent {
	SIM_PERF_EXTENDED, /* data and packets in 64 bits */
	SIM_PERF_WIDE,	   /* the errors, too */
	SIM_PERF_SHORT,	   /* PortCounters alone */
	SIM_PERF_REFUSES,  /* no attribute */
	SIM_PERF_MUTE,	   /* it does not answer */
};

/*
 * How a node misbehaves; zeroes: well-behaved. Bits are 1 << attribute, and
 * SIM_ROLE_BIT for the role of a switch (bit 0 is no attribute's).
 */
enum { SIM_ROLE_BIT = 1 };
struct sim_behaviour {
	bool hung; /* answers nothing and passes no directed routes on; still
		      forwards by its tables */
	uint64_t mute;	 /* these attributes are not answered */
	uint64_t refuse; /* these are answered with this status */
	uint16_t status; /* 0: 0x000c */
	uint64_t wrong;	 /* these are answered as another attribute */
	bool zero_ports; /* NodeInfo says 0 ports */
	uint64_t lies; /* Sets of these are acknowledged, but not carried out */
	bool bad_role; /* its role has a wrong signature */
	bool lid_everywhere; /* a switch: its external ports show its LID */
	bool own_life;	     /* a switch: keeps its LifeTimeValue */
	uint8_t keeps_mtu;   /* this port, not 0, keeps its NeighborMTU ... */
	bool claims_mtu;     /* ... and acknowledges the one it is sent */
	enum sim_perf_agent perf;
	bool fec;		  /* the agent has the counters of FEC, too */
	struct mono service;	  /* of its SMA per SMP; 0: unchanged */
	struct sim_faults faults; /* on top of the fabric's */
};
void sim_fault_behave(
	struct sim *s, uint32_t node, const struct sim_behaviour *b);

/* The node's present behaviour. */
const struct sim_behaviour *sim_behaviour(const struct sim *s, uint32_t node);

void sim_fault_chances(struct sim *s, const struct sim_faults *f);

/* Take the link at a port down or up: both ends, state change, traps. */
void sim_fault_link(struct sim *s, uint32_t node, unsigned port, bool up);

/* The cables of two ports change places, as f has it, which is the fabric of s
 * with fabric_swap: their links go down, and come up between others. */
void sim_fault_swap(struct sim *s, const struct fabric *f, uint32_t a,
	unsigned pa, uint32_t b, unsigned pb);

/*
 * A bad contact: the link at a port goes down and comes back once per period,
 * count times, from now on. It ends up.
 */
void sim_fault_flap(struct sim *s, uint32_t node, unsigned port,
	struct mono period, unsigned count);

/* Remove a node with its links, or put it back as after power-on. */
void sim_fault_node(struct sim *s, uint32_t node, bool present);

/* Tables and LIDs wiped, all links retrained. */
void sim_fault_reboot(struct sim *s, uint32_t node);

/* Answer with other GUIDs from now on (duplicates). */
void sim_fault_guid(struct sim *s, uint32_t node, uint64_t guid);

/*
 * SMPs that leave this port arrive at to_node by to_port, though the link there
 * leads elsewhere: a neighbour that does not point back.
 */
void sim_fault_cross(struct sim *s, uint32_t node, unsigned port,
	uint32_t to_node, unsigned to_port);

/* Change a NodeDescription or CapabilityMask: trap 144 from its first port. */
void sim_fault_rename(struct sim *s, uint32_t node, const char *name);
void sim_fault_capmask(
	struct sim *s, uint32_t node, unsigned port, uint32_t capmask);

/*
 * A second subnet manager that only answers: SMInfo Gets with what is given
 * here, counting its activity; and obeys the control Sets, of which it
 * remembers the last: at a hand-over it becomes master, and sends no
 * acknowledgement, as OpenSM; at the others it becomes what they say. Orders
 * that OpenSM would refuse it refuses. Its GUID is that of its port where 0 is
 * given. Sets IsSM. A further call changes its answers.
 */
void sim_fault_other_sm(struct sim *s, uint32_t node, unsigned port,
	const struct mad_sm_info *says);
/*
 * It sends an order (1 hand over, 2 acknowledge, 3 disable, 4 standby, 5
 * discover) to the SM at a LID. False if no path leads there. Handing over
 * makes it a standby.
 */
bool sim_fault_other_sm_tells(
	struct sim *s, uint32_t node, uint16_t lid, uint32_t order);
bool sim_fault_other_sm_last(const struct sim *s, uint32_t node,
	uint32_t *modifier, struct mad_sm_info *sent);

#endif
