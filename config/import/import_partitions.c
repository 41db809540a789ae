/*
 * partitions.conf: statements end with a semicolon, '#' begins a comment.
 *
 *	NAME=KEY, flag, flag=value : member, member=membership
 *		mgid=GROUP, flag=value
 *		member ;
 *
 * As in OpenSM, words may be cut short ("limi", "ALL_C"), a membership that is
 * no such word means limited, a partition without a P_Key gets the next free
 * one, and the default partition exists before the file is read: all ports are
 * limited members, the subnet manager a full one. At a mistake OpenSM drops
 * everything up to the next semicolon, and more; here the one member is left
 * out, with a note.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/config.h"
#include "config/import/import_priv.h"
#include "config/partition_options.h"
#include "sm/base/mem.h"

enum { WORD = 64, BASE = 0x7fff };

struct member {
	char who[24];
	const char *as; /* static */
};

struct part {
	char name[WORD], theirs[WORD];
	unsigned pkey;
	struct member *member;
	size_t n, cap;
	bool ipoib;
	unsigned mtu, sl, scope; /* 0, or as written */
	const char *rate;	 /* or NULL */
	bool sl_given, qkey_given;
	unsigned long qkey;
};

struct reader {
	const struct import_file *f;
	struct buf *notes;
	struct part *part;
	size_t n, cap;
	unsigned line; /* of the statement, then of its continuation */
	const char *defmember;
	unsigned next_key; /* for partitions without one */
	bool both;	   /* allow_both_pkeys */
	bool qos;
};

static char *
trim_blanks(char *s)
{
	size_t n;

	s += strspn(s, " \t\r\n");
	n = strlen(s);
	while (n > 0 && strchr(" \t\r\n", s[n - 1]) != NULL)
		s[--n] = '\0';
	return s;
}

/* "a = b" -> a, and b or NULL. */
static char *
cut_value(char *s)
{
	char *eq = strchr(s, '=');

	if (eq == NULL)
		return NULL;
	*eq = '\0';
	(void)trim_blanks(s);
	return trim_blanks(eq + 1);
}

static bool
parse_number(const char *s, unsigned long max, unsigned long *out)
{
	char *end;

	if (s == NULL || *s < '0' || *s > '9')
		return false;
	*out = strtoul(s, &end, 0);
	return *end == '\0' && *out <= max;
}

/* True if s is the word, or its beginning. */
static bool
is_abbreviation(const char *s, const char *word)
{
	return *s != '\0' && strncmp(s, word, strlen(s)) == 0;
}

static const char *
parse_membership(const struct reader *r, const char *s)
{
	static const char *const word[] = {"full", "both", "limited"};

	for (size_t i = 0; s != NULL && i < 3; i++)
		if (is_abbreviation(s, word[i]))
			return i == 1 && !r->both ? "full" : word[i];
	return NULL;
}

static struct part *
find_part(struct reader *r, const char *name, unsigned pkey)
{
	char clean[WORD];
	struct part *p;
	size_t i, k = 0;

	for (i = 0; i < r->n; i++)
		if (r->part[i].pkey == pkey)
			return &r->part[i];
	for (i = 0; name[i] != '\0' && k < WORD - 16; i++)
		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXY"
			   "Z"
			   "0123456789_-",
			    name[i]) != NULL)
			clean[k++] = name[i];
	clean[k] = '\0';
	for (i = 0; i < r->n && strcmp(r->part[i].name, clean) != 0; i++)
		;
	if (k == 0 || i < r->n) /* no name, or that of another partition */
		(void)snprintf(clean + k, sizeof(clean) - k, "%spkey_%04x",
			k > 0 ? "_" : "", pkey);
	r->part = mem_grow(r->part, r->n, &r->cap, sizeof(*r->part));
	p = &r->part[r->n++];
	*p = (struct part){.pkey = pkey};
	memcpy(p->name, clean, sizeof(clean));
	(void)snprintf(p->theirs, sizeof(p->theirs), "%s", name);
	return p;
}

/* ---- flags ---- */

static const char *
rate_word(unsigned long code)
{
	static const char *const word[] = {[2] = "2.5",
		[3] = "10",
		[4] = "30",
		[5] = "5",
		[6] = "20",
		[7] = "40",
		[8] = "60",
		[9] = "80",
		[10] = "120",
		[11] = "14",
		[12] = "56",
		[13] = "112",
		[14] = "168",
		[15] = "25",
		[16] = "100",
		[17] = "200",
		[18] = "300",
		[19] = "28",
		[20] = "50",
		[21] = "400",
		[22] = "600",
		[23] = "800",
		[24] = "1200",
		[25] = "1600"};

	return code < sizeof(word) / sizeof(word[0]) ? word[code] : NULL;
}

