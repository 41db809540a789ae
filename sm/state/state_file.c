#include "sm/state/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sm/base/buf.h"
#include "sm/base/hash.h"
#include "sm/base/mem.h"
#include "sm/state/state_file_priv.h"

enum {
	VERSION = 1,
	LID_MAX = 0xbfff, /* the last unicast LID (IBA 4.1.3) */
	LMC_MAX = 7,
	NAME_MAX_BYTES = 64, /* NodeDescription (IBA 14.2.5.2) */
	ASIDE_MAX = 9999
};

#define TEMPORARY STATE_FILE_FILE ".new"

static const char *const held_word[STATE_FILE_HELD] = {
	[STATE_FILE_PLAIN] = "plain", [STATE_FILE_KEYS] = "keys"};
#define HEADER "heddle-state "

int
state_file_complain(struct state_file_reader *r, unsigned line,
	const char *field, const char *what)
{
	return reason_set(r->why, "%s:%u: %s: %s", r->path, line, field, what);
}

char *
state_file_word(char **s)
{
	char *w = *s, *end;

	if (w == NULL || *w == '\0')
		return NULL;
	end = strchr(w, ' ');
	if (end != NULL)
		*end++ = '\0';
	*s = end;
	return w;
}

bool
state_file_number(const char *s, int base, uint64_t max, uint64_t *v)
{
	static const char digits[] = "0123456789abcdef";
	size_t n;

	if (s == NULL)
		return false;
	if (base == 16 && strncmp(s, "0x", 2) != 0)
		return false;
	s += base == 16 ? 2 : 0;
	n = strlen(s);
	if (n == 0 || n > 20 || strspn(s, digits) != n ||
		(base == 10 && strspn(s, "0123456789") != n) ||
		(base == 16 && n > 16))
		return false;
	errno = 0;
	*v = strtoull(s, NULL, base);
	return errno == 0 && *v <= max;
}

int
state_file_guid(struct state_file_reader *r, char **s, uint64_t *guid)
{
	if (!state_file_number(state_file_word(s), 16, UINT64_MAX, guid) ||
		*guid == 0)
		return state_file_complain(r, r->line, "GUID",
			"not 0x and hexadecimal digits, or 0");
	return 0;
}

uint8_t
state_file_one_of(const char *const *word, uint8_t n, char **s)
{
	for (uint8_t i = 1; *s != NULL && i < n; i++) {
		size_t len = strlen(word[i]);

		if (strncmp(*s, word[i], len) == 0 &&
			((*s)[len] == ' ' || (*s)[len] == '\0')) {
			(void)state_file_word(s);
			return i;
		}
	}
	return 0;
}

/* The rest of a lid line: nothing, or a name in quotes. */
static int
read_name(struct state_file_reader *r, char *s, const char **name)
{
	size_t n = s == NULL ? 0 : strlen(s);

	*name = NULL;
	if (n == 0)
		return 0;
	if (n < 2 || n > NAME_MAX_BYTES + 2 || s[0] != '"' || s[n - 1] != '"')
		return state_file_complain(r, r->line, "name",
			"not a text in quotes of at most 64 bytes");
	s[n - 1] = '\0';
	*name = arena_strdup(r->s->arena, s + 1);
	return 0;
}

static int
read_lid(struct state_file_reader *r, char *s)
{
	struct state_file_lid rec = {0};
	uint64_t lid, lmc;

	if (state_file_guid(r, &s, &rec.guid) < 0)
		return -1;
	if (!state_file_number(state_file_word(&s), 10, LID_MAX, &lid) ||
		lid == 0)
		return state_file_complain(
			r, r->line, "LID", "not a number from 1 to 49151");
	if (!state_file_number(state_file_word(&s), 10, LMC_MAX, &lmc))
		return state_file_complain(
			r, r->line, "LMC", "not a number from 0 to 7");
	rec.held = state_file_one_of(held_word, STATE_FILE_HELD, &s);
	if (read_name(r, s, &rec.name) < 0)
		return -1;
	rec.lid = (uint16_t)lid;
	rec.lmc = (uint8_t)lmc;
	r->lid = mem_grow(r->lid, r->nlid, &r->lid_cap, sizeof(*r->lid));
	r->lid[r->nlid++] = (struct state_file_lid_line){rec, r->line};
	return 0;
}

