/*
 * cabling_read: a plan as a text. Its form is told by its content, not by the
 * name of the file:
 *
 *	ibnetdiscover's output, or ibsim's net files: discovery/text reads them.
 *	GUIDs, names, types, widths and speeds.
 *
 *	NDT, the CSV that UFM's NDT plugin takes: a line of column names, of
 *	which StartDevice, StartPort, EndDevice, EndPort and LinkType are read,
 *	then a line a link. A port is "Port 7" or "7" of a switch, "Blade
 *	3_Port 1/7" of a director (leaf 3, ASIC 1, port 7), or a host's adapter,
 *	"node07 mlx5_0" or "mlx5_0", which names a node of its own. A device
 *	may be a GUID. It tells neither types nor speeds.
 *
 * A byte order mark and the line ends of Windows are allowed in both.
 */
#ifndef HEDDLE_SM_CABLING_CABLING_READ_H
#define HEDDLE_SM_CABLING_CABLING_READ_H

#include <stddef.h>

#include "sm/base/reason.h"
#include "sm/cabling/cabling.h"

/* Read a plan of n bytes, with a zero behind them; source is its name in
 * messages. NULL and "source:line:column: ...". Free it with cabling_free. */
struct cabling *cabling_read(
	const char *text, size_t n, const char *source, struct reason *why);

/* The same of a file. */
struct cabling *cabling_read_file(const char *path, struct reason *why);

/* cabling_ndt.c: whether a text without a byte order mark looks like NDT, and
 * the same as cabling_read for it. */
bool cabling_is_ndt(const char *text, size_t n);
struct cabling *cabling_read_ndt(
	const char *text, size_t n, const char *source, struct reason *why);

#endif
