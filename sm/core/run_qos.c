#include "sm/core/run_qos.h"

#include <stdio.h>
#include <string.h>

#include "sm/core/sm_priv.h"

void
run_qos_renew(const struct sm *sm, struct view *v)
{
	v->qos = qos_make(sm->cfg, v->topo, &v->routes->layers, sm->names.pins);
	qos_settle(v->qos, sm->hw);
}

bool
run_qos_settle(struct sm *sm)
{
	qos_settle(sm->run.qos, sm->hw);
	return sm->view == NULL || sm->view->qos == NULL ||
	       !qos_same(sm->view->qos, sm->run.qos);
}

static void
log_layers(const char *text, char logged[VIEW_SLVL_SHORT])
{
	if (log_is_news(logged, VIEW_SLVL_SHORT, text))
		log_warn("routing layers: %s", text);
}

void
run_qos_log_layers(struct sm *sm)
{
	const struct routes *r = sm->view->routes;
	char text[VIEW_SLVL_SHORT] = "";

	view_slvl_why_few(sm->cfg, r, text, sizeof(text));
	log_layers(text, sm->logged.few_layers);
	(void)view_slvl_why_shared(sm->cfg, r, text, sizeof(text));
	log_layers(text, sm->logged.shared_vls);
}

void
run_qos_review(struct sm *sm)
{
	const char *text = sm->run.qos->shortage;

	run_qos_log_layers(sm);
	if (log_is_news(sm->stat.shortage, sizeof(sm->stat.shortage), text))
		log_error("qos: %s", text);
}
