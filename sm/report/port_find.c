#include "sm/report/port_find.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/base/mem.h"
#include "sm/base/suggest.h"

enum { NAME_MAX_LENGTH = 65 };

/* Parse all of text as a number in base 10, or 16 with 0x; false if it is not
 * one. */
static bool
parse_number(const char *text, int base, uint64_t *out)
{
	const char *digits =
		base == 16 ? "0123456789abcdefABCDEF" : "0123456789";
	const char *s = text;

	if (base == 16) {
		if (s[0] != '0' || (s[1] != 'x' && s[1] != 'X'))
			return false;
		s += 2;
	}
	if (*s == '\0' || strlen(s) > 16 || strspn(s, digits) != strlen(s))
		return false;
	*out = strtoull(s, NULL, base);
	return true;
}

/* How a name may match, the best first. */
enum match { WHOLE, WORDS, PART, MATCHES };

/* True if what stands in name between blanks or the ends. */
static bool
has_words(const char *name, const char *what)
{
	size_t n = strlen(what);

	for (const char *s = name; (s = strstr(s, what)) != NULL; s++)
		if ((s == name || s[-1] == ' ') &&
			(s[n] == '\0' || s[n] == ' '))
			return true;
	return false;
}

static bool
name_matches(const struct topo *t, node_ix n, const char *what, enum match how)
{
	const char *name = topo_desc(t, n);

	if (how == WHOLE)
		return strcmp(name, what) == 0;
	return how == WORDS ? has_words(name, what)
			    : strstr(name, what) != NULL;
}

/* How many nodes match a name, and the first of them. */
static unsigned
count_matches(const struct topo *t, const char *what, enum match how,
	bool switches, node_ix *first)
{
	unsigned found = 0;

	for (node_ix n = 0; n < t->nnodes; n++)
		if ((!switches || t->node[n].sw != TOPO_NONE) &&
			name_matches(t, n, what, how) && found++ == 0)
			*first = n;
	return found;
}

/* Say which nodes a name stands for, as many as there is room for. */
static void
list_candidates(const struct topo *t, const char *what, enum match how,
	bool switches, unsigned found, struct reason *why)
{
	enum { ROOM = 400 };
	unsigned listed = 0;

	(void)reason_set(why,
		"'%.60s' is in the name of %u %s: use a GUID, a LID or more "
		"of the name:",
		what, found, switches ? "switches" : "nodes");
	for (node_ix n = 0; n < t->nnodes && strlen(why->text) < ROOM; n++) {
		if ((switches && t->node[n].sw == TOPO_NONE) ||
			!name_matches(t, n, what, how))
			continue;
		(void)reason_add(why, "%s 0x%016llx \"%.48s\"",
			listed++ > 0 ? "," : "",
			(unsigned long long)t->node[n].guid, topo_desc(t, n));
	}
	if (listed < found)
		(void)reason_add(why, " and %u more", found - listed);
}

/* The name that may have been meant: one that differs by a letter or two, as a
 * whole or in its first word. */
static void
suggest_name(const struct topo *t, const char *what, bool switches,
	struct reason *why)
{
	struct suggest s = suggest_for(what);
	char first[NAME_MAX_LENGTH], best[NAME_MAX_LENGTH] = "";
	unsigned nameless = 0;

	for (node_ix n = 0; n < t->nnodes; n++) {
		const char *name = topo_desc(t, n);

		if (switches && t->node[n].sw == TOPO_NONE)
			continue;
		nameless += name[0] == '\0';
		(void)snprintf(first, sizeof(first), "%.*s",
			(int)strcspn(name, " "), name);
		s.best = NULL;
		suggest_offer(&s, name);
		if (s.best == NULL)
			suggest_offer(&s, first);
		if (s.best != NULL)
			(void)snprintf(best, sizeof(best), "%s", s.best);
	}
	(void)reason_set(why, "no %s is called '%.100s'",
		switches ? "switch" : "node", what);
	if (best[0] != '\0')
		(void)reason_add(why, "; did you mean '%s'?", best);
	if (nameless > 0) /* names are read last after a start */
		(void)reason_add(why,
			"; %u have told no name so far: try again, or use a "
			"GUID or a LID",
			nameless);
}

static node_ix
port_find_name(const struct topo *t, const char *what, bool switches,
	struct reason *why)
{
	node_ix n = TOPO_NONE;

