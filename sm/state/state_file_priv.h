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
struct state_file_lid_line {
	struct state_file_lid rec;
	unsigned line;
};

struct state_ranks_line {
	struct route_rank rec;
	unsigned line;
};

struct state_sl_history_line {
	struct state_file_sl_history rec;
	size_t n; /* of masks */
	unsigned line;
};

/* A file being read. */
struct state_file_reader {
	const char *path;
	struct state_file *s;
	struct reason *why;
	struct state_file_lid_line *lid;
	struct state_ranks_line *rank;
	size_t nlid, lid_cap;
	size_t nrank, rank_cap;
	struct state_file_blocked *block;
	size_t nblock, block_cap;
	struct state_file_group *group;
	size_t ngroup, group_cap;
	struct state_file_member *member;
	size_t nmember, member_cap;
	struct state_sl_history_line *leaf;
	size_t nleaf, leaf_cap;
	unsigned line;
	struct buf sa;
	bool has_prefix, has_order, has_routed, has_read;
};

/* -1, with path, line and field. */
int state_file_complain(struct state_file_reader *r, unsigned line,
	const char *field, const char *what);
/* Cut the next word off *s at a space; NULL when there is none. */
char *state_file_word(char **s);
/* A number of digits only (0x for base 16) and at most max. */
bool state_file_number(const char *s, int base, uint64_t max, uint64_t *v);
/* The next word is a GUID; 0 or -1 with a complaint. */
int state_file_guid(struct state_file_reader *r, char **s, uint64_t *guid);

/* Which of the n words, the first of which is none, comes next; 0: none. */
uint8_t state_file_one_of(const char *const *word, uint8_t n, char **s);

/* state_ranks.c: "rank", "order" and "read"; 0 or -1 with a complaint. */
int state_ranks_read(struct state_file_reader *r, char *s);
int state_ranks_order(struct state_file_reader *r, char *s);
int state_ranks_reading(struct state_file_reader *r, char *s);
/* The rules between them. */
int state_ranks_check(struct state_file_reader *r);
void state_ranks_print(const struct state_file *s, struct buf *out);
/* Move what was read into the state's arena. */
void state_ranks_keep(struct state_file_reader *r);

/* state_blocked.c: records "block" and "saved", likewise. */
int state_blocked_read(struct state_file_reader *r, char *s);
int state_blocked_saved(struct state_file_reader *r, char *s);
void state_blocked_print(const struct state_file *s, struct buf *out);
void state_blocked_keep(struct state_file_reader *r);

/* state_groups.c: records "group" and "member"; 0 or -1 with a complaint. */
int state_groups_read(struct state_file_reader *r, char *s);
int state_groups_member(struct state_file_reader *r, char *s);
void state_groups_print(const struct state_file *s, struct buf *out);
/* Move what was read into the state's arena. */
void state_groups_keep(struct state_file_reader *r);

/* state_sl_history.c: records "lanes" and "leaf", likewise. */
int state_sl_history_layers(struct state_file_reader *r, char *s);
int state_sl_history_read(struct state_file_reader *r, char *s);
/* The rules between them. */
int state_sl_history_check(struct state_file_reader *r);
void state_sl_history_print(const struct state_file *s, struct buf *out);
void state_sl_history_keep(struct state_file_reader *r);

#endif
