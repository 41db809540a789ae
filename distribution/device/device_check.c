#include "distribution/device/device_check.h"

#include <stdio.h>
#include <stdlib.h>

#include "distribution/device/device_read.h"
#include "distribution/tables/port_settings.h"
#include "sm/base/map.h"
#include "sm/base/mem.h"
#include "sm/mad/mad.h"

struct check {
	struct topo *topo;
	struct device_check_job job;
	struct device_read *read;
	struct map port0; /* switches that hold something else, by GUID: 1 if
			     their port 0 does, too */
	struct device_check_item *wrong;
	size_t nwrong, capwrong;
};

static void take_answer(void *self, const struct device_job *job,
	enum device_verdict v, const struct xact_result *res);

/* Blocks that their owner reads when they are in doubt. */
static bool
is_read_by_owner(const struct device_at *at)
{
	return device_attribute[at->attr].doubts != DEVICE_CHECKS;
}

static bool
is_in_doubt(const struct check *c, const struct device_check_item *i)
{
	const struct device_doubt *d;
	size_t n, k;

	d = device_doubts(c->job.hw, &n);
	for (k = 0; k < n; k++)
		if (!is_read_by_owner(&i->at) &&
			device_at_equal(d[k].at, i->at))
			return true;
	return false;
}

/* Nothing is added of nodes that are absent or quarantined. */
static void
add_item(struct check *c, const struct device_check_item *i)
{
	node_ix n = topo_by_node_guid(c->topo, i->at.guid);

	if (n == TOPO_NONE || (c->topo->node[n].flags & TN_QUARANTINED) != 0 ||
		is_read_by_owner(&i->at) ||
		i->at.port > c->topo->node[n].nports)
		return;
	device_read_add(
		c->read, &(struct device_job){
				 .port = topo_port_of(c->topo, n, i->at.port),
				 .attr = i->at.attr,
				 .block = i->at.block,
				 .mode = DEVICE_READ_COMPARE,
				 .why = (uint8_t)i->why});
}

struct check *
device_check_new(struct topo *t, const struct device_check_job *job)
{
	struct check *c = mem_zalloc(1, sizeof(*c));
	const struct device_doubt *d;
	size_t n, i;

	c->topo = topo_ref(t);
	c->job = *job;
	c->read = device_read_new(&(struct device_reading){.topo = t,
		.hw = job->hw,
		.x = job->x,
		.taken = take_answer,
		.self = c});
	d = device_doubts(job->hw, &n);
	for (i = 0; i < n; i++)
		if (!is_read_by_owner(&d[i].at) &&
			(device_bytes(job->hw, d[i].at) == NULL ||
				device_is_threatened(job->hw, &d[i])))
			add_item(c, &(struct device_check_item){.at = d[i].at,
					    .why = DEVICE_CHECK_DOUBT});
	for (i = 0; i < job->n; i++)
		if (!is_in_doubt(c, &job->item[i]))
			add_item(c, &job->item[i]);
	return c;
}

void
device_check_free(struct check *c)
{
	if (c == NULL)
		return;
	device_read_free(c->read);
	topo_unref(c->topo);
	map_free(&c->port0);
	free(c->wrong);
	free(c);
}

void
device_check_stop(struct check *c, struct mono now)
{
	device_read_stop(c->read, now);
}

bool
device_check_done(const struct check *c)
{
	return device_read_done(c->read);
}

const struct device_check_item *
device_check_wrong(const struct check *c, size_t *n)
{
	*n = c->nwrong;
	return c->wrong;
}

/* ---- answers ---- */

/* Whether the block is empty, as in a switch that has just started. */
static bool
is_blank_block(const uint8_t *data)
{
	size_t i = 1;

	while (i < LFT_BLOCK && data[i] == data[0])
		i++;
	return i == LFT_BLOCK && (data[0] == 0 || data[0] == 255);
}

/* The address that another manager gave the port, or NULL. */
static const char *
other_address(const struct mad_port_info *is, const struct mad_port_info *was)
{
	if (is->lid != was->lid || is->lmc != was->lmc)
		return "LID";
	if (is->sm_lid != was->sm_lid)
		return "SM LID";
	if (is->gid_prefix != was->gid_prefix)
		return "GID prefix";
	if (is->mkey != was->mkey)
		return "M_Key";
	return NULL;
}

/*
 * A port that is up acknowledged an MTU or VLs and holds others: it keeps them,
 * since they change only where a link comes up.
 */
static void
record_link(const struct check *c, port_ix p, const struct mad_port_info *is,
	const struct mad_port_info *was)
{
	const struct topo_port *port = &c->topo->port[p];
	uint32_t link =
		port_settings_link(port_settings_differ(c->topo, p, is, was));
	struct device_kept k = {.guid = c->topo->node[port->node].guid,
		.port = port->num,
		.want = *is,
		.held = *is};

	if (link == 0)
		return;
	port_settings_copy(link, was, &k.want);
	device_set_kept(c->job.hw, &k);
}

/* A copy of a Set may have changed any setting; a device of its own accord only
 * those that are not its own. */
