/*
 * file: files read whole, files replaced whole, and directories that the daemon
 * needs and may have to make. A file that must be a regular one is opened with
 * O_NONBLOCK, since a FIFO would hang before it is seen to be none; a text of
 * heddlectl may be a pipe. Errors are errno's, for the caller knows what the
 * file is.
 */
#ifndef HEDDLE_SM_BASE_FILE_H
#define HEDDLE_SM_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "sm/base/buf.h"
#include "sm/base/reason.h"

/*
 * Read a regular file into *text (free it), a zero byte behind it: the length,
 * which is at most the given one (a caller with a limit asks for one byte more
 * and sees that there is more). -1 and errno, *text NULL; for anything but a
 * regular file that is EISDIR or EINVAL.
 */
ssize_t file_read_regular(int fd, size_t most, char **text);

/*
 * Read a text to its end, from a file or a pipe, into *text (free it), a zero
 * byte behind it: its length. There is no limit, since tables of a large fabric
 * have gigabytes; what has a zero byte is no text, so that a device without an
 * end is refused. -1 and errno (EILSEQ: not a text), *text NULL.
 */
ssize_t file_read_text(int fd, char **text);

/*
 * Read the first line of a file of the kernel's (/proc, /sys) into the size
 * bytes at text, without its end. False: it cannot be read, or is empty.
 */
bool file_read_line(const char *path, char *text, size_t size);

/*
 * Write text to file atomically, for all users to read: a reader sees the old
 * text or the new one, whole. What is there and is no regular file, a device or
 * a pipe, is left as it is. 0, or -1 and why.
 */
int file_replace(const char *file, const struct buf *text, struct reason *why);

/*
 * Make directory dir and its missing parents, mode 0755 less the umask. 0 when
 * it exists, -1 with why (NULL allowed).
 */
int file_make_dirs(const char *dir, struct reason *why);

/* The same for the directory that file is in. */
int file_make_parent(const char *file, struct reason *why);

#endif
