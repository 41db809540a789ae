#include "sm/audit/auditor.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "sm/audit/audit.h"
#include "sm/audit/audit_json.h"
#include "sm/audit/audit_page.h"
#include "sm/base/log.h"
#include "sm/base/loop.h"
#include "sm/transport/umad.h"

enum { RECEIVE_BATCH = 256 };

struct auditor {
	struct loop *loop;
	struct loop_timer *tick;
	struct loop_wake *inbox;
	struct loop_signal *end[2];
	struct umad *umad;
	struct audit *audit;
	const char *doing; /* as logged last */
	bool ended;	   /* by a signal */
};

static void
stop_or_rearm(struct auditor *x)
{
	const char *doing = audit_doing(x->audit), *why;

	if (doing != x->doing)
		log_info("audit: %s", doing);
	x->doing = doing;
	if (audit_done(x->audit, &why))
		loop_stop(x->loop);
	else
		loop_timer_set(x->tick, audit_next(x->audit));
}

static void
on_wire(void *cookie)
{
	struct auditor *x = cookie;

	loop_wake_send(x->inbox);
}

static void
on_inbox(void *cookie, struct mono now)
{
	struct auditor *x = cookie;
	struct transport_msg m;
	int n = 0;

	while (n < RECEIVE_BATCH && umad_next(x->umad, &m) != 0) {
		audit_receive(x->audit, &m, now);
		free(m.body);
		n++;
	}
	if (n == RECEIVE_BATCH)
		loop_wake_send(x->inbox);
	stop_or_rearm(x);
}

static void
on_tick(void *cookie, struct mono now)
{
	struct auditor *x = cookie;

	audit_tick(x->audit, now);
	stop_or_rearm(x);
}

static void
on_end(void *cookie, struct mono now)
{
	struct auditor *x = cookie;

	(void)now;
	x->ended = true;
	loop_stop(x->loop);
}

static int
print_report(json_t *report, enum audit_verdict v, bool json)
{
	struct buf page = {0};

	if (json) {
		(void)json_dumpf(
			report, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9));
		(void)putchar('\n');
	} else {
		audit_page(report, &page);
		(void)fputs(page.text, stdout);
		buf_free(&page);
	}
	json_decref(report);
	if (fflush(stdout) != 0)
		return AUDIT_VERDICT_UNKNOWN;
	return (int)v;
}

static int
print_failure(const char *why, bool json)
{
	log_error("audit: %s", why);
	return print_report(
		audit_json_failed(why), AUDIT_VERDICT_UNKNOWN, json);
}

static int
run_audit(struct auditor *x, bool json)
{
	enum audit_verdict v;
	const char *why;
	json_t *report;

	audit_start(x->audit, loop_now());
	stop_or_rearm(x);
	loop_run(x->loop);
	if (x->ended)
		return print_failure("a signal ended the audit", json);
	if (!audit_done(x->audit, &why) || *why != '\0')
		return print_failure(why, json);
	report = audit_report(x->audit, &v);
	return print_report(report, v, json);
}

int
auditor_run(const struct config *c, bool json)
{
	struct auditor x = {.loop = loop_new()};
	struct umad_port_name port;
	int ret = AUDIT_VERDICT_UNKNOWN;
	struct reason why;

	(void)signal(SIGPIPE, SIG_IGN);
	log_set_level((enum log_level)c->log.level);
	if (x.loop == NULL)
		return ret;
	x.inbox = loop_wake_new(x.loop, on_inbox, &x);
	x.tick = loop_timer_new(x.loop, on_tick, &x);
	x.end[0] = loop_signal_new(x.loop, SIGTERM, on_end, &x);
	x.end[1] = loop_signal_new(x.loop, SIGINT, on_end, &x);
	x.umad = umad_open(c->fabric.port, false, on_wire, &x, &port, &why);
	if (x.umad != NULL) {
		x.audit = audit_new(c, umad_transport(x.umad));
		ret = run_audit(&x, json);
		audit_free(x.audit);
	} else {
		ret = print_failure(why.text, json);
	}
	umad_shutdown(x.umad);
	for (size_t i = 0; i < 2; i++)
		loop_signal_free(x.end[i]);
	loop_timer_free(x.tick);
	loop_wake_free(x.inbox);
	loop_free(x.loop);
	return ret;
}