static bool
has_other_settings(const struct check *c, port_ix p, enum device_check_why why,
	const struct mad_port_info *is, const struct mad_port_info *was)
{
	uint32_t fields = port_settings_differ(c->topo, p, is, was);

	if (why != DEVICE_CHECK_DOUBT)
		fields = port_settings_needed(fields);
	return fields != 0;
}

/*
 * Whether the port has at least the state it had, unless it was still coming
 * up, the addresses that it was given, and the settings that it acknowledged.
 */
static bool
port_matches(const struct check *c, port_ix p, struct device_check_item *i,
	const uint8_t *data)
{
	bool owner = topo_has_lid(c->topo, p);
	uint8_t state = c->topo->port[p].state; /* ActiveDefer is Active */
	struct mad_port_info is, was;

	if (mad_port_info_decode(data, &is, NULL) != 0 ||
		mad_port_info_decode(topo_info(c->topo, p), &was, NULL) != 0)
		return true;
	/* a PortInfo from before it got its LID proves nothing */
	if (owner && was.lid != c->topo->port[p].lid)
		return true;
	if (state < PORT_ARMED && !owner)
		return true;
	i->field = owner ? other_address(&is, &was) : NULL;
	if (is.state < state && state >= PORT_ARMED)
		i->field = NULL; /* it restarted */
	else if (i->field == NULL &&
		 has_other_settings(c, p, i->why, &is, &was))
		/* a link that came up anew has reset them */
		i->field = is.state < PORT_ARMED ? NULL : "settings";
	else if (i->field == NULL)
		return true;
	i->empty = owner && is.lid == 0;
	if (i->why == DEVICE_CHECK_ACKED && is.state >= PORT_ARMED)
		record_link(c, p, &is, &was);
	return false;
}

/*
 * A switch that restarted after it acknowledged holds something else, and its
 * port 0 has no LID. A Get that leaves now sees that in every case.
 */
static void
ask_for_restart(struct check *c, const struct device_check_item *i)
{
	if (map_get(&c->port0, i->at.guid, NULL))
		return;
	map_put(&c->port0, i->at.guid, 0);
	add_item(
		c, &(struct device_check_item){
			   .at = device_at_port(i->at.guid, 0), .why = i->why});
}

/* True if port 0 of this switch was asked twice and differed before. */
static bool
is_known_port0(struct check *c, const struct device_check_item *i)
{
	uint32_t known = 0;

	if (i->at.attr != DEVICE_PORT_INFO || i->at.port != 0)
		return false;
	(void)map_get(&c->port0, i->at.guid, &known);
	map_put(&c->port0, i->at.guid, 1);
	return known != 0;
}

static void
take_answer(void *self, const struct device_job *job, enum device_verdict v,
	const struct xact_result *res)
{
	struct check *c = self;
	struct device_check_item i = {
		.at = device_read_at(c->read, job), .why = job->why};
	bool ok = v != DEVICE_DIFFERS;

	/* silence proves nothing; the sweep finds silent switches */
	if (v == DEVICE_NO_ANSWER || v == DEVICE_CANCELLED)
		return;
	if (job->attr == DEVICE_LFT)
		i.empty = !ok && is_blank_block(res->data);
	else if (job->attr == DEVICE_PORT_INFO)
		ok = port_matches(c, job->port, &i, res->data);
	else if (job->attr == DEVICE_SWITCH_INFO)
		ok = !c->job.switch_differs(
			c->job.cookie, i.at.guid, res->data);
	if (ok || is_known_port0(c, &i))
		return;
	if (i.why == DEVICE_CHECK_DOUBT && job->attr == DEVICE_SL2VL &&
		topo_port_switch(c->topo, job->port) != TOPO_NONE)
		blocked_rows_found(device_blocked(c->job.hw), i.at.guid,
			i.at.block, i.at.port, res->data, res->now);
	if (i.at.attr != DEVICE_PORT_INFO)
		ask_for_restart(c, &i);
	c->wrong =
		mem_grow(c->wrong, c->nwrong, &c->capwrong, sizeof(*c->wrong));
	c->wrong[c->nwrong++] = i;
}

void
device_check_feed(struct check *c, struct mono now)
{
	device_read_feed(c->read, now);
}

void
device_check_item_text(const struct device_check_item *i, char *out, size_t n)
{
	if (i->at.attr == DEVICE_LFT)
		(void)snprintf(
			out, n, "forwarding table block %u", i->at.block);
	else if (i->at.attr == DEVICE_SL2VL)
		(void)snprintf(out, n, "the SL2VL row from port %u to port %u",
			i->at.block, i->at.port);
	else if (i->at.attr == DEVICE_SWITCH_INFO)
		(void)snprintf(out, n, "SwitchInfo");
	else if (i->at.attr == DEVICE_AR_INFO)
		(void)snprintf(out, n, "adaptive routing as a whole");
	else if (i->at.attr == DEVICE_AR_GROUP)
		(void)snprintf(out, n, "adaptive group %u", i->at.block);
	else if (i->at.attr == DEVICE_AR_LFT)
		(void)snprintf(
			out, n, "block %u of adaptive entries", i->at.block);
	else
		(void)snprintf(out, n, "%s%s%sport %u",
			i->field != NULL ? "the " : "",
			i->field != NULL ? i->field : "",
			i->field != NULL ? " of " : "", i->at.port);
}