static int
read_routed(struct state_file_reader *r, char *s)
{
	if (r->has_routed ||
		!state_file_number(
			state_file_word(&s), 16, UINT64_MAX, &r->s->routed) ||
		!state_file_number(s, 10, UINT64_MAX, &r->s->load))
		return state_file_complain(r, r->line, "routed",
			r->has_routed ? "given twice"
				      : "not a hash such as "
					"0x9f3b52d10c77a4e8 and a number");
	r->has_routed = true;
	return 0;
}

static int
read_turn(struct state_file_reader *r, char *s)
{
	if (r->s->turn != 0)
		return state_file_complain(r, r->line, "turn", "given twice");
	if (state_file_guid(r, &s, &r->s->turn) < 0)
		return -1;
	return s == NULL ? 0
			 : state_file_complain(
				   r, r->line, "turn", "not one GUID");
}

static int
read_prefix(struct state_file_reader *r, char *s)
{
	char *w = state_file_word(&s);

	if (r->has_prefix || s != NULL ||
		!state_file_number(w, 16, UINT64_MAX, &r->s->prefix))
		return state_file_complain(r, r->line, "fabric",
			r->has_prefix ? "given twice"
				      : "not a subnet prefix such as "
					"0xfe80000000000000");
	r->has_prefix = true;
	return 0;
}

/* What it says is for the subnet administration to judge. */
static int
read_sa(struct state_file_reader *r, char *s)
{
	if (s == NULL)
		return state_file_complain(r, r->line, "sa", "is empty");
	buf_printf(&r->sa, "%s\n", s);
	return 0;
}

static int
read_line(struct state_file_reader *r, char *s)
{
	static const struct {
		const char *name;
		int (*read)(struct state_file_reader *r, char *s);
	} kind[] = {
		{"lid", read_lid},
		{"rank", state_ranks_read},
		{"order", state_ranks_order},
		{"read", state_ranks_reading},
		{"routed", read_routed},
		{"turn", read_turn},
		{"fabric", read_prefix},
		{"block", state_blocked_read},
		{"saved", state_blocked_saved},
		{"sa", read_sa},
		{"group", state_groups_read},
		{"member", state_groups_member},
		{"lanes", state_sl_history_layers},
		{"leaf", state_sl_history_read},
	};
	char *w = state_file_word(&s);
	size_t i;

	for (i = 0; i < sizeof(kind) / sizeof(kind[0]); i++)
		if (w != NULL && strcmp(w, kind[i].name) == 0)
			return kind[i].read(r, s);
	return state_file_complain(r, r->line, "record",
		"none of lid, rank, order, read, routed, turn, fabric, block, "
		"saved, sa, group, member, lanes, leaf");
}

/*
 * Judge header and checksum: both must hold before a record is looked at.
 * *body is what lies between them.
 */
static int
read_frame(struct state_file_reader *r, char *text, size_t n, char **body,
	char **end)
{
	const char *eol = memchr(text, '\n', n);
	uint64_t version, sum;
	char *s, *last;

	r->line = 1;
	if (eol == NULL || strncmp(text, HEADER, strlen(HEADER)) != 0)
		return state_file_complain(
			r, 1, "header", "not a heddle-state file");
	*body = text + (eol - text) + 1;
	(*body)[-1] = '\0';
	if (!state_file_number(text + strlen(HEADER), 10, UINT32_MAX, &version))
		return state_file_complain(r, 1, "header", "no version");
	if (version != VERSION)
		return reason_set(r->why,
			"%s:1: header: version %" PRIu64
			" is not supported (this program reads %d)",
			r->path, version, VERSION);
	(*body)[-1] = '\n';
	if (memchr(text, '\0', n) != NULL)
		return state_file_complain(r, 1, "file", "has bytes of zero");
	last = memrchr(text, '\n', n - 1);
	s = last == NULL ? text : last + 1;
	if (text[n - 1] != '\n' || strncmp(s, "checksum ", 9) != 0 || s < *body)
		return reason_set(r->why,
			"%s: checksum: not at the end; the file is truncated",
			r->path);
	text[n - 1] = '\0';
	if (!state_file_number(s + 9, 16, UINT64_MAX, &sum) ||
		sum != fnv_more(FNV_START, text, (size_t)(s - text)))
		return reason_set(r->why,
			"%s: checksum: does not match the content", r->path);
	*end = s;
	return 0;
}

