/*
 * state_file: what must survive a restart. Jobs hold LIDs, so a port gets the
 * LID that it had; the switch order is kept, so that a restart reverses no
 * link.
 *
 * One text file, state.dir/fabric.state, that a person can read:
 *
 *	heddle-state 1
 *	fabric 0xfe80000000000000			subnet prefix
 *	lid 0x0002c90300a1b2c3 17 0 plain "host01 HCA-1"
 *					port GUID, LID, LMC; what its P_Key
 *					table is known to hold: plain (the
 *					default key alone), keys (others,
 *					perhaps), or neither word: unknown
 *	routed 0x9f3b52d10c77a4e8 72			topology's hash, load
 *	order tiers
 *	rank 0x0002c90200401234 1 tree place 4
 *					switch GUID, rank; read as part of a
 *					tree or of a mesh, or neither word:
 *					unknown; its place in the switch order;
 *					all but rank are optional
 *	read ftree 0x5d0cd6a4b37e1f02 1763722111
 *					engine in force, hash of the options
 *					that say how to read the fabric, when
 *					it was read: seconds since 1970
 *	engine ftree turn 0x0002c90200401234
 *					what an engine wants to know of the
 *					routes in force, behind its name: in
 *					words of its own. Of former versions
 *					the record "turn", and "number" and
 *					"plane" of a rank, are read as such
 *					lines
 *	block 0x0002c90200401234 3 5 0123456789abcdef 40 2
 *					switch GUID, in-port, out-port of a
 *					blocked pair, its row of SL2VL before,
 *					(switch, LID) pairs that lose packets,
 *					seconds for which it had been blocked;
 *					then, where SLs stay blocked for old
 *					connections, these (0x0100), and
 *					"settled" if no others are
 *	saved 1763722111 0x9c0f1d2e3b4a5968 86400
 *					seconds since 1970; which boot of the
 *					machine, and seconds since that
 *	sa service 0x0002c90300a1b2c3 3600 ...	a record of subnet
 *					administration, in its own format
 *	group 0xff12401bffff0000 0x00000000ffffffff 0xc000 0xffff 0x00000b1b
 *		4 3 18 0 0 0x0 0	(one line) MGID, MLID, P_Key, Q_Key,
 *					MTU, rate, lifetime, SL, traffic class,
 *					flow label, hop limit; below it its
 *	member 0x0002c90300a1b2c3 0x0002c90300a1b2c3 1
 *					GUID of its GID, of its port, join state
 *	lanes 4 0...1...2...3...	layers of the routes; of each SL that
 *					was given out its layer, a hexadecimal
 *					digit, else "."; optional
 *	leaf 0x0002c90200401234 0102..	switch GUID, layers that connections may
 *					still use with each leaf, two digits a
 *					leaf in the order of these lines, behind
 *					a "w" four; "-":
 *					the first alone, "any": all of them
 *	pin 0x0002c90300a1b2c3 "blue-*"	node GUID that a name of a member means,
 *					as an administrator accepted it; "-":
 *					the name has been resolved
 *	unnamed 0x0002c90300a1b2c3	node GUID without a name then, to be
 *					resolved when it is read
 *	missing link 3600 0x0002c90200401234 3 "leaf1" switch
 *		0x0002c90300a1b2c3 1 "host01" host	(one line)
 *					missing for so many seconds: a link, by
 *					its ends, or a node, and what it was
 *					linked to; GUID, port and name each, and
 *					what it is, switch, host or other, or
 *					no such word: not known
 *	drain 0x0002c90200401234 3 3600 7200 asked "leaf1" "root (uid 0)" ""
 *					drained for maintenance: switch GUID and
 *					port (0: the switch), for so many
 *					seconds, and for so many more ("-": no
 *					end), whether it was forced, "narrow"
 *					where one neighbour is left to its
 *					hosts; its name, who drained it, why
 *	watch 0x0002c90200401234 3 0x0002c90200405678 17 drained 2 7200 3600
 *		"..."			a link that was bad: its ends, whether
 *					it is used, drained or spared, how often
 *					it was drained, its quiet time and how
 *					much of it is left, in seconds, and what
 *					was wrong with it
 *	config fabric:			a line of the configuration in force,
 *					without secrets
 *	checksum 0x1f0e...				FNV-1a of all before
 *
 * It is replaced as a whole: a temporary file in the same directory, fsync,
 * rename, fsync of the directory. A file that is not valid is renamed to
 * fabric.state.corrupt-1 (or the next free number), a message names line and
 * field, and the daemon goes on with an empty state. Records of GUIDs that are
 * not in the fabric are kept: they may come back.
 *
 * Folder sm/state: what the next start must know <-> a text file; the writing
 * is a thread of its own (saver.h). Callers: sm/core fills it and starts from
 * it; sm/what_if reads it from snapshots. Read next: sm/state/previous_run.h
 * (whether the previous run ended in order), then state_file_priv.h for a new
 * record.
 */
