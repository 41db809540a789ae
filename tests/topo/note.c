#include "tests/topo/note.h"

#include <inttypes.h>
#include <string.h>

#include "sm/mad/mad_role.h"

#define UNKNOWN UINT32_MAX

enum {
	DEFAULT_GROUPS = 2048,
	DEFAULT_SUB_GROUPS = 2,
	MOST_GROUPS = 4095,
	MOST_SUB_GROUPS = 15,
	DEFAULT_INTERLEAVE = 2,
	MOST_INTERLEAVE = 128,
	MOST_NS = 1000000000,
};

enum key {
	K_ROLE,
	K_LEVEL,
	K_TREE,
	K_PLANE,
	K_POD,
	K_INDEX,
	K_ROLE_SET,
	K_AR,
	K_GROUPS,
	K_SUB_GROUPS,
	K_AR_LFT,
	K_INTERLEAVE,
	K_SERVICE,
	K_HOP,
	K_QUEUE,
	NKEYS,
};

static const struct {
	const char *name;
	enum { OF_ROLE, OF_AR, OF_NODE } of;
	enum { WORD, NUMBER, TIME } type;
	uint32_t min, max;
} keys[NKEYS] = {
	[K_ROLE] = {"role", OF_ROLE, WORD, 0, 0},
	[K_LEVEL] = {"level", OF_ROLE, NUMBER, 0, 254},
	[K_TREE] = {"tree", OF_ROLE, NUMBER, 0, UINT16_MAX},
	[K_PLANE] = {"plane", OF_ROLE, NUMBER, 0, 254},
	[K_POD] = {"pod", OF_ROLE, NUMBER, 0, UINT32_MAX - 1},
	[K_INDEX] = {"index", OF_ROLE, NUMBER, 0, UINT32_MAX - 1},
	[K_ROLE_SET] = {"role-set", OF_ROLE, WORD, 0, 0},
	[K_AR] = {"ar", OF_AR, WORD, 0, 0},
	[K_GROUPS] = {"groups", OF_AR, NUMBER, 1, MOST_GROUPS},
	[K_SUB_GROUPS] = {"subgroups", OF_AR, NUMBER, 1, MOST_SUB_GROUPS},
	[K_AR_LFT] = {"ar-lft", OF_AR, WORD, 0, 0},
	[K_INTERLEAVE] = {"interleave", OF_AR, NUMBER, 2, MOST_INTERLEAVE},
	[K_SERVICE] = {"service", OF_NODE, TIME, 1, MOST_NS},
	[K_HOP] = {"hop", OF_NODE, TIME, 1, MOST_NS},
	[K_QUEUE] = {"queue", OF_NODE, NUMBER, 1, UINT16_MAX},
};

struct span {
	const char *p;
	size_t n;
};

static bool
is_word(struct span s, const char *word)
{
	return s.n == strlen(word) && memcmp(s.p, word, s.n) == 0;
}

const char *
note_find(const char *p, size_t n, const char **text)
{
	static const char mark[] = "heddle:";

	for (size_t i = 0; i < n; i++) {
		size_t k = i + 1;

		if (p[i] != '#')
			continue;
		while (k < n && (p[k] == ' ' || p[k] == '\t'))
			k++;
		if (n - k < sizeof(mark) - 1 ||
			memcmp(p + k, mark, sizeof(mark) - 1) != 0)
			continue;
		*text = p + k + sizeof(mark) - 1;
		return p + i;
	}
	return NULL;
}

/* Read digits; returns how many. A value above max becomes max + 1. */
static size_t
read_digits(struct span s, uint64_t max, uint64_t *out)
{
	size_t i = 0;

	for (*out = 0; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++) {
		*out = *out * 10 + (uint64_t)(s.p[i] - '0');
		if (*out > max)
			*out = max + 1;
	}
	return i;
}

static int
read_number(struct span v, enum key k, uint32_t *out, struct reason *why)
{
	uint64_t n;
	size_t used = read_digits(v, keys[k].max, &n);

	if (k == K_LEVEL && is_word(v, "unknown")) {
		*out = MAD_ROLE_NO_LEVEL;
		return 0;
	}
	if (used == 0 || used < v.n || n < keys[k].min || n > keys[k].max)
		return reason_set(why,
			"%s is a number, %" PRIu32 " to %" PRIu32, keys[k].name,
			keys[k].min, keys[k].max);
	*out = (uint32_t)n;
	return 0;
}

