#include "sm/audit/audit_verdict.h"

#include <inttypes.h>
#include <string.h>

#include "sm/audit/findings.h"
#include "sm/report/json_util.h"
#include "sm/report/names.h"

const char *
audit_verdict_word(enum audit_verdict v)
{
	return v == AUDIT_VERDICT_SAFE	    ? "SAFE"
	       : v == AUDIT_VERDICT_AT_RISK ? "AT RISK"
					    : "UNKNOWN";
}

/* The number of findings of a severity; kind: of this kind, or NULL for any. */
static unsigned
count_findings(const json_t *findings, const char *severity, const char *kind)
{
	unsigned n = 0;
	const json_t *e;
	size_t i;

	json_array_foreach(findings, i, e)
	{
		bool is = strcmp(json_util_text(e, "severity"), severity) == 0;

		n += is && (kind == NULL || strcmp(json_util_text(e, "kind"),
						    kind) == 0);
	}
	return n;
}

/* What packets are at risk of, the gravest first; "" if none is. */
static void
put_losses(
	const struct audit_judged *j, const json_t *findings, struct buf *what)
{
	unsigned faults = count_findings(findings, "fault", NULL);
	unsigned loops = count_findings(findings, "fault", "deadlock");

	if (j->unreachable.nvictims > 0)
		buf_printf(what, "packets to %" PRIu32 " host%s do not arrive",
			j->unreachable.nvictims,
			names_plural(j->unreachable.nvictims));
	else if (faults > loops)
		buf_printf(what, "packets do not arrive as they should");
	if (loops > 0)
		buf_printf(what, "%sthis fabric can deadlock",
			what->n > 0 ? ", and " : "");
	if (what->n > 0)
		return;
	if (count_findings(findings, "risk", "deadlock") > 0)
		buf_printf(what, "a deadlock cannot be ruled out");
	else if (count_findings(findings, "risk", "unreachable") > 0)
		buf_printf(what, "switches do not reach each other's own "
				 "ports; no packets of hosts are lost");
	else if (count_findings(findings, "risk", "choice") > 0)
		buf_printf(what, "switches may choose ports by which packets "
				 "do not arrive");
	else if (count_findings(findings, "risk", NULL) > 0)
		buf_printf(what, "switches forward by more than the tables "
				 "that were judged");
}

enum audit_verdict
audit_verdict_of(
	const struct audit_judged *j, const json_t *findings, struct buf *what)
{
	unsigned unknown = count_findings(findings, "unknown", NULL);

	put_losses(j, findings, what);
	if (what->n > 0) {
		if (unknown > 0)
			buf_printf(what, "; not everything could be read");
		return AUDIT_VERDICT_AT_RISK;
	}
	if (j->found.report.pairs == 0) {
		buf_printf(what, "nothing in this fabric carries traffic");
		return AUDIT_VERDICT_UNKNOWN;
	}
	if (unknown > 0) {
		buf_printf(what, "no fault in what was read, but not "
				 "everything could be");
		return AUDIT_VERDICT_UNKNOWN;
	}
	buf_printf(what, "every pair reaches, nothing loops, no deadlock is "
			 "possible");
	return AUDIT_VERDICT_SAFE;
}
