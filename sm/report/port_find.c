#include "sm/report/port_find.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

static bool
name_matches(const struct topo *t, node_ix n, const char *what, bool whole)
{
	const char *name = topo_desc(t, n);

	return whole ? strcmp(name, what) == 0 : strstr(name, what) != NULL;
}

/* Find a node by name: 1 and *out, 0 if no node matches, -1 if several do. */
static int
by_name(const struct topo *t, const char *what, bool whole, bool switches,
	node_ix *out)
{
	int found = 0;

	for (node_ix n = 0; n < t->nnodes; n++) {
		if (switches && t->node[n].sw == TOPO_NONE)
			continue;
		if (!name_matches(t, n, what, whole))
			continue;
		if (found++ > 0)
			return -1;
		*out = n;
	}
	return found;
}

static node_ix
port_find_name(const struct topo *t, const char *what, bool switches,
	struct reason *why)
{
	node_ix n = TOPO_NONE;
	int found;

	if (*what == '\0') {
		(void)reason_set(why, "the name is empty");
		return TOPO_NONE;
	}
	found = by_name(t, what, true, switches, &n);
	if (found == 0)
		found = by_name(t, what, false, switches, &n);
	if (found == 1)
		return n;
	(void)reason_set(why,
		found == 0 ? "no %s is called '%s'"
			   : "more than one %s is called '%s': use a GUID or "
			     "a LID",
		switches ? "switch" : "node", what);
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

node_ix
port_find_node(const struct topo *t, const char *what, struct reason *why)
{
	return port_find_any(t, what, false, why);
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
