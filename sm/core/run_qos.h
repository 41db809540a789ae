/*
 * run_qos: service levels on their way from the configuration to the view:
 * made by the worker when there are routes, settled when the push is over.
 */
#ifndef HEDDLE_SM_CORE_RUN_QOS_H
#define HEDDLE_SM_CORE_RUN_QOS_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/view/view.h"

struct sm;
struct view;

/* For a view that has another topology: nodes may have other names. */
void run_qos_renew(const struct sm *sm, struct view *v);
/* The push is over: enter what is written; true: the view differs. */
bool run_qos_settle(struct sm *sm);
/* Log why there are fewer layers than asked for, and where they share VLs, when
 * it has changed. */
void run_qos_log_layers(struct sm *sm);
/* A shortage of VLs: log, status, alarm. */
void run_qos_review(struct sm *sm);

#endif
