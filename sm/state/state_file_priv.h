/*
 * What the parts of the state file share: state_file.c (the file, its header
 * and its checksum), state_records.c (the table of records, and those of the
 * fabric), state_routing.c, state_groups.c, state_pins.c and state_missing.c
 * (records of routing, multicast, names, and what is missing), state_drains.c
 * (what is drained, and links that were bad), and state_words.c and
 * state_rows.c, by which all of them read a line and gather the rows. No other
 * file includes this.
 */
#ifndef HEDDLE_SM_STATE_STATE_FILE_PRIV_H
#define HEDDLE_SM_STATE_STATE_FILE_PRIV_H

#include <stddef.h>

#include "sm/state/state_file.h"

/* Records keep their line number until the file is accepted. */
struct state_file_lid_line {
	struct state_file_lid rec;
	unsigned line;
};

struct state_file_rank_line {
	struct route_rank rec;
	unsigned line;
	/* of a former version: lines of the engine; one more than they are, 0:
	 * none */
	uint32_t number, plane;
	const char *mark; /* of the plane: "", " leaf" or " apex" */
};

struct state_file_leaf_line {
	struct state_file_sl_history rec;
	size_t n; /* of masks */
	unsigned line;
};

struct state_file_pairs_line {
	struct state_file_pairs rec;
	unsigned line;
};

/* The rows of a kind of record, or its lines of text, as they are read. */
struct state_rows {
	const struct state_codec *codec; /* NULL: no line was read */
	char *row;
	size_t n, cap;
	struct buf text;
};

enum { STATE_RECORDS = 22 }; /* kinds of them */

/* A file being read. */
struct state_file_reader {
	const char *path;
	struct state_file *s;
	struct reason *why;
	unsigned line;
	struct state_rows rows[STATE_RECORDS];
	size_t now;	      /* the kind that is read or checked */
	uint64_t former_root; /* of a former version: a line of the engine */
	bool has_prefix, has_order, has_routed, has_read;
};

/*
 * A kind of record: how a line is read, which rule its lines keep together, and
 * how they are printed. NULL: nothing to be done, or done with another record;
 * lines of text are printed as they are.
 */
struct state_codec {
	const char *name; /* the first word of a line */
	int (*read)(struct state_file_reader *r, char *s);
	int (*check)(struct state_file_reader *r);
	void (*print)(const struct state_file *s, struct buf *out);
	size_t row;  /* bytes of a row as it is read; 0: there are none */
	size_t kept; /* of these, from its beginning, bytes that go into ... */
	size_t first, number; /* ... the state: where its first row is, and
				 their number */
	size_t text;	      /* where the state has lines of text; 0: none */
};

/* That rows are a member of struct state_file, kept without what a file needs
 * while it is read, and the member that is their number. */
#define STATE_ROWS(struct_read, struct_kept, member, count)                    \
	.row = sizeof(struct struct_read), .kept = sizeof(struct struct_kept), \
	.first = offsetof(struct state_file, member),                          \
	.number = offsetof(struct state_file, count)

extern const struct state_codec state_routing_routed, state_routing_former_root,
	state_routing_order, state_routing_rank, state_routing_read,
	state_routing_engine, state_routing_layers, state_routing_leaf,
	state_groups_group, state_groups_member, state_pins_pin,
	state_pins_unnamed, state_missing_codec, state_drains_codec,
	state_drains_watch, state_pairs_codec;

/* state_words.c: the words of a line */

/* -1, with path, line and field in the reason. */
int state_words_complain(struct state_file_reader *r, unsigned line,
	const char *field, const char *what);
/* Cut the next word off *s at a space; NULL when there is none. */
char *state_words_next(char **s);
/* A number of digits only (0x for base 16) and at most max. */
bool state_words_number(const char *s, int base, uint64_t max, uint64_t *v);
/* Each line of text, or of no text if it is NULL, as a record. */
void state_words_print_lines(
	const char *record, const char *text, struct buf *out);
/* The next word is a GUID, not 0; 0 or -1 with a reason. */
int state_words_guid(struct state_file_reader *r, char **s, uint64_t *guid);
/* The next word as its index in word[1..n - 1], cut off; 0: none of them. */
uint8_t state_words_one_of(const char *const *word, uint8_t n, char **s);
/* Append a space and a node description in quotes. */
void state_words_print_name(const char *name, struct buf *out);

/* state_rows.c */

/* Add a row to those that are read; it is copied. */
void state_rows_add(struct state_file_reader *r, const void *row);
/* The rows of a kind, NULL: of that which is read or checked; *n of them. */
void *state_rows_of(
	struct state_file_reader *r, const struct state_codec *c, size_t *n);

/* state_records.c */

/* Read a line; 0 or -1 with a reason. */
int state_records_read(struct state_file_reader *r, char *s);
/* The rules between records; 0 or -1 with a reason. */
int state_records_check(struct state_file_reader *r);
/* Move the records into the state's arena. */
void state_records_keep(struct state_file_reader *r);
/* Free what the reader has gathered. */
void state_records_free(struct state_file_reader *r);

/* Append all records. */
void state_records_print(const struct state_file *s, struct buf *out);

#endif