static int
read_time(struct span v, enum key k, uint32_t *out, struct reason *why)
{
	static const struct {
		const char *unit;
		uint32_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}};
	uint64_t n;
	size_t used = read_digits(v, keys[k].max, &n);
	struct span unit = {v.p + used, v.n - used};

	for (size_t i = 0; used > 0 && i < sizeof(units) / sizeof(units[0]);
		i++) {
		if (!is_word(unit, units[i].unit) || n < 1 ||
			n * units[i].ns > keys[k].max)
			continue;
		*out = (uint32_t)(n * units[i].ns);
		return 0;
	}
	return reason_set(why, "%s is a time, 1ns to 1000ms", keys[k].name);
}

static int
read_role(struct span v, uint32_t *out, struct reason *why)
{
	for (unsigned r = 0; r <= MAD_ROLE_IGNORE; r++) {
		if (is_word(v, mad_role_name((uint8_t)r)) &&
			(r <= MAD_ROLE_VIRTUAL || r == MAD_ROLE_IGNORE)) {
			*out = r;
			return 0;
		}
	}
	return reason_set(why, "no such role");
}

/* Kinds of adaptive routing. */
enum { AR_NONE, AR_REV1, AR_ESCAPES, SEEN_ESCAPES = 1 << NKEYS };

static int
read_ar(struct span v, uint32_t *out, struct reason *why)
{
	static const char *const word[] = {"none", "rev1", "escapes"};

	for (uint32_t i = AR_NONE; i <= AR_ESCAPES; i++) {
		if (is_word(v, word[i])) {
			*out = i;
			return 0;
		}
	}
	return reason_set(why, "ar is rev1, escapes or none");
}

/* One of two words. */
static int
read_word(struct span v, enum key k, uint32_t *out, struct reason *why)
{
	const char *yes = k == K_AR_LFT ? "stops" : "yes";
	const char *no = k == K_AR_LFT ? "keeps" : "no";

	if (k == K_ROLE)
		return read_role(v, out, why);
	if (k == K_AR)
		return read_ar(v, out, why);
	if (!is_word(v, yes) && !is_word(v, no))
		return reason_set(why, "%s is %s or %s", keys[k].name, yes, no);
	*out = is_word(v, yes);
	return 0;
}

static int
read_value(struct span v, enum key k, uint32_t *out, struct reason *why)
{
	switch (keys[k].type) {
	case NUMBER:
		return read_number(v, k, out, why);
	case TIME:
		return read_time(v, k, out, why);
	case WORD:
		break;
	}
	return read_word(v, k, out, why);
}

static void
store_value(struct fabric_attrs *a, enum key k, uint32_t v)
{
	a->has_role = a->has_role || keys[k].of == OF_ROLE;
	switch (k) {
	case K_ROLE:
		a->role = (uint8_t)v;
		break;
	case K_LEVEL:
		a->level = (uint8_t)v;
		break;
	case K_TREE:
		a->tree = (uint16_t)v;
		break;
	case K_PLANE:
		a->plane = (uint8_t)v;
		break;
	case K_POD:
		a->pod = v;
		break;
	case K_INDEX:
		a->index = v;
		break;
	case K_ROLE_SET:
		a->role_fixed = v == 0;
		break;
	case K_AR:
		a->ar = v != AR_NONE;
		break;
	case K_AR_LFT:
		a->ar_lft_stops = v != 0;
		break;
	case K_INTERLEAVE:
		a->interleave = (uint8_t)v;
		break;
	case K_GROUPS:
		a->groups = (uint16_t)v;
		break;
	case K_SUB_GROUPS:
		a->sub_groups = (uint8_t)v;
		break;
	case K_SERVICE:
		a->service_ns = v;
		break;
	case K_HOP:
		a->hop_ns = v;
		break;
	case K_QUEUE:
		a->queue = (uint16_t)v;
		break;
	case NKEYS:
		break;
	}
}

static enum key
find_key(struct span word)
{
	enum key k = K_ROLE;

	while (k < NKEYS && !is_word(word, keys[k].name))
		k++;
	return k;
}

/* One key=value. seen: bits of the keys so far. */
static int
read_one(struct span word, bool is_switch, unsigned *seen,
	struct fabric_attrs *out, struct reason *why)
{
	const char *eq = memchr(word.p, '=', word.n);
	struct span key = {word.p, eq ? (size_t)(eq - word.p) : word.n};
	enum key k = find_key(key);
	uint32_t v = 0;

	if (!eq)
		return reason_set(why, "key=value should stand here");
	if (k == NKEYS)
		return reason_set(why, "unknown key \"%.*s\"",
			(int)(key.n < 32 ? key.n : 32), key.p);
	if (*seen >> k & 1)
		return reason_set(why, "%s is said twice", keys[k].name);
	if (!is_switch && keys[k].of != OF_NODE)
		return reason_set(why, "%s is for switches", keys[k].name);
	if (read_value((struct span){eq + 1, word.n - key.n - 1}, k, &v, why))
		return -1;
	*seen |= 1U << k;
	if (k == K_AR && v == AR_ESCAPES)
		*seen |= SEEN_ESCAPES;
	store_value(out, k, v);
	return 0;
}

