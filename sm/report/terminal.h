/*
 * terminal: text for a person at a terminal. Lines longer than the terminal are
 * broken at blanks, and go on below the column where their text begins; lines
 * of an alarm are red. Elsewhere text goes out as it is: scripts read it line
 * by line.
 */
#ifndef HEDDLE_SM_REPORT_TERMINAL_H
#define HEDDLE_SM_REPORT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "sm/base/buf.h"

/* Columns that a text of UTF-8 takes. */
size_t terminal_columns(const char *s);

/* Append s, and blanks up to width columns. */
void terminal_put_padded(const char *s, size_t width, struct buf *out);

/* Append text, broken at width columns (0: not at all), and with colours. */
void terminal_format(
	const char *text, unsigned width, bool colours, struct buf *out);

#endif