static bool
ipoib_flag(struct part *p, const char *flag, unsigned long v)
{
	static const char scopes[] = {2, 5, 8, 14, 0};

	if (strcasecmp(flag, "mtu") == 0 && v >= 1 && v <= 5)
		p->mtu = 128U << v;
	else if (strcasecmp(flag, "rate") == 0 && rate_word(v) != NULL)
		p->rate = rate_word(v);
	else if (strcasecmp(flag, "sl") == 0 && v <= 15)
		p->sl = (unsigned)v;
	else if (strcasecmp(flag, "scope") == 0 && v > 0 && v < 16 &&
		 p->scope == 0 && strchr(scopes, (int)v) != NULL)
		p->scope = (unsigned)v;
	else if (strcasecmp(flag, "q_key") == 0)
		p->qkey = v;
	else
		return false;
	p->sl_given |= strcasecmp(flag, "sl") == 0;
	p->qkey_given |= strcasecmp(flag, "q_key") == 0;
	return true;
}

static void
take_flag(struct reader *r, struct part *p, char *flag)
{
	const char *v = cut_value(flag);
	unsigned long n;

	if (*flag == '\0' && v == NULL)
		return;
	if (is_abbreviation(flag, "ipoib"))
		p->ipoib = true;
	else if (is_abbreviation(flag, "defmember") &&
		 parse_membership(r, v) != NULL)
		r->defmember = parse_membership(r, v);
	else if (strcasecmp(flag, "indx0") == 0)
		import_note(r->notes, r->f, r->line,
			"indx0: index 0 is for the default partition, and "
			"keys that ports have do not move");
	else if (strcasecmp(flag, "sl") == 0 && !r->qos)
		import_note(r->notes, r->f, r->line,
			"sl: OpenSM ignores it without qos TRUE");
	else if (!parse_number(v, 0xffffffff, &n) || !ipoib_flag(p, flag, n))
		import_note(r->notes, r->f, r->line,
			"%.40s%s%.40s: not carried over", flag,
			v != NULL ? "=" : "", v != NULL ? v : "");
}

/* ---- members ---- */

/* A later member replaces an earlier one of the same text. */
static void
add_member(struct part *p, const char *who, const char *as)
{
	size_t i, k = 0;

	for (i = 0; i < p->n; i++)
		if (strcmp(p->member[i].who, who) != 0)
			p->member[k++] = p->member[i];
	p->n = k;
	p->member = mem_grow(p->member, p->n, &p->cap, sizeof(*p->member));
	(void)snprintf(p->member[p->n].who, sizeof(p->member->who), "%s", who);
	p->member[p->n++].as = as;
}

/* A keyword for ports, or a port GUID, in Heddle's syntax; false: neither. */
static bool
translate_member(const char *text, char out[24])
{
	static const char *const word[][2] = {
		{"ALL", "all"},
		{"ALL_CAS", "hosts"},
		{"ALL_SWITCHES", "switches"},
		{"ALL_ROUTERS", "routers"},
		{"SELF", "sm"},
	};
	unsigned long long guid;
	char *end;

	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (is_abbreviation(text, word[i][0])) {
			(void)snprintf(out, 24, "%s", word[i][1]);
			return true;
		}
	guid = strtoull(text, &end, 0);
	(void)snprintf(out, 24, "0x%016llx", guid);
	return *text >= '0' && *text <= '9' && *end == '\0' && guid != 0;
}

static void
take_member(struct reader *r, struct part *p, char *text)
{
	const char *v = cut_value(text);
	const char *as = v != NULL ? parse_membership(r, v) : r->defmember;
	char who[24];

	if ((*text == '\0' && v == NULL) || is_abbreviation(text, "NONE"))
		return;
	if (!translate_member(text, who)) {
		import_note(r->notes, r->f, r->line,
			"partition %s: member '%.60s%s%.40s': not carried over",
			p->name, text, v != NULL ? "=" : "",
			v != NULL ? v : "");
		return;
	}
	if (as == NULL) {
		import_note(r->notes, r->f, r->line,
			"partition %s: '%.40s' is not a membership; limited is "
			"assumed",
			p->name, v);
		as = "limited";
	}
	add_member(p, who, as);
}

/* Members, by commas and lines; a group takes the rest of its line. */
static void
take_members(struct reader *r, struct part *p, char *text)
{
	while (text != NULL) {
		char *eol = strchr(text, '\n'), *save = NULL, *m;

		if (eol != NULL)
			*eol = '\0';
		for (m = strtok_r(text, ",", &save); m != NULL;
			m = strtok_r(NULL, ",", &save)) {
			m = trim_blanks(m);
			if (strncmp(m, "mgid", 4) == 0) {
				import_note(r->notes, r->f, r->line,
					"partition %s: group %.80s: groups by "
					"mgid are not carried over",
					p->name, m);
				break;
			}
			take_member(r, p, m);
		}
		r->line += eol != NULL;
		text = eol != NULL ? eol + 1 : NULL;
	}
}

/* ---- statements ---- */

static bool
has_key(const struct reader *r, unsigned pkey)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->part[i].pkey == pkey)
			return true;
	return pkey == PARTITION_DEFAULT_KEY;
}

/* The P_Key of a partition that is given none: that of its name, or a new one.
 */