/* Check the keys of adaptive routing against its kind, and set defaults. */
static int
complete_ar(struct fabric_attrs *a, unsigned seen, struct reason *why)
{
	bool escapes = seen & SEEN_ESCAPES, rows = escapes && a->groups == 0,
	     rev1 = a->ar && !rows;

	if (!rev1 && (a->groups > 0 || a->sub_groups > 0))
		return reason_set(why, "groups without ar=rev1");
	if (!rev1 && seen >> K_AR_LFT & 1)
		return reason_set(why, "ar-lft without ar=rev1");
	if (!rows && a->interleave > 0)
		return reason_set(
			why, escapes ? "interleave with groups"
				     : "interleave without ar=escapes");
	if (a->interleave & (a->interleave - 1))
		return reason_set(why, "interleave is a power of 2");
	if (rows && a->interleave == 0)
		a->interleave = DEFAULT_INTERLEAVE;
	a->ar_late = escapes && !rows;
	if (rev1 && a->groups == 0)
		a->groups = DEFAULT_GROUPS;
	if (rev1 && a->sub_groups == 0)
		a->sub_groups = DEFAULT_SUB_GROUPS;
	return 0;
}

/* Set defaults that depend on the keys read. */
static int
complete_attrs(struct fabric_attrs *a, unsigned seen, struct reason *why)
{
	if (a->has_role) {
		if (!(seen >> K_LEVEL & 1))
			a->level = MAD_ROLE_NO_LEVEL;
		if (!(seen >> K_PLANE & 1))
			a->plane = MAD_ROLE_NO_PLANE;
		if (!(seen >> K_POD & 1))
			a->pod = UNKNOWN;
		if (!(seen >> K_INDEX & 1))
			a->index = UNKNOWN;
	}
	return complete_ar(a, seen, why);
}

int
note_parse(const char *p, size_t n, bool is_switch, struct fabric_attrs *out,
	const char **bad, struct reason *why)
{
	const char *end = p + n;
	unsigned seen = 0;

	*out = (struct fabric_attrs){0};
	while (p < end) {
		struct span word = {p, 0};

		if (*p == ' ' || *p == '\t') {
			p++;
			continue;
		}
		while (p < end && *p != ' ' && *p != '\t')
			p++;
		word.n = (size_t)(p - word.p);
		*bad = word.p;
		if (read_one(word, is_switch, &seen, out, why))
			return -1;
	}
	return complete_attrs(out, seen, why);
}

static void
print_time(const char *key, uint32_t ns, struct buf *out)
{
	if (ns == 0)
		return;
	if (ns % 1000000 == 0)
		buf_printf(out, " %s=%" PRIu32 "ms", key, ns / 1000000);
	else if (ns % 1000 == 0)
		buf_printf(out, " %s=%" PRIu32 "us", key, ns / 1000);
	else
		buf_printf(out, " %s=%" PRIu32 "ns", key, ns);
}

static void
print_role(const struct fabric_attrs *a, struct buf *out)
{
	buf_printf(out, " role=%s", mad_role_name(a->role));
	if (a->level != MAD_ROLE_NO_LEVEL)
		buf_printf(out, " level=%u", a->level);
	if (a->tree != 0)
		buf_printf(out, " tree=%u", a->tree);
	if (a->plane != MAD_ROLE_NO_PLANE)
		buf_printf(out, " plane=%u", a->plane);
	if (a->pod != UNKNOWN)
		buf_printf(out, " pod=%" PRIu32, a->pod);
	if (a->index != UNKNOWN)
		buf_printf(out, " index=%" PRIu32, a->index);
	if (a->role_fixed)
		buf_printf(out, " role-set=no");
}

void
note_print(const struct fabric_attrs *a, struct buf *out)
{
	if (!a->has_role && !a->ar && !a->service_ns && !a->hop_ns && !a->queue)
		return;
	buf_printf(out, " # heddle:");
	if (a->has_role)
		print_role(a, out);
	if (a->interleave)
		buf_printf(out, " ar=escapes interleave=%u", a->interleave);
	else if (a->ar)
		buf_printf(out, " ar=%s groups=%u subgroups=%u%s",
			a->ar_late ? "escapes" : "rev1", a->groups,
			a->sub_groups, a->ar_lft_stops ? " ar-lft=stops" : "");
	print_time("service", a->service_ns, out);
	print_time("hop", a->hop_ns, out);
	if (a->queue)
		buf_printf(out, " queue=%u", a->queue);
}
