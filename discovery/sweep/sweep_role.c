#include "discovery/sweep/sweep_priv.h"
#include "sm/mad/mad_role.h"

void
sweep_role_ask(struct sweep *s, builder_id n)
{
	struct sweep_node *w = sweep_node(s, n);

	if (w->role || !builder_wants_role(s->d, n, s->kind == SWEEP_FULL))
		return;
	w->role = true;
	sweep_queue(s, JOB_ROLE, n, 0);
}

/*
 * Silence says nothing: what was told before stays. Something else under this
 * number is no role, and whoever told one before has forgotten it.
 */
void
sweep_role_got(struct sweep *s, builder_id n, const struct xact_result *res)
{
	struct builder_node *node = s->d->node[n];
	struct mad_role role;
	struct reason why;
	char name[96];
	bool bad;

	if (res->outcome == XACT_TIMEOUT) {
		if (node->role_state == BUILDER_ROLE_UNASKED)
			node->role_state = BUILDER_ROLE_SILENT;
		return;
	}
	node->role = MAD_ROLE_NONE;
	node->flags &= (uint8_t)~TN_BAD_ROLE;
	if (res->outcome != XACT_OK) {
		node->role_state = BUILDER_ROLE_REFUSED;
		return;
	}
	bad = mad_role_decode(res->data, &role, &why) != 0;
	if (bad && node->role_state != BUILDER_ROLE_BAD)
		builder_add_oddity(
			s->d, "%s: %s", builder_name(s->d, n, name), why.text);
	node->role_state = bad ? BUILDER_ROLE_BAD : BUILDER_ROLE_TOLD;
	if (bad)
		node->flags |= TN_BAD_ROLE;
	else
		node->role = role.role;
}
