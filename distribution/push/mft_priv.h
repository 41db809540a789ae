/*
 * mft_priv: shared by mft.c (what is wanted, and writing it) and mft_read.c
 * (reading what switches hold), and included by no other file.
 */
#ifndef HEDDLE_DISTRIBUTION_PUSH_MFT_PRIV_H
#define HEDDLE_DISTRIBUTION_PUSH_MFT_PRIV_H

#include "distribution/device/device_read.h"
#include "distribution/push/mft.h"
#include "distribution/push/push.h"
#include "sm/base/map.h"

enum {
	MFT_NONE = MFT_MLID - 1, /* MulticastFDBTop: no entry is used */
	MFT_FALSE_ANSWERS =
		3, /* cells not held as acknowledged: no more writes */
};

/* The current stage. */
enum mft_stage { MFT_REST, MFT_ASK, MFT_WRITE };

struct mft_table {
	uint64_t guid;
	sw_ix sw;      /* in the topology, or TOPO_NONE */
	unsigned npos; /* positions that its ports need */
	unsigned nblocks;
	uint16_t top;	 /* MulticastFDBTop */
	bool has_top;	 /* it bounds what is used */
	bool stray;	 /* unknown MLIDs go to a default port */
	bool fresh;	 /* it carries nothing yet: not read */
	bool suspect;	 /* its ports changed: its table may be gone */
	unsigned unheld; /* cells acknowledged and not held */
	unsigned silent;
	uint64_t written; /* cells, ever */
	uint16_t is_link[MFT_POSITIONS];
	struct mft_cell *cell; /* [mft.nblocks * npos]; what it holds is in
				  the device store */
};

/* Why a cell is read. */
enum mft_why { MFT_UNKNOWN, MFT_SUSPECT, MFT_ROUND, MFT_STRAY, MFT_SAMPLE };

struct mft_look {
	size_t table;
	uint32_t cell;
	enum mft_why why;
	struct mono due;
};

struct mft {
	struct mft_job job;
	struct topo *topo;
	struct mft_table *table;
	size_t n, cap;
	struct map by_guid;
	size_t *of; /* [topo.nsw] table of a switch, SIZE_MAX: none */
	unsigned nblocks;
	bool *stale; /* [nblocks] may differ from what is wanted */

	enum mft_stage stage;
	struct plan *plan; /* of this cycle, or of one that was stopped */
	struct push *push;
	bool wrote;
	bool incomplete; /* something was not acknowledged */
	struct mft_failure *failure;
	size_t nfailures, capfailures;
	struct device_read *read; /* this reading, or the last one */
	struct mft_look *look;	  /* of it */
	size_t nlooks, caplooks;
	size_t at;		/* the next look */
	struct mft_look *later; /* cells to be read when they are due */
	size_t nlater, caplater;
	uint64_t drifted;  /* as the last reading found in rotation; 0: none */
	struct mono stray; /* as given to the last mft_begin */
	struct mft_counts counts;
};

/* A port of a cell, in the adopted topology: the one whose number is the
 * position of the cell, as DEVICE_MFT has it. */
static inline port_ix
mft_port(const struct mft *m, const struct mft_table *s, uint32_t cell)
{
	return m->topo->node[m->topo->sw[s->sw].node].first_port +
	       cell % s->npos;
}

/* mft.c */
bool mft_writable(
	const struct mft *m, const struct mft_table *s, unsigned block);
/* Room for this many blocks. */
void mft_grow(struct mft *m, unsigned nblocks);
/* This table is unknown. */
void mft_forget_row(struct mft *m, struct mft_table *s);
/* Note that a switch failed (status 0: silence). */
void mft_mark_refusing(
	struct mft *m, const struct mft_table *s, uint16_t status);

/* mft_read.c */
/* A cell was acknowledged or read: it holds this. */
void mft_take_cell(
	struct mft_table *s, uint32_t cell, const uint8_t data[MFT_CELL]);
/* A cell was written and shall be read some time later. */
void mft_read_later(struct mft *m, const struct mft_look *l);

#endif
