/*
 * sweep: reading the fabric. Four kinds, one machine:
 *
 *	full	breadth first by directed routes from our own port: NodeInfo,
 *		then of a switch SwitchInfo, PortInfo of port 0 and of all
 *		ports, and NodeInfo through every port that is up and has no
 *		known other end yet; of a CA or router PortInfo of the port.
 *		PortStateChange is cleared first, so that a change during the
 *		sweep sets it anew, unless nothing may be written. The levels
 *		keep each link from being asked from both ends.
 *	probe	of some switches, after a trap: clear PortStateChange, read the
 *		ports, follow what is new, drop what is gone, read SwitchInfo
 *		once more: a bit set anew means another round. A switch that is
 *		probed because of a trap alone is read no further if the bit is
 *		clear.
 *	light	SwitchInfo of every switch: which ones changed or do not answer.
 *	names	NodeDescription of every node that has none yet: it is asked for
 *		after bring-up, because no table depends on it; only of switches
 *		where the configuration gives them roles by name.
 *
 * Switches of the kinds that builder_ask_roles lists are asked for their role
 * once they are read (vendor attribute 0xFFE0). They need not answer.
 *
 * Extended speeds: switch ports are read with modifier bit 31 at once when
 * port 0 says the switch knows them; a CA port is read a second time with it
 * only when the other end of its link has not reported the speed already.
 *
 * A switch that does not answer after its retries is quarantined; what is known
 * behind it, and cannot be reached otherwise, is kept and not asked: its path
 * leads through the silent processor. Light sweeps ask silent switches once
 * more, and a probe of one that answers reads what was behind it. A CA is kept
 * as far as it answered (TN_PARTIAL). Several SMPs are in flight: as many as
 * the transactions have room for. IBA volume 1, 14.2 and 14.4.
 *
 * Folder discovery/sweep: a kind of sweep -> Gets -> answers in the builder.
 * Callers: sm/core and sm/audit. Read next: discovery/sweep/path_probe.h;
 * sweep_priv.h for the machine.
 */
#ifndef HEDDLE_DISCOVERY_SWEEP_SWEEP_H
#define HEDDLE_DISCOVERY_SWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/builder/builder.h"
#include "sm/base/clock.h"
#include "sm/transport/xact.h"

enum sweep_kind {
	SWEEP_FULL,
	SWEEP_PROBE,
	SWEEP_LIGHT,
	SWEEP_NAMES,
	SWEEP_SWITCH_NAMES,
};

struct sweep;

struct sweep_stats {
	uint64_t smps;	   /* requests completed */
	uint64_t timeouts; /* requests that failed for good */
	uint32_t new_nodes, gone_nodes, new_links, gone_links;
	uint32_t changed_ports; /* port records that differ from before */
	uint32_t rounds;     /* probe: rounds until PortStateChange stayed 0 */
	uint32_t duplicates; /* nodes met with a known GUID: duplicates, or
			moved meanwhile */
};

/*
 * Start. guid/n: the switches of a probe (unknown GUIDs are ignored), NULL/0
 * otherwise. The sweep borrows d and x; nothing is submitted yet.
 */
struct sweep *sweep_new(enum sweep_kind kind, struct builder *d, struct xact *x,
	const uint64_t *guid, size_t n);

/*
 * Probe: a trap is the only reason to probe this switch. If its PortStateChange
 * is clear, nothing has happened since its ports were read, and they are not
 * read again: an earlier sweep saw the change before the trap arrived.
 */
void sweep_add_trap_source(struct sweep *s, uint64_t guid);

/*
 * Probe, done: true if every switch of it was found unchanged in this sense and
 * nothing else has changed: the fabric is what it was.
 */
bool sweep_found_no_change(const struct sweep *s);

/*
 * Send only Gets from now on: for reading a fabric that another subnet manager
 * masters, or may master. A PortStateChange that is set stays so; a change of
 * that switch while it is read goes unnoticed until its ports are read again.
 */
void sweep_read_only(struct sweep *s);

/*
 * Free. Only when it is done, or after xact_cancel_all has completed its
 * requests (asserted). NULL allowed.
 */
void sweep_free(struct sweep *s);

/*
 * Submit as many requests as there is room for. Call after starting, after
 * completions and after xact_tick: when requests are being repeated, the rest
 * goes on without waiting for them.
 */
void sweep_feed(struct sweep *s, struct mono now);

/*
 * Probe: a port of a switch is known to be down, for example from path_probe:
 * read it, if this sweep has not. False: this sweep is of another kind, or
 * done.
 */
bool sweep_hint(struct sweep *s, builder_id n, uint8_t port);

/*
 * Give up the requests that are open: what was found so far stays. The sweep is
 * done then; a probe or a full sweep that was stopped is incomplete.
 */
void sweep_stop(struct sweep *s, struct mono now);

/* True if nothing is outstanding but answers that are late. */
bool sweep_only_late(const struct sweep *s);

/* True when everything is asked and answered, or given up. */
bool sweep_done(const struct sweep *s);

/* Our own port did not answer: the reason, else NULL. */
const char *sweep_failed(const struct sweep *s);

/* Light: GUIDs of the nodes that need a probe; valid until sweep_free. */
const uint64_t *sweep_suspects(const struct sweep *s, size_t *n);

/*
 * GUIDs of the switches whose PortStateChange was cleared by a Set that was
 * sent more than once; valid until sweep_free. A copy of it that arrives later
 * clears the bit again, and with it the news of a change that came meanwhile:
 * only reading their ports again, once no copy can be under way any more, finds
 * such a change.
 */
const uint64_t *sweep_repeated_clears(const struct sweep *s, size_t *n);

/* Light: true if a switch answered that something changed there. */
bool sweep_saw_change(const struct sweep *s);

/* Light: true if our own port came up or went down; everything must be read. */
bool sweep_self_changed(const struct sweep *s);

const struct sweep_stats *sweep_stats(const struct sweep *s);

#endif