static unsigned
key_by_name(struct reader *r, const char *name)
{
	if (strcmp(name, "Default") == 0)
		return PARTITION_DEFAULT_KEY;
	for (size_t i = 0; i < r->n && *name != '\0'; i++)
		if (strcmp(r->part[i].theirs, name) == 0)
			return r->part[i].pkey;
	while (has_key(r, ++r->next_key))
		;
	import_note(r->notes, r->f, r->line,
		"partition '%.60s' has no P_Key: OpenSM would give it 0x%04x",
		name, r->next_key);
	return r->next_key;
}

/* The default partition has members before the file is read. */
static void
add_first_members(struct part *p)
{
	if (p->pkey != PARTITION_DEFAULT_KEY || p->n > 0)
		return;
	add_member(p, "all", "limited");
	add_member(p, "sm", "full");
}

/* The partition that a head "NAME=KEY, flags" is about, or NULL. */
static struct part *
take_head(struct reader *r, char *head)
{
	char *save = NULL, *flag = strtok_r(head, ",", &save), *name;
	const char *key;
	unsigned long n = 0;
	struct part *p;

	if (flag == NULL)
		return NULL;
	key = cut_value(flag);
	name = trim_blanks(flag);
	if (key == NULL && *name >= '0' && *name <= '9') {
		key = name;
		name = name + strlen(name);
	}
	if (key != NULL && !parse_number(key, 0xffff, &n)) {
		import_note(r->notes, r->f, r->line,
			"partition '%.60s': '%.40s' is not a P_Key; the "
			"partition is left out",
			name, key);
		return NULL;
	}
	if ((n & BASE) == 0)
		n = key_by_name(r, name);
	p = find_part(r, name, (unsigned)n & BASE);
	add_first_members(p);
	while ((flag = strtok_r(NULL, ",", &save)) != NULL)
		take_flag(r, p, trim_blanks(flag));
	return p;
}

static void
take_statement(struct reader *r, char *text)
{
	char *colon = strchr(text, ':');
	struct part *p;

	if (*trim_blanks(text) == '\0')
		return;
	if (colon == NULL) {
		import_note(r->notes, r->f, r->line,
			"'%.60s': no colon; OpenSM reads no partition here",
			trim_blanks(text));
		return;
	}
	*colon = '\0';
	r->defmember = "limited";
	p = take_head(r, text);
	if (p != NULL)
		take_members(r, p, colon + 1);
}

static void
read_all(struct reader *r)
{
	char *text = mem_alloc(r->f->len + 1);
	unsigned line = 1;
	bool comment = false;
	size_t n = 0;

	r->line = 1;
	for (size_t i = 0; i <= r->f->len; i++) {
		char c = ';';

		if (i < r->f->len)
			c = r->f->text[i];
		comment = c == '#' || (comment && c != '\n' && i < r->f->len);
		line += c == '\n';
		if (comment || c == '\0')
			continue;
		if (n == 0 && strchr(" \t\r\n", c) != NULL)
			continue;
		if (n == 0)
			r->line = line;
		if (c != ';') {
			text[n++] = c;
			continue;
		}
		text[n] = '\0';
		if (i == r->f->len && n > 0)
			import_note(r->notes, r->f, r->line,
				"no semicolon at the end");
		take_statement(r, text);
		n = 0;
	}
	free(text);
}

/* ---- printing ---- */

static void
print_ipoib(const struct part *p, struct buf *out)
{
	buf_printf(out, "    ipoib:\n      enabled: true\n");
	if (p->mtu != 0)
		buf_printf(out, "      mtu: %u\n", p->mtu);
	if (p->rate != NULL)
		buf_printf(out, "      rate: %s\n", p->rate);
	if (p->sl_given)
		buf_printf(out, "      sl: %u\n", p->sl);
	if (p->scope != 0)
		buf_printf(out, "      scope: %u\n", p->scope);
	if (p->qkey_given)
		buf_printf(out, "      qkey: 0x%lx\n", p->qkey);
}

static void
print_part(const struct part *p, struct buf *out)
{
	buf_printf(out, "  \"%s\":\n    pkey: 0x%04x\n    members:%s\n",
		p->name, p->pkey, p->n == 0 ? " {}" : "");
	for (size_t i = 0; i < p->n; i++)
		buf_printf(out, "      %s: %s\n", p->member[i].who,
			p->member[i].as);
	if (p->ipoib)
		print_ipoib(p, out);
}

void
import_partitions(const struct import_file *f, struct import_qos *q, bool both,
	struct buf *out)
{
	struct reader r = {
		.f = f, .notes = out, .both = both, .qos = import_qos_on(q)};

	read_all(&r);
	buf_printf(out, "partitions:\n");
	/*
	 * Without a default partition, Heddle makes all ports limited members
	 * of it and the subnet manager a full one, as OpenSM does, but only
	 * where there is another partition.
	 */
	if (r.n == 0)
		buf_printf(out, "  \"Default\":\n    pkey: 0x7fff\n"
				"    members:\n      all: limited\n"
				"      sm: full\n");
	for (size_t i = 0; i < r.n; i++) {
		if (r.part[i].sl_given && import_qos_on(q)) {
			import_qos_partition(q, r.part[i].name, r.part[i].sl);
			r.part[i].sl_given = false;
		}
		print_part(&r.part[i], out);
		free(r.part[i].member);
	}
	free(r.part);
}
