/*
 * links_json: links that are bad, slow or err, as JSON, for the control socket.
 * Slow is a link that is narrower or slower than both its ends can do, by their
 * PortInfo; what else is known of a link is in the counters of its ports, where
 * these are read (sm/health).
 */
#ifndef HEDDLE_SM_REPORT_LINKS_JSON_H
#define HEDDLE_SM_REPORT_LINKS_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "discovery/topo.h"
#include "sm/base/clock.h"
#include "sm/health/link_verdict.h"
#include "sm/health/link_watch.h"

/* The most links that a list has; how many there are is told besides. */
enum { LINKS_JSON_MOST = 1000 };

struct event_log;

struct links_facts {
	const struct topo *t;
	const struct health *health;	    /* NULL: there is none */
	const struct link_watches *watches; /* or NULL */
	struct link_limits limits;
	struct mono now;
	const struct event_log *log; /* what is missing; NULL: not known */
	bool reads_names;	     /* of nodes, or is about to */
};

/* Which links are asked for: those of any kind that is true. */
struct links_ask {
	bool bad, slow, errors;
};

/*
 * {"of", "found", "links": [..]}: the links asked for, the worst first, each
 * with its "ends", "width", "speed" and "gbps", what both ends can do ("best",
 * "best_width", "best_speed"), whether it is "slow" or "bad", and "why", and
 * the "counters" of both ends, null where they are not read; "watch", what was
 * done about it, as watch_json has it. A new object.
 */
json_t *links_json(const struct links_facts *f, const struct links_ask *ask);

/* {"links", "list"}: the slow links, at most `most` of them by name. A new
 * object. O(ports). */
json_t *links_degraded_json(const struct topo *t, size_t most);

/* {"enabled"}, and if it is: the passes, the ports that were read in the last
 * one, how long it took, and {"bad", "drained", "kept"}, the number of bad
 * links, of those drained for their health, and that may not be. A new object.
 */
json_t *links_health_json(const struct links_facts *f);

/* What a port counted in the last minute, hour and day, and since when it is
 * read; null where it is not. A new value. */
json_t *links_counters_json(const struct links_facts *f, port_ix p);

/* What is known of port p; NULL: nothing. */
const struct port_health *links_record(const struct links_facts *f, port_ix p);

/* Width and speed as in struct topo_port: one bit each. */
struct links_pace {
	uint8_t width, speed, speed_ext;
};

/* What both ends of the link of port p support, if that is faster than what it
 * has; else that. */
struct links_pace links_best_pace(const struct topo *t, port_ix p);

/* The link of port p: its ends, what it does, and what it could do, as in
 * links_json. A new object. */
json_t *links_link_json(const struct topo *t, port_ix p);

#endif
