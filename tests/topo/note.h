/*
 * note: attributes of a node in a fabric file beyond what ibnetdiscover knows,
 * in a comment that other readers skip:
 *
 *	Switch 36 "S-..." # "sw1" base port 0 lid 1 lmc 0 # heddle: role=leaf
 *
 * Words of the form key=value, each at most once:
 *
 *   role=leaf|root|intermediate|leaf-root|management|virtual|none|ignore
 *   level=N|unknown tree=N plane=N pod=N index=N role-set=yes|no
 *	the SwitchRole attribute (sm/mad/mad_role.h); any of them gives one
 *   ar=rev1|escapes|none groups=N subgroups=N ar-lft=keeps|stops interleave=N
 *	adaptive routing: rev1 by default with 2048 groups of 2 sub-groups, and
 *	switched off by a Set of the LFT or not; escapes with rows of N entries
 *	(2) in the LFT, or with groups as rev1, tests/sim/model/sim_hops.h
 *   service=TIME hop=TIME queue=N
 *	time of its SMA per SMP, time of a packet to leave it, and SMPs waiting
 *	at most; TIME is a number and ns, us or ms
 *
 * The first three are for switches only.
 */
#ifndef HEDDLE_TESTS_TOPO_NOTE_H
#define HEDDLE_TESTS_TOPO_NOTE_H

#include <stddef.h>

#include "sm/base/buf.h"
#include "sm/base/reason.h"
#include "tests/topo/fabric.h"

/*
 * Find the note in the n bytes at p, the rest of a node's line behind its name:
 * its start ('#'), or NULL. *text is the text behind "heddle:".
 */
const char *note_find(const char *p, size_t n, const char **text);

/*
 * Read a note's n bytes at p. 0, or -1 with the reason (without file or line)
 * and its position in *bad.
 */
int note_parse(const char *p, size_t n, bool is_switch,
	struct fabric_attrs *out, const char **bad, struct reason *why);

/* Append " # heddle: ..." as note_parse reads it; nothing if all is zero. */
void note_print(const struct fabric_attrs *a, struct buf *out);

#endif
