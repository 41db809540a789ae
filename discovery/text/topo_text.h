/*
 * topo_text: topologies as text. Prints the format of ibnetdiscover, which
 * every site's scripts read, and reads it back (also ibsim's net files), for
 * plans without a fabric.
 *
 * Folder discovery/text: text <-> topologies. Callers: sm/report (the topology
 * command) and sm/what_if (plans from files). Read next:
 * discovery/builder/builder.h, by which a topology is built from text.
 */
#ifndef HEDDLE_DISCOVERY_TEXT_TOPO_TEXT_H
#define HEDDLE_DISCOVERY_TEXT_TOPO_TEXT_H

#include "discovery/builder/builder.h"
#include "discovery/topo.h"
#include "sm/base/buf.h"
#include "sm/base/reason.h"

/* Append t as ibnetdiscover prints a fabric. */
void topo_text_print_ibnetdiscover(const struct topo *t, struct buf *out);

/*
 * Read ibnetdiscover output or an ibsim net file of n bytes, all components of
 * the fabric, ours first; name is for error messages. LIDs in the text become
 * found_lid. The first CA (or the node named in the header) is taken as ours.
 * vl_cap: the VLCap of all ports, a code of PortInfo, which no text tells.
 * 0, or -1 and "name:line:col: ..." on errors; lines that captures really
 * contain (time-outs before the header) are skipped.
 */
int topo_text_parse_pieces(const char *text, size_t n, const char *name,
	uint8_t vl_cap, struct builder_components *out, struct reason *why);

#endif