	if (*what == '\0') {
		(void)reason_set(why, "the name is empty");
		return TOPO_NONE;
	}
	for (unsigned how = WHOLE; how < MATCHES; how++) {
		unsigned found =
			count_matches(t, what, (enum match)how, switches, &n);

		if (found == 1)
			return n;
		if (found > 1) {
			list_candidates(
				t, what, (enum match)how, switches, found, why);
			return TOPO_NONE;
		}
	}
	suggest_name(t, what, switches, why);
	return TOPO_NONE;
}

static port_ix
first_owner(const struct topo *t, node_ix n, struct reason *why)
{
	for (unsigned i = 0; i <= t->node[n].nports; i++) {
		port_ix p = topo_port_of(t, n, i);

		if (topo_has_lid(t, p) && t->port[p].lid != 0)
			return p;
	}
	(void)reason_set(why, "no port of '%s' has a LID", topo_desc(t, n));
	return TOPO_NONE;
}

port_ix
port_find(const struct topo *t, const char *what, uint16_t *lid,
	struct reason *why)
{
	port_ix p = TOPO_NONE;
	node_ix n;
	uint64_t x;

	if (parse_number(what, 10, &x)) {
		if (x <= TOPO_LID_MAX)
			p = topo_by_lid(t, (uint16_t)x, NULL);
		if (p == TOPO_NONE)
			(void)reason_set(why, "no port has LID %s", what);
		*lid = (uint16_t)x;
		return p;
	}
	if (parse_number(what, 16, &x)) {
		p = topo_by_port_guid(t, x);
		n = p == TOPO_NONE ? topo_by_node_guid(t, x) : TOPO_NONE;
		if (p == TOPO_NONE && n == TOPO_NONE)
			(void)reason_set(why,
				"no port and no node has GUID 0x%016llx",
				(unsigned long long)x);
	} else {
		n = port_find_name(t, what, false, why);
	}
	if (n != TOPO_NONE)
		p = first_owner(t, n, why);
	*lid = p != TOPO_NONE ? t->port[p].lid : 0;
	return p;
}

/* The node that a LID, a GUID or a name stands for; switches: only names of
 * switches are searched. */
static node_ix
port_find_any(const struct topo *t, const char *what, bool switches,
	struct reason *why)
{
	uint16_t lid;
	uint64_t x;
	port_ix p;

	if (parse_number(what, 16, &x) &&
		topo_by_port_guid(t, x) == TOPO_NONE &&
		topo_by_node_guid(t, x) != TOPO_NONE)
		return topo_by_node_guid(t, x);
	if (parse_number(what, 10, &x) || parse_number(what, 16, &x)) {
		p = port_find(t, what, &lid, why);
		return p != TOPO_NONE ? t->port[p].node : TOPO_NONE;
	}
	return port_find_name(t, what, switches, why);
}

sw_ix
port_find_switch(const struct topo *t, const char *what, struct reason *why)
{
	node_ix n = port_find_any(t, what, true, why);

	if (n == TOPO_NONE)
		return TOPO_NONE;
	if (t->node[n].sw == TOPO_NONE)
		(void)reason_set(why, "'%s' is not a switch", what);
	return t->node[n].sw;
}

/* text is a name, a slash and digits. */
static int
find_numbered(const struct topo *t, const char *text, const char *slash,
	node_ix *node, unsigned *port, struct reason *why)
{
	size_t n = (size_t)(slash - text);
	char *name = mem_dup(text, n + 1);

	name[n] = '\0';
	*node = port_find_any(t, name, false, why);
	free(name);
	if (*node == TOPO_NONE)
		return -1;
	*port = (unsigned)strtoul(slash + 1, NULL, 10);
	if (*port == 0 || *port > t->node[*node].nports)
		return reason_set(why, "'%s' has no port %s: 1 to %u",
			topo_desc(t, *node), slash + 1, t->node[*node].nports);
	return 0;
}

int
port_find_end(const struct topo *t, const char *text, node_ix *node,
	unsigned *port, struct reason *why)
{
	const char *slash = strrchr(text, '/');
	struct reason plain;

	*port = 0;
	*node = port_find_any(t, text, false, &plain);
	if (*node != TOPO_NONE)
		return 0;
	/* names may have slashes: only digits after it make it a port */
	if (slash != NULL && slash[1] != '\0' && strlen(slash + 1) <= 3 &&
		strspn(slash + 1, "0123456789") == strlen(slash + 1))
		return find_numbered(t, text, slash, node, port, why);
	return reason_set(why, "%s", plain.text);
}
