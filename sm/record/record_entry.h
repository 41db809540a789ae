/*
 * record_entry: what a recording consists of, an entry after the other, in the
 * order in which the core met them:
 *
 *	BEGIN	 a core was made: its configuration, state, port
 *	INPUT	 an event came in (sm/core/sm_input.h)
 *	ANSWER	 the same: the answer to a request, as what differs from it
 *	SENT	 meanwhile it sent this message: an answer, a report
 *	ASKED	 it sent requests, of which there is a digest
 *	SECONDS	 meanwhile it was told this time of day
 *	CLOCK	 the time of day, for those who read the recording
 *	GAP	 entries are missing here
 *
 * What the core sends decides nothing; it is kept so that a replay can be
 * compared with it. Of requests (record_requests.h) a digest is enough, of all
 * so far: it is in each INPUT, and in ASKED before an ANSWER where several
 * requests were sent since, and at the end. An entry is encoded as its kind and
 * fields of fixed size, big-endian; a MAD as its words of 8 bytes that are not
 * zero. Keys are masked (record_mask.h) while they are encoded.
 *
 * Almost all entries are ANSWERs, and most of these are alike. The image of an
 * answer is what a list shows of it (its head, the LID in place of the TID, its
 * attribute), and of the rest what differs from its request. An ANSWER holds
 * which request that is, and what differs between its time and image and those
 * of the ANSWER before; with any entry but CLOCK between them, all of both.
 * ASKED comes between them every now and then, so that what follows a gap can
 * soon be read.
 */
#ifndef HEDDLE_SM_RECORD_RECORD_ENTRY_H
#define HEDDLE_SM_RECORD_RECORD_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sm/base/buf.h"
#include "sm/base/reason.h"
#include "sm/core/sm_input.h"
#include "sm/record/record_mask.h"
#include "sm/record/record_requests.h"

enum record_kind {
	RECORD_BEGIN = 1,
	RECORD_INPUT,
	RECORD_ANSWER,
	RECORD_SENT,
	RECORD_ASKED,
	RECORD_SECONDS,
	RECORD_CLOCK,
	RECORD_GAP,
};

/* Bytes of an entry at most: a configuration and a state. */
enum { RECORD_ENTRY_MAX = 256 << 20 };

/* What a core was made of. */
struct record_begin {
	struct mono now;
	uint64_t wall; /* nanoseconds since 1970, or 0 */
	uint64_t port_guid;
	uint32_t tid_start;
	bool writing, unsaved; /* as in struct state_file */
	uint64_t away;
	const char *config, *state; /* YAML; as in the state file */
};

/* The last ANSWER, of those that a reader has read or a writer written; all
 * zero at the beginning. */
struct record_image {
	uint8_t mad[MAD_SIZE];
	struct mono now;
	bool known; /* no entries are missing between it and the next ANSWER */
};

struct record_entry {
	enum record_kind kind;
	uint16_t digest; /* of INPUT and ASKED: of all requests before */
	uint8_t before;	 /* of ANSWER: to which request, as it is found */
	bool known; /* not an ANSWER behind a gap, of which nothing is known */
	union {
		struct record_begin begin;
		struct {
			struct sm_input in;
			struct transport_msg message; /* in points to these */
			struct sm_drain drain;
			struct config_changes changes;
			const char *config; /* of RECONFIGURE; its text */
		} input;		    /* of INPUT and ANSWER */
		struct {
			struct transport_msg message;
			bool failed;
		} sent;
		uint64_t seconds;
		struct {
			struct mono now;
			uint64_t wall;
		} clock;
		uint64_t lost; /* entries, or 0: not known */
	} is;
};

/* Each replaces what is in out by an entry. */
void record_put_begin(const struct record_begin *b, struct buf *out);
void record_put_seconds(uint64_t seconds, struct buf *out);
void record_put_clock(struct mono now, uint64_t wall, struct buf *out);
void record_put_gap(uint64_t lost, struct buf *out);
/* config: of RECONFIGURE, its text; otherwise NULL. The request that in answers
 * is none of those that may be answered any more. */
void record_put_input(const struct sm_input *in, const char *config,
	const struct record_mask *mask, struct record_requests *requests,
	struct record_image *last, struct buf *out);
/* A message of the core that record_requests_add did not take. */
void record_put_sent(const struct transport_msg *m, bool failed,
	const struct record_mask *mask, struct buf *out);
void record_put_asked(struct record_requests *requests, struct buf *out);

/* An entry of that kind was written: what the next ANSWER is compared with. */
void record_image_follow(struct record_image *last, enum record_kind kind);

/*
 * Read an entry of n bytes. *out points into them and into itself, so that it
 * is valid as long as they are there and it is not copied. The message of an
 * ANSWER is its image, which record_entry_answer completes. last: of the
 * entries that were read before this one; NULL: this one is read by itself. 0,
 * or -1 and why: these bytes are no entry.
 */
int record_entry_read(uint8_t *p, size_t n, struct record_image *last,
	struct record_entry *out, struct reason *why);

/* Make the message of an ANSWER, which may be a copy, of its image and the
 * requests that were sent before. */
void record_entry_answer(
	struct record_entry *e, const struct record_requests *requests);

#endif