static int
lid_by_guid(const void *a, const void *b)
{
	const struct state_file_lid_line *x = a, *y = b;

	if (x->rec.guid != y->rec.guid)
		return x->rec.guid < y->rec.guid ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int
lid_by_lid(const void *a, const void *b)
{
	const struct state_file_lid_line *x = a, *y = b;

	if (x->rec.lid != y->rec.lid)
		return x->rec.lid < y->rec.lid ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* The rules between LID records; leaves them sorted by GUID. */
static int
check_lids(struct state_file_reader *r)
{
	const struct state_file_lid_line *p;
	size_t i;

	if (r->nlid == 0)
		return 0;
	qsort(r->lid, r->nlid, sizeof(*r->lid), lid_by_lid);
	for (i = 0; i < r->nlid; i++) {
		uint32_t size = 1u << r->lid[i].rec.lmc;

		p = &r->lid[i];
		if (p->rec.lid % size != 0)
			return state_file_complain(r, p->line, "LID",
				"not a multiple of 2 to the power of its LMC");
		if (p->rec.lid + size - 1 > LID_MAX)
			return state_file_complain(r, p->line, "LID",
				"its range ends above 49151");
		if (i + 1 < r->nlid && p->rec.lid + size > p[1].rec.lid)
			return reason_set(r->why,
				"%s:%u: LID: %u is also in the range of line "
				"%u",
				r->path, p[1].line, p[1].rec.lid, p->line);
	}
	qsort(r->lid, r->nlid, sizeof(*r->lid), lid_by_guid);
	for (i = 1; i < r->nlid; i++)
		if (r->lid[i].rec.guid == r->lid[i - 1].rec.guid)
			return reason_set(r->why,
				"%s:%u: GUID: has a LID in line %u already",
				r->path, r->lid[i].line, r->lid[i - 1].line);
	return 0;
}

/* Move what was read and judged into the state's arena. */
static void
keep(struct state_file_reader *r)
{
	struct state_file_lid *lid =
		arena_array(r->s->arena, r->nlid, sizeof(*lid));
	size_t i;

	for (i = 0; i < r->nlid; i++)
		lid[i] = r->lid[i].rec;
	if (r->sa.n > 0)
		r->s->sa = arena_strdup(r->s->arena, r->sa.text);
	r->s->lid = lid;
	r->s->nlid = r->nlid;
	state_ranks_keep(r);
	state_blocked_keep(r);
	state_groups_keep(r);
	state_sl_history_keep(r);
}

static int
read_text(struct state_file_reader *r, char *text, size_t n)
{
	char *s = text, *end = text, *eol;
	int rc = read_frame(r, text, n, &s, &end);

	for (r->line = 2; rc == 0 && s < end; s = eol + 1, r->line++) {
		eol = memchr(s, '\n', (size_t)(end - s));
		*eol = '\0'; /* end follows a newline */
		rc = read_line(r, s);
	}
	if (rc == 0)
		rc = check_lids(r);
	if (rc == 0)
		rc = state_ranks_check(r);
	if (rc == 0)
		rc = state_sl_history_check(r);
	if (rc == 0)
		keep(r);
	free(r->lid);
	free(r->rank);
	free(r->block);
	buf_free(&r->sa);
	free(r->group);
	free(r->leaf);
	free(r->member);
	return rc;
}

static int
fail(struct reason *why, const char *path, const char *what)
{
	return reason_set(why, "%s: %s: %s", path, what, strerror(errno));
}

/* Read a whole file of at most STATE_FILE_MAX_BYTES; *text is to be freed. */
static int
slurp(int fd, const char *path, char **text, size_t *n, struct reason *why)
{
	struct stat st;
	ssize_t got;

	*n = 0;
	if (fstat(fd, &st) < 0)
		return fail(why, path, "cannot be read");
	if (!S_ISREG(st.st_mode))
		return reason_set(why, "%s: not a regular file", path);
	if (st.st_size > (off_t)STATE_FILE_MAX_BYTES)
		return reason_set(why, "%s: larger than %zu MiB", path,
			STATE_FILE_MAX_BYTES >> 20);
	*text = mem_alloc((size_t)st.st_size + 1);
	while (*n < (size_t)st.st_size) {
		got = read(fd, *text + *n, (size_t)st.st_size - *n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail(why, path, "cannot be read");
		if (got == 0)
			break;
		*n += (size_t)got;
	}
	(*text)[*n] = '\0';
	return *n > 0 ? 0 : reason_set(why, "%s: the file is empty", path);
}

/* Rename the file out of the way and say so. */
static void
set_aside(int dir, const char *word, struct reason *why)
{
	char name[sizeof(STATE_FILE_FILE) + 32];
	unsigned i;

	for (i = 1; i <= ASIDE_MAX; i++) {
		(void)snprintf(
			name, sizeof(name), STATE_FILE_FILE ".%s-%u", word, i);
		if (faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			continue;
		if (errno == ENOENT &&
			renameat(dir, STATE_FILE_FILE, dir, name) == 0) {
			(void)fsync(dir);
			(void)reason_add(why, "; set aside as %s", name);
			return;
		}
		break;
	}
	(void)reason_add(why, "; it could not be set aside: %s",
		i > ASIDE_MAX ? "too many are" : strerror(errno));
}

int
state_file_parse(const char *text, size_t n, const char *name,
	struct state_file *s, struct reason *why)
{
	struct state_file_reader r = {.path = name, .s = s, .why = why};
	char *copy = mem_alloc(n + 1);
	int rc;

	*s = (struct state_file){.arena = arena_new()};
	memcpy(copy, text, n);
	copy[n] = '\0';
	rc = read_text(&r, copy, n);
	free(copy);
	if (rc < 0)
		state_file_free(s);
	return rc;
}

/* Read the file in dir (open); as state_file_load, but sets nothing aside. */
static int
load_at(int dir, const char *path, struct state_file *s, struct reason *why)
{
	struct state_file_reader r = {.path = path, .s = s, .why = why};
	int fd = openat(dir, STATE_FILE_FILE,
		O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char *text = NULL;
	size_t n;
	int rc;

	if (fd < 0 && errno == ENOENT)
		return 1;
	if (fd < 0)
		return fail(why, path, "cannot be opened");
	rc = slurp(fd, path, &text, &n, why);
	(void)close(fd);
	s->arena = arena_new();
	if (rc == 0)
		rc = read_text(&r, text, n);
	free(text);
	if (rc < 0)
		state_file_free(s);
	return rc;
}

int
state_file_load(const char *dir, struct state_file *s, struct reason *why)
{
	struct buf path = {0};
	int fd, rc;

	*s = (struct state_file){0};
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 1 : fail(why, dir, "cannot be opened");
	buf_printf(&path, "%s/" STATE_FILE_FILE, dir);
	rc = load_at(fd, path.text, s, why);
	if (rc < 0)
		set_aside(fd, "corrupt", why);
	buf_free(&path);
	(void)close(fd);
	return rc;
}

void
state_file_set_aside(const char *dir, const char *word, struct reason *why)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0) {
		(void)reason_add(why, "; it could not be set aside: %s",
			strerror(errno));
		return;
	}
	set_aside(fd, word, why);
	(void)close(fd);
}

void
state_file_free(struct state_file *s)
{
	arena_free(s->arena);
	*s = (struct state_file){0};
}

/* A node's own description, without what could break the line. */
static void
print_name(const char *name, struct buf *out)
{
	size_t i;

	buf_put(out, " \"", 2);
	for (i = 0; name[i] != '\0' && i < NAME_MAX_BYTES; i++) {
		char c = name[i];

		if (c < 0x20 || c > 0x7e || c == '"')
			c = '?';
		buf_put(out, &c, 1);
	}
	buf_put(out, "\"", 1);
}

static void
print_sa(const char *line, struct buf *out)
{
	while (line != NULL && *line != '\0') {
		size_t n = strcspn(line, "\n");

		buf_put(out, "sa ", 3);
		buf_put(out, line, n);
		buf_put(out, "\n", 1);
		line += n + (line[n] == '\n');
	}
}

void
state_file_print(const struct state_file *s, struct buf *out)
{
	size_t i;

	buf_printf(out, HEADER "%d\n", VERSION);
	if (s->prefix != 0)
		buf_printf(out, "fabric 0x%016" PRIx64 "\n", s->prefix);
	for (i = 0; i < s->nlid; i++) {
		buf_printf(out, "lid 0x%016" PRIx64 " %u %u", s->lid[i].guid,
			s->lid[i].lid, s->lid[i].lmc);
		if (s->lid[i].held == STATE_FILE_PLAIN ||
			s->lid[i].held == STATE_FILE_KEYS)
			buf_printf(out, " %s", held_word[s->lid[i].held]);
		if (s->lid[i].name != NULL)
			print_name(s->lid[i].name, out);
		buf_put(out, "\n", 1);
	}
	if (s->routed != 0)
		buf_printf(out, "routed 0x%016" PRIx64 " %" PRIu64 "\n",
			s->routed, s->load);
	if (s->turn != 0)
		buf_printf(out, "turn 0x%016" PRIx64 "\n", s->turn);
	state_ranks_print(s, out);
	state_blocked_print(s, out);
	print_sa(s->sa, out);
	state_groups_print(s, out);
	state_sl_history_print(s, out);
	buf_printf(out, "checksum 0x%016" PRIx64 "\n",
		fnv_more(FNV_START, out->text, out->n));
}

/* Would state_file_load believe it? Asked of what is about to be written. */
static int
check_print(const struct buf *text, const char *path, struct reason *why)
{
	struct state_file s = {.arena = arena_new()};
	struct state_file_reader r = {.path = path, .s = &s, .why = why};
	char *copy;
	int rc;

	if (text->n > STATE_FILE_MAX_BYTES) {
		state_file_free(&s);
		return reason_set(why, "%s: would be larger than %zu MiB", path,
			STATE_FILE_MAX_BYTES >> 20);
	}
	copy = mem_dup(text->text, text->n);
	rc = read_text(&r, copy, text->n);
	free(copy);
	state_file_free(&s);
	return rc;
}

static int
write_all(int fd, const char *p, size_t n)
{
	ssize_t done;

	for (; n > 0; p += done, n -= (size_t)done) {
		done = write(fd, p, n);
		if (done < 0 && errno == EINTR)
			done = 0;
		else if (done < 0)
			return -1;
	}
	return fsync(fd);
}

/* Write beside, then rename over: readers see the old or the new, whole. */
static int
replace(int dir, const char *path, const struct buf *text, struct reason *why)
{
	int fd, rc;

	/* a leftover of a crash, or something put there */
	(void)unlinkat(dir, TEMPORARY, 0);
	fd = openat(
		dir, TEMPORARY, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
	if (fd < 0)
		return fail(why, path, "cannot be written");
	rc = write_all(fd, text->text, text->n);
	if (rc < 0)
		rc = fail(why, path, "cannot be written");
	if (close(fd) < 0 && rc == 0)
		rc = fail(why, path, "cannot be written");
	if (rc == 0 && renameat(dir, TEMPORARY, dir, STATE_FILE_FILE) < 0)
		rc = fail(why, path, "cannot be replaced");
	if (rc < 0)
		(void)unlinkat(dir, TEMPORARY, 0);
	else if (fsync(dir) < 0)
		rc = fail(why, path, "cannot be made to last");
	return rc;
}

int
state_file_put(const char *dir, const struct buf *text, struct reason *why)
{
	struct buf path = {0};
	int fd = -1, rc;

	buf_printf(&path, "%s/" STATE_FILE_FILE, dir);
	rc = check_print(text, path.text, why);
	if (rc < 0)
		goto out;
	if (mkdir(dir, 0750) < 0 && errno != EEXIST) {
		rc = fail(why, dir, "cannot be made");
		goto out;
	}
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = fd < 0 ? fail(why, dir, "cannot be opened")
		    : replace(fd, path.text, text, why);
out:
	if (fd >= 0)
		(void)close(fd);
	buf_free(&path);
	return rc;
}

int
state_file_save(const char *dir, const struct state_file *s, struct reason *why)
{
	struct buf text = {0};
	int rc;

	state_file_print(s, &text);
	rc = state_file_put(dir, &text, why);
	buf_free(&text);
	return rc;
}