#ifndef HEDDLE_SM_STATE_STATE_FILE_H
#define HEDDLE_SM_STATE_STATE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "routing/core/routes.h"
#include "sm/base/arena.h"
#include "sm/base/buf.h"
#include "sm/base/reason.h"

#define STATE_FILE_FILE "fabric.state"
#define STATE_FILE_MAX_BYTES ((size_t)64 << 20)

/* What is remembered of a port's P_Key table. */
enum state_file_pkeys {
	STATE_FILE_UNKNOWN,
	STATE_FILE_PLAIN,
	STATE_FILE_KEYS,
	STATE_FILE_HELD
};

struct state_file_lid {
	uint64_t guid;	  /* of the port, not 0 */
	uint16_t lid;	  /* base LID, a multiple of 1 << lmc, not 0 */
	uint8_t lmc;	  /* 0..7 */
	uint8_t held;	  /* enum state_file_pkeys */
	const char *name; /* node description, for readers only, or NULL */
};

/* An (in-port, out-port) pair that was blocked, or about to be, when this was
 * saved. */
struct state_file_blocked {
	uint64_t guid; /* of the switch, not 0 */
	uint8_t in, out;
	uint64_t row; /* of SL2VL before it was blocked, SL 0 in the highest
			 digit */
	uint64_t pairs;
	uint64_t age;	/* seconds for which it had been blocked when this was
			   saved */
	uint16_t stays; /* SLs that stay blocked for old connections */
	bool settled;	/* no others are blocked; only with stays */
};

/* An instant by two clocks: one can be set, the other ends with the machine. */
struct state_file_stamp {
	uint64_t when; /* seconds since 1970; 0: not recorded */
	uint64_t boot; /* which boot of the machine; 0: unknown */
	uint64_t up;   /* seconds since then */
};

struct state_file_member {
	uint64_t guid;	/* of the GID that it joined with, not 0 */
	uint64_t owner; /* of its port, not 0 */
	uint8_t state;	/* join states, 1 .. 15 */
	bool proxy;
};

struct state_file_group {
	uint64_t mgid[2];
	uint32_t qkey, flow;
	uint16_t mlid, pkey;
	uint8_t mtu, rate, life, sl, tclass, hops; /* codes */
	size_t first, n;			   /* in state_file.member */
};

/* Layers that connections of a leaf may still use;
 * distribution/transition/sl_history.h. */
struct state_file_sl_history {
	uint64_t guid;	      /* of the switch, not 0 */
	bool any;	      /* any layer with any leaf, mask is NULL */
	const uint16_t *mask; /* [nleaf] of bits; NULL: the first */
};

enum { STATE_FILE_NAME = 64 }; /* bytes of a node description */

enum { STATE_FILE_TEXT = 255 };
#define STATE_FILE_FOREVER UINT64_MAX

/* An end of a link that is missing, or a node. */
struct state_file_end {
	uint64_t guid; /* of the node; 0: there is no such end */
	uint8_t port;
	const char *name;
	const char *is; /* "switch", "host" or "other"; NULL: not known */
};

struct state_file_missing {
	bool is_node;
	struct state_file_end a, b; /* b of a node: what it was linked to */
	uint64_t age;		    /* seconds, when this was saved */
};

/* What is drained for maintenance. */
struct state_file_drain {
	uint64_t guid;	    /* of the switch, not 0 */
	uint8_t port;	    /* 0: the whole switch */
	bool forced;	    /* although it cuts hosts off */
	bool narrow;	    /* its hosts have one neighbour left */
	uint64_t age, left; /* seconds, when this was saved; left: or
			       STATE_FILE_FOREVER */
	const char *name, *by, *reason; /* at most STATE_FILE_TEXT bytes each */
};

