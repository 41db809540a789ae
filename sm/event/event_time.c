#include "sm/event/event_time.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* The last microsecond of the year 9999. */
#define LATEST 253402300799.0

void
event_time_print(double seconds, char out[EVENT_TIME_TEXT])
{
	time_t when;
	unsigned us;
	struct tm tm;
	size_t n;

	seconds = seconds > 0 ? seconds : 0;
	seconds = seconds < LATEST ? seconds : LATEST;
	when = (time_t)seconds;
	us = (unsigned)((seconds - (double)when) * 1e6 + 0.5);
	when += us / 1000000;
	(void)gmtime_r(&when, &tm);
	n = strftime(out, EVENT_TIME_TEXT, "%Y-%m-%dT%H:%M:%S", &tm);
	(void)snprintf(out + n, EVENT_TIME_TEXT - n, ".%06uZ", us % 1000000);
}

/* So many digits at *text, which is moved behind them and a mark. */
static bool
take_number(const char **text, unsigned digits, char mark, int *out)
{
	*out = 0;
	while (digits-- > 0) {
		if (**text < '0' || **text > '9')
			return false;
		*out = *out * 10 + (*(*text)++ - '0');
	}
	return *(*text)++ == mark;
}

bool
event_time_read(const char *text, size_t n, double *seconds)
{
	char copy[EVENT_TIME_TEXT];
	const char *s = copy;
	struct tm tm = {0};
	int us;

	if (n != sizeof(copy) - 1)
		return false;
	memcpy(copy, text, n);
	copy[n] = '\0';
	if (!take_number(&s, 4, '-', &tm.tm_year) ||
		!take_number(&s, 2, '-', &tm.tm_mon) ||
		!take_number(&s, 2, 'T', &tm.tm_mday) ||
		!take_number(&s, 2, ':', &tm.tm_hour) ||
		!take_number(&s, 2, ':', &tm.tm_min) ||
		!take_number(&s, 2, '.', &tm.tm_sec) ||
		!take_number(&s, 6, 'Z', &us))
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	*seconds = (double)timegm(&tm) + us / 1e6;
	return true;
}
