/*
 * mft_priv: shared by mft.c (what is wanted, and writing it) and mft_read.c
 * (reading what switches hold), and included by no other file.
 */
#ifndef HEDDLE_DISTRIBUTION_PUSH_MFT_PRIV_H
#define HEDDLE_DISTRIBUTION_PUSH_MFT_PRIV_H

#include "distribution/push/mft.h"
#include "sm/base/map.h"

enum {
	MFT_NONE = MFT_MLID - 1, /* MulticastFDBTop: no entry is used */
	MFT_FALSE_ANSWERS =
		3, /* cells not held as acknowledged: no more writes */
};

/* The current stage. */
enum mft_stage { MFT_REST, MFT_ASK, MFT_TOPS, MFT_BREAK, MFT_MAKE };

struct mft_table {
	uint64_t guid;
	sw_ix sw;      /* in the topology, or TOPO_NONE */
	unsigned npos; /* positions that its ports need */
	unsigned nblocks;
	uint16_t top;	 /* MulticastFDBTop */
	bool has_top;	 /* it bounds what is used */
	bool stray;	 /* unknown MLIDs go to a default port */
	bool refuses;	 /* refused a Set: left alone until it is replaced */
	bool fresh;	 /* it carries nothing yet: not read */
	bool suspect;	 /* its ports changed: its table may be gone */
	unsigned unheld; /* cells acknowledged and not held */
	unsigned silent;
	uint64_t written; /* cells, ever */
	uint16_t is_link[MFT_POSITIONS];
	struct mft_cell *cell; /* [mft.nblocks * npos] */
};

/* Why a cell is read. */
enum mft_why { MFT_UNKNOWN, MFT_SUSPECT, MFT_STRAY, MFT_SAMPLE };

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
	bool *stale;   /* [nblocks] may differ from what is wanted */
	uint32_t *cut; /* [nblocks] groups with trees that move, as bits */
	uint32_t *add, *drop;

	enum mft_stage stage;
	size_t at; /* the next table and cell, or look */
	unsigned cell_at;
	bool wrote, broke;
	bool incomplete; /* something was not acknowledged */
	unsigned inflight;
	struct mft_failure *failure;
	size_t nfailures, capfailures;
	struct mft_look *look; /* of this reading */
	size_t nlooks, caplooks;
	struct mft_look *later; /* cells to be read when they are due */
	size_t nlater, caplater;
	struct mono stray; /* as given to the last mft_feed */
	struct mft_counts counts;
};

/* mft.c */
bool mft_writable(const struct mft_table *s, unsigned block);
/* Room for this many blocks. */
void mft_grow(struct mft *m, unsigned nblocks);
/* This table is unknown. */
void mft_forget_row(struct mft *m, struct mft_table *s);
/* Note that a switch failed (status 0: silence). */
void mft_mark_refusing(
	struct mft *m, const struct mft_table *s, uint16_t status);

/* mft_read.c */
/* Send the next Get; false: there is none left. */
bool mft_read_step(struct mft *m, struct mono now);
/* A cell was written and shall be read some time later. */
void mft_read_later(struct mft *m, const struct mft_look *l);

#endif
