/*
 * route_sets: the ports beside that of the forwarding table by which a switch
 * may send packets on, where it chooses among ports itself (adaptive routing).
 *
 * An entry is a default, the port that the forwarding table names for a LID,
 * and a set of options, which all LIDs on one destination switch have in
 * common. Packets that must stay in order take the default. A packet for which
 * the switch may choose takes any port of the set, or the default; "default
 * first" means that it prefers the default until that is congested. A switch
 * that cannot choose has no sets.
 *
 * Kinds of switches, by when a packet's out-port is settled:
 *
 *	fixed    by the forwarding table alone
 *	commits  when the packet arrives, by the state of the ports then; from
 *	         then on it waits for that port. Every switch that is built
 *	escapes  as late as the packet leaves; each input buffer keeps half of
 *	         its room for packets that came by a default
 *
 * A row goes by the numbers that destination switches have by their LIDs
 * (dest_lids.h): it stays the same when a lost link renumbers the switches.
 *
 * Sets are an engine-independent value beside the tables: routing/adaptive
 * makes them for tables that obey an order of switches,
 * routing/verify/verify_sets.h judges them. Rows are shared by reference with
 * those of older routes. Sources: Martinez et al., Supporting fully adaptive
 * routing in InfiniBand networks (IPDPS 2003) for default and options; US
 * 8,730,965 for the preference among them.
 */
#ifndef HEDDLE_ROUTING_CORE_ROUTE_SETS_H
#define HEDDLE_ROUTING_CORE_ROUTE_SETS_H

#include <stdbool.h>
#include <stdint.h>

#include "discovery/dest_lids.h"
#include "discovery/topo.h"
#include "sm/base/bitset.h"

enum { ROUTE_SET_WORDS = 4 }; /* 256 ports as bits */

/* Ports of a switch, port p is bit p % 64 of word p / 64. */
struct route_set {
	uint64_t port[ROUTE_SET_WORDS];
};

enum route_switch_kind {
	ROUTE_FIXED,
	ROUTE_COMMITS,
	ROUTE_ESCAPES,
};

/* What a switch can do, as it says itself; that it escapes is declared. */
struct route_choice {
	uint8_t kind;	 /* enum route_switch_kind */
	uint16_t groups; /* different pairs of a default and a set, or sets
			    alone, that it has room for */
};

/* Whether one of n switches escapes. */
static inline bool
route_choices_escape(const struct route_choice *can, uint32_t n)
{
	for (uint32_t s = 0; s < n; s++)
		if (can[s].kind == ROUTE_ESCAPES)
			return true;
	return false;
}

/* The sets of one switch. */
struct route_set_row {
	unsigned refs;
	uint16_t n;	  /* sets in use, [0] included */
	uint32_t ndest;	  /* destination switches */
	uint32_t dropped; /* of them, whose set had no room in the switch */
	struct route_set *set; /* [n]; [0] is empty: the default alone */
	uint64_t *narrow; /* [ndest] bits: destination switches whose set stays
			     as it was, although more ports are legal */
	uint16_t of[]; /* [ndest] set of each destination switch, by its number
			*/
};

struct route_sets {
	unsigned refs;
	uint32_t nsw;
	struct dest_lids dest; /* destination switches of the topology */
	bool default_first;    /* else all ports are alike */
	uint32_t limit;	       /* per mille: a set stays that lacks less, see
				  routing/adaptive/legal_sets.h */
	/* proven by the order of switches, as the tables beside them
	 * (routing/verify/sets_order.h) */
	bool by_order;
	struct route_choice *can;   /* [nsw] of each switch */
	struct route_set_row **row; /* [nsw]; NULL: no options at all */
	uint64_t dropped, narrow;   /* of all rows */
	char why[160];		    /* why no switch has options; "": some do */
	char no_escape[160]; /* why switches that escape have the sets of those
				that commit; "": they have their own, or there
				are none */
};

/* A row of one empty set, to be filled: of[] is 0. */
struct route_set_row *route_set_row_new(uint32_t ndest);
/* The number of a set in a row that is being filled, where it is put if it is
 * new. */
uint16_t route_set_row_number(
	struct route_set_row *row, const struct route_set *set);
/* A copy, to be changed. */
struct route_set_row *route_set_row_copy(const struct route_set_row *row);
/* One reference more, and one less; NULL allowed. */
struct route_set_row *route_set_row_share(struct route_set_row *row);
void route_set_row_drop(struct route_set_row *row);
/* Leave out sets until the others need no more than `room` groups, those of the
 * fewest destination switches first. A set needs one group, or by_default one
 * for each of its ports, any of which may be the default. */
void route_set_row_fit(
	struct route_set_row *row, uint32_t room, bool by_default);
/* The groups that its sets take. */
uint32_t route_set_row_groups(const struct route_set_row *row, bool by_default);
/* How many sets of it are narrow. */
uint32_t route_set_row_narrow(const struct route_set_row *row);
/* True if both give every destination switch the same ports, and know the same
 * of them; NULL is a row without options. */
bool route_set_row_equal(
	const struct route_set_row *a, const struct route_set_row *b);

/* Sets for t without options; can[nsw] is copied. */
struct route_sets *route_sets_new(const struct topo *t,
	const struct route_choice *can, bool default_first);
struct route_sets *route_sets_ref(struct route_sets *s); /* NULL allowed */
void route_sets_unref(struct route_sets *s);		 /* NULL allowed */

/* The number in the row of switch s of its set to switch t, which need not be a
 * destination switch; 0: none, the default alone decides. sets NULL: the same.
 */
static inline uint16_t
route_sets_index(const struct route_sets *sets, sw_ix s, sw_ix t)
{
	if (sets == NULL || sets->row[s] == NULL ||
		sets->dest.number[t] == sets->dest.n)
		return 0;
	return sets->row[s]->of[sets->dest.number[t]];
}

/* That set; NULL: none. */
static inline const struct route_set *
route_sets_get(const struct route_sets *sets, sw_ix s, sw_ix t)
{
	uint16_t k = route_sets_index(sets, s, t);

	return k == 0 ? NULL : &sets->row[s]->set[k];
}

static inline bool
route_set_has(const struct route_set *s, unsigned port)
{
	return s != NULL && (s->port[port / 64] >> port % 64 & 1) != 0;
}

static inline void
route_set_add(struct route_set *s, unsigned port)
{
	s->port[port / 64] |= UINT64_C(1) << port % 64;
}

/* The first port of s from `from` on, or 256. */
static inline unsigned
route_set_next(const struct route_set *s, unsigned from)
{
	for (unsigned w = from / 64; w < ROUTE_SET_WORDS; w++) {
		uint64_t rest = s->port[w];

		if (w == from / 64)
			rest &= UINT64_MAX << from % 64;
		if (rest != 0)
			return w * 64 + bitset_lowest64(rest);
	}
	return ROUTE_SET_WORDS * 64;
}

/* How many ports it has. */
unsigned route_set_count(const struct route_set *s);

#endif
