/*
 * alarm_kind: the alarms that there are, as a table. An alarm is on while
 * something is wrong that an administrator should act on. Its name in events
 * and metrics and its entry in heddle-events(7) are made from its row.
 * sm/core/alarm.h and sm/report/status_json.h know when it is on.
 */
#ifndef HEDDLE_SM_EVENT_ALARM_KIND_H
#define HEDDLE_SM_EVENT_ALARM_KIND_H

#include <stdbool.h>

enum alarm_kind {
	/* of the core */
	ALARM_OWN_LINK,
	ALARM_RUN,
	ALARM_BLOCKED,
	ALARM_TAKEN,
	ALARM_SM_KEY,
	ALARM_MASTERS,
	ALARM_DRIFT,
	ALARM_PORT,
	ALARM_SETTINGS,
	ALARM_M_KEYS,
	ALARM_ADAPTIVE,
	ALARM_MULTICAST,
	ALARM_NAMES,
	ALARM_P_KEYS,
	ALARM_VLS,
	ALARM_DRAINS,
	ALARM_CORE_KINDS,
	/* of the view and of the daemon */
	ALARM_NO_PORT = ALARM_CORE_KINDS,
	ALARM_QUARANTINE,
	ALARM_CONFIGURATION,
	ALARM_CABLING,
	ALARM_STATE,
	ALARM_KINDS
};

struct alarm_row {
	const char *name; /* "own-link"; final */
	bool page;	  /* it cannot wait for a working day */
	const char *help; /* what is wrong, for the manual */
	const char *next; /* what to do about it, for the manual */
};

/* What is known of an alarm. */
const struct alarm_row *alarm_kind_row(enum alarm_kind kind);

#endif
