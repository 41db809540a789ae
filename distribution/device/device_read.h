/*
 * device_read: the reader of devices: a list of blocks is asked for, and what
 * the answers say is recorded in the device store.
 *
 * Every reading of the house is a list of jobs here: the read-back of a start
 * (lft_read, pkey_read), what multicast has to know (push/mft_read), the
 * samples and doubts of a check (device_check), a search for rows that another
 * manager left blocked (sl2vl_scan), the audit of its tables. The attribute
 * says how a block is asked for, and how many jobs in a row a device may leave
 * unanswered before it is asked for no more; the job says what an answer counts
 * for.
 */
#ifndef HEDDLE_DISTRIBUTION_DEVICE_DEVICE_READ_H
#define HEDDLE_DISTRIBUTION_DEVICE_DEVICE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "discovery/topo.h"
#include "distribution/device/device_store.h"
#include "sm/base/clock.h"
#include "sm/transport/xact.h"

enum device_read_mode {
	DEVICE_READ_UNKNOWN, /* not asked if it is known by then; recorded */
	DEVICE_READ_ALL,     /* recorded, whatever was known */
	DEVICE_READ_COMPARE, /* recorded where it differs from what was known */
	DEVICE_READ_LOOK,    /* not recorded: `hw` may be NULL */
};

/* A block to read. */
struct device_job {
	port_ix port;
	uint32_t block;
	enum device_attr attr;
	enum device_read_mode mode;
	uint8_t why; /* the owner's, less than 16 */
};

/* An answer beside what was known before it. */
enum device_verdict {
	DEVICE_CANCELLED, /* it was not answered because it was given up */
	DEVICE_NO_ANSWER, /* or a status */
	DEVICE_SAME,
	DEVICE_DIFFERS,
	DEVICE_NEWS, /* it was unknown, or is not recorded */
};

struct device_read;

/* The inputs of a reading; all but the topology is borrowed. */
struct device_reading {
	struct topo *topo; /* a reference is taken */
	struct device_store *hw;
	struct xact *x;
	/* The list is at its end: true if there is more, which was added.
	 * Or NULL. */
	bool (*more)(void *self, struct device_read *r);
	/* The answer to a job, or none. Or NULL. */
	void (*taken)(void *self, const struct device_job *job,
		enum device_verdict v, const struct xact_result *res);
	void *self;
	uint8_t misses; /* as in struct device_attribute; 0: as it says */
};

struct device_read *device_read_new(const struct device_reading *in);

/* Only when done, or after xact_cancel_all. NULL allowed. */
void device_read_free(struct device_read *r);

void device_read_add(struct device_read *r, const struct device_job *job);

/* The block that a job reads, in the topology of the reading. */
struct device_at device_read_at(
	const struct device_read *r, const struct device_job *job);

/* Send what there is room for. */
void device_read_feed(struct device_read *r, struct mono now);
/* Nothing is in flight; everything was asked for. */
bool device_read_done(const struct device_read *r);
bool device_read_idle(const struct device_read *r); /* nothing is in flight */

/* Give up what is unanswered; the reading is done then. */
void device_read_stop(struct device_read *r, struct mono now);

/* Blocks that were added. */
size_t device_read_added(const struct device_read *r);

#endif
