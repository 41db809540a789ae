/*
 * store_priv: what the parts of the reader share: state_file.c (the file and
 * its records of ports), state_ranks.c (switches: their order, and what they
 * were read as), state_blocked.c (turns that are closed, and when that was),
 * state_groups.c (groups and their members) and state_sl_history.c (lanes that
 * were given out). Nobody else includes this.
 */
#ifndef HEDDLE_SM_STATE_STATE_FILE_PRIV_H
#define HEDDLE_SM_STATE_STATE_FILE_PRIV_H

#include "sm/state/state_file.h"

/* Records keep their line until they are believed. */
struct store_lid_line {
	struct store_lid rec;
	unsigned line;
};

struct store_rank_line {
	struct route_rank rec;
	unsigned line;
};

struct store_leaf_line {
	struct store_leaf rec;
	size_t n; /* of masks */
	unsigned line;
};

/* A file being read. */
struct store_reader {
	const char *path;
	struct store_state *s;
	struct reason *why;
	struct store_lid_line *lid;
	struct store_rank_line *rank;
	size_t nlid, lid_cap;
	size_t nrank, rank_cap;
	struct store_block *block;
	size_t nblock, block_cap;
	struct store_group *group;
	size_t ngroup, group_cap;
	struct store_member *member;
	size_t nmember, member_cap;
	struct store_leaf_line *leaf;
	size_t nleaf, leaf_cap;
	unsigned line;
	struct buf sa;
	bool has_prefix, has_order, has_routed, has_read;
};

/* -1, with path, line and field. */
int store_complain(struct store_reader *r, unsigned line, const char *field,
	const char *what);
/* Cut the next word off *s at a space; NULL when there is none. */
char *store_word(char **s);
/* A number of digits only (0x for base 16) and at most max. */
bool store_number(const char *s, int base, uint64_t max, uint64_t *v);
/* The next word is a GUID; 0 or -1 with a complaint. */
int store_guid(struct store_reader *r, char **s, uint64_t *guid);

/* Which of the n words, the first of which is none, comes next; 0: none. */
uint8_t store_one_of(const char *const *word, uint8_t n, char **s);

/* state_ranks.c: "rank", "order" and "read"; 0 or -1 with a complaint. */
int store_rank_read(struct store_reader *r, char *s);
int store_rank_order(struct store_reader *r, char *s);
int store_rank_reading(struct store_reader *r, char *s);
/* The rules between them. */
int store_rank_check(struct store_reader *r);
void store_rank_print(const struct store_state *s, struct buf *out);
/* Move what was read into the state's arena. */
void store_rank_keep(struct store_reader *r);

/* state_blocked.c: records "block" and "saved", likewise. */
int store_block_read(struct store_reader *r, char *s);
int store_block_saved(struct store_reader *r, char *s);
void store_block_print(const struct store_state *s, struct buf *out);
void store_block_keep(struct store_reader *r);

/* state_groups.c: records "group" and "member"; 0 or -1 with a complaint. */
int store_group_read(struct store_reader *r, char *s);
int store_group_member(struct store_reader *r, char *s);
void store_group_print(const struct store_state *s, struct buf *out);
/* Move what was read into the state's arena. */
void store_group_keep(struct store_reader *r);

/* state_sl_history.c: records "lanes" and "leaf", likewise. */
int store_leaf_lanes(struct store_reader *r, char *s);
int store_leaf_read(struct store_reader *r, char *s);
/* The rules between them. */
int store_leaf_check(struct store_reader *r);
void store_leaf_print(const struct store_state *s, struct buf *out);
void store_leaf_keep(struct store_reader *r);

#endif