/* A link that was bad. */
struct state_file_watch {
	struct {
		uint64_t guid; /* of the node, not 0 */
		uint8_t port;  /* not 0 */
	} end[2];
	uint8_t state;	      /* 0: used, 1: drained, 2: spared */
	uint32_t drained;     /* how often, not 0 */
	uint64_t quiet, left; /* seconds; as in sm/health/link_watch.h */
	const char *why;      /* at most STATE_FILE_TEXT bytes */
};

/* A name of a member, and a node that it means; GUID 0: it is resolved. */
struct state_file_pin {
	const char *name;
	uint64_t guid;
};

/*
 * {0} is the empty state. state_file_load fills arena and points the arrays
 * into it; a caller that saves may point them anywhere and leave arena NULL.
 */
/* Layers of pairs of switches. */
struct state_file_pairs {
	uint64_t guid;
	const char *layer; /* hexadecimal digits: of the pairs with the switches
			      up to this one, itself included */
};

struct state_file {
	uint64_t prefix;		  /* subnet prefix; 0: none recorded */
	const struct state_file_lid *lid; /* sorted by GUID, ranges disjoint */
	size_t nlid;
	const struct route_rank *rank; /* sorted by GUID, none is 0 */
	size_t nrank;
	/* hash of the topology that was routed last (topo.hash), and the
	 * highest link load of fresh tables there; 0, 0: none recorded */
	uint64_t routed, load;
	char order[16];	 /* how ranks came about, a word of [a-z0-9-]; "": no
			    order recorded, and then no ranks either */
	char engine[16]; /* in force, a word like order; "": no reading
			    recorded, options and read are 0 */
	uint64_t options, read; /* as in struct topo_class */
	const char *remembered; /* by engines: lines that begin with a name; or
				   NULL */
	const struct state_file_blocked *block; /* no pair twice */
	size_t nblock;
	struct state_file_stamp saved; /* when this was saved */
	uint64_t away; /* seconds from then until it was loaded; not saved */
	bool writing;  /* the run ended while it wrote tables (previous_run.h);
			  not in the file */
	bool unsaved;  /* this may not be the newest state: pairs may be blocked
			  that are not here (previous_run.h); not in the file */
	const char *sa; /* lines of subnet administration, or NULL */
	const struct state_file_group *group;
	size_t ngroup;
	const struct state_file_member *member; /* group by group */
	size_t nmember;
	unsigned layers; /* layers given out last, 1..16; 0: none recorded */
	char sls[17];	 /* layers of SLs, as in the file; "": not recorded */
	const struct state_file_sl_history *leaf;
	size_t nleaf;
	const struct state_file_pairs *pairs; /* where layers is not 1 */
	size_t npairs;
	const struct state_file_pin *pin;
	size_t npin;
	const uint64_t *unnamed; /* node GUIDs */
	size_t nunnamed;
	const struct state_file_missing *missing;
	size_t nmissing;
	const struct state_file_drain *drain;
	size_t ndrain;
	const struct state_file_watch *watch;
	size_t nwatch;
	const char *config; /* in force, as config_publish prints it, or NULL */
	struct arena *arena;
};

/*
 * Read dir/fabric.state. 0: *s is its content (state_file_free). 1: there is no
 * such file, *s is empty. -1: it cannot be read or is not valid, *s is empty,
 * *why says what is wrong and under what name the file was set aside, or why
 * that was not possible.
 */
int state_file_load(const char *dir, struct state_file *s, struct reason *why);

/* Append the content of the file to out, for state_file_put, which a caller may
 * leave to another thread. */
void state_file_print(const struct state_file *s, struct buf *out);

/*
 * Replace dir/fabric.state (dir is made when missing, its parents are not). 0
 * when it is on disk; -1 with why, and then the file that was there before is
 * still complete. A state that state_file_load would not accept is refused.
 */
int state_file_put(const char *dir, const struct buf *text, struct reason *why);

/* Read back n bytes of what state_file_print gave; name is for messages. 0, or
 * -1 with why, and *s is empty. */
int state_file_parse(const char *text, size_t n, const char *name,
	struct state_file *s, struct reason *why);

/*
 * Rename the file to fabric.state.WORD-1, or the next free number, and add to
 * why what became of it.
 */
void state_file_set_aside(
	const char *dir, const char *word, struct reason *why);

/* Free what state_file_load made and make *s empty. */
void state_file_free(struct state_file *s);

#endif
