/*
 * fabric_report: a fabric as one page for a browser: a file that needs neither
 * a server nor the network, to be kept, or sent to a colleague.
 *
 * The page is sm/report/fabric_report.html, a template without any content,
 * which the build puts into heddlectl, and one JSON object: here is its part
 * that comes from topology and tables. The browser draws the map, finds paths
 * in the tables, and searches names; nothing is computed for it in advance.
 *
 *	topology, tables -> fabric_report_json -> members of sm/report_command
 *		-> fabric_report_page -> one file
 *
 * Things refer to each other by index. The lists are arrays of arrays, since
 * names of members would be most of their bytes; the fields are numbered here,
 * and named at the beginning of the template's script:
 *
 *	"rates":    [["4x HDR", 200.0], ..]	Gb/s
 *	"switches": [[name, GUID, LID, tier, flags, ports], ..]
 *		tier: -1 for none; flags: enum fabric_report_flag
 *	"links":    [[switch, port, switch, port, rate, load there, load back,
 *		flags], ..]			between switches, each once
 *	"hosts":    [[name, GUID, LID, switch, switch's port, port, rate,
 *		port GUID - GUID, flags], ..]	each linked port with a LID
 *	"tables":   packed_json of a byte for each switch and host: the out-port
 *		for the base LID of the host; 0 or 255: none
 *	"cuts":     {"links": [index, ..], "switches": [index, ..]}
 *	"unplaced": ports with a LID that are linked to no switch
 *
 * Names come from the fabric and are hostile input: they are made printable
 * (names_text), the JSON has no "<" in it, so that no name can end the element
 * that it is in, and the template makes text of them and never markup.
 */
#ifndef HEDDLE_SM_REPORT_FABRIC_REPORT_H
#define HEDDLE_SM_REPORT_FABRIC_REPORT_H

#include <jansson.h>
#include <stddef.h>

#include "routing/core/routes.h"
#include "sm/base/buf.h"

/* What is special about a switch, a link or a host, a bit each. */
enum fabric_report_flag {
	FABRIC_REPORT_DRAINED = 1 << 0,
	FABRIC_REPORT_QUARANTINED = 1 << 1,
	FABRIC_REPORT_PARTIAL = 1 << 2,	  /* something could not be read */
	FABRIC_REPORT_DUPLICATE = 1 << 3, /* another one has its GUID */
	FABRIC_REPORT_INACTIVE = 1 << 4,  /* an end of it is not Active */
	FABRIC_REPORT_OURS = 1 << 5,	  /* the port of the manager */
	FABRIC_REPORT_NO_HOST = 1 << 6,	  /* an aggregation node */
	FABRIC_REPORT_LEAF = 1 << 7,	  /* a leaf switch of the tree */
};

/* All borrowed. */
struct fabric_report_facts {
	const struct routes *routes; /* verified: with the verifier's state,
					else loads read as 0 */
	const port_ix *cut_link;     /* single points of failure: an end of */
	size_t ncut_links;	     /* each link, ... */
	const sw_ix *cut_switch;     /* ... and switches */
	size_t ncut_switches;
};

/* The members above, as a new object. */
json_t *fabric_report_json(const struct fabric_report_facts *f);

/* Append the page with this object in it. */
void fabric_report_page(const json_t *report, struct buf *out);

/* The template, made by the build of fabric_report.html; ends with a zero. */
extern const char fabric_report_html[];

#endif
