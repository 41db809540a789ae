#include "config/adaptive_check.h"

#include "config/qos_options.h"

void
adaptive_check(
	const struct config *c, const struct section *keys, struct diag_list *d)
{
	const struct section_key *by =
		schema_section_find(keys, "routing.adaptive.by");
	const struct section_key *lmc =
		schema_section_find(keys, "fabric.lmc.hosts");

	struct diag *e;

	if (!qos_adaptive_by_lid(c) || c->fabric.lmc.hosts > 0)
		return;
	e = diag_add(d, by->at, "conflict", by->name,
		"routing.adaptive.by: lid needs a second LID at each host: "
		"fabric.lmc.hosts is 0, and has to be 1 or more");
	if (lmc->at.line > 0)
		diag_note(d, e, lmc->at, "it is given here");
}
