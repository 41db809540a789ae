#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "sm/base/mem.h"
#include "tests/sim/serve/umadserve_int.h"

/* True if name is the node's id in the file, S- or H- and GUID, or 0xGUID. */
static bool
is_called(const struct umadserve *u, uint32_t ix, const char *name)
{
	const struct fabric_node *n = &u->o.fabric->node[ix];
	const struct sim_node *now = &u->sim->node[ix];
	char id[32];

	if (n->id && strcmp(n->id, name) == 0)
		return true;
	(void)snprintf(id, sizeof(id), "%c-%016llx",
		n->type == FABRIC_SWITCH ? 'S' : 'H',
		(unsigned long long)now->guid);
	return strcmp(id, name) == 0 ||
	       (name[0] == '0' && name[1] == 'x' &&
		       strtoull(name, NULL, 16) == now->guid);
}

/* The node that a program asks to attach to, or FABRIC_NONE. */
static uint32_t
port_find_node(const struct umadserve *u, const char *name)
{
	const struct fabric *f = u->o.fabric;

	if (*name == '\0') {
		uint32_t first = fabric_first_host(f);

		return first == FABRIC_NONE && f->nnodes ? 0 : first;
	}
	for (uint32_t i = 0; i < f->nnodes; i++)
		if (is_called(u, i, name))
			return i;
	for (uint32_t i = 0; i < f->nnodes; i++)
		if (strncmp(u->sim->node[i].desc, name,
			    sizeof(u->sim->node[i].desc)) == 0)
			return i;
	return fabric_find(f, name);
}

static void
send_answer(struct umadserve_conn *c, int error, uint32_t value,
	const struct buf *text)
{
	struct proto_answer a = {
		.head = {PROTO_ANSWER, 0},
		.magic = PROTO_MAGIC,
		.version = PROTO_VERSION,
		.error = (uint32_t)error,
		.value = value,
		.key = c->key,
		.bytes = text ? (uint32_t)text->n : 0,
	};
	struct iovec iov[2] = {{&a, sizeof(a)},
		{text ? text->text : NULL, text ? text->n : 0}};
	struct msghdr m = {.msg_iov = iov, .msg_iovlen = 2};

	a.head.size = (uint32_t)(sizeof(a) + a.bytes);
	/* the socket is new: it has room, or its peer is gone */
	(void)sendmsg(c->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static int
want_device(struct umadserve *u, struct umadserve_conn *c, uint32_t node,
	const struct proto_hello *h)
{
	struct umadserve_port *p;
	unsigned port;

	if (!umadserve_file_device(u, node, h->device, &port, &c->side))
		return ENXIO;
	if (h->want == PROTO_WANT_ISSM && c->side == UMADSERVE_GSI)
		return ENXIO;
	p = umadserve_port_get(u, node, port);
	if (!p)
		return errno;
	if (h->want == PROTO_WANT_ISSM && p->issm) {
		umadserve_port_put(p);
		return EBUSY;
	}
	c->port = p;
	if (h->want == PROTO_WANT_ISSM) {
		p->issm = c;
		sim_set_issm(p->e, true);
		return 0;
	}
	c->state = UMADSERVE_UMAD;
	c->key = rng_next(&u->keys);
	c->agent = mem_zalloc(PROTO_AGENTS, sizeof(*c->agent));
	return 0;
}

static int
want_agent(struct umadserve *u, const struct proto_hello *h, uint32_t *id)
{
	struct umadserve_conn *c = u->conns;

	while (c && (c->dead || c->state != UMADSERVE_UMAD || c->key != h->key))
		c = c->next;
	if (!c)
		return EINVAL;
	if (h->want == PROTO_WANT_REGISTER)
		return umadserve_port_register(c->port, c, &h->agent, id);
	if (h->agent.id >= PROTO_AGENTS || !c->agent[h->agent.id].used)
		return EINVAL;
	umadserve_port_unregister(&c->agent[h->agent.id]);
	return 0;
}

void
umadserve_hello(struct umadserve *u, struct umadserve_conn *c,
	const struct proto_hello *h)
{
	uint32_t node = port_find_node(u, h->host), value = 0;
	struct buf text = {0};
	int error = node == FABRIC_NONE ? ENODEV : 0;

	c->state = UMADSERVE_OTHER;
	switch (error ? 0 : h->want) {
	case PROTO_WANT_UMAD:
	case PROTO_WANT_ISSM:
		error = want_device(u, c, node, h);
		break;
	case PROTO_WANT_FILE:
		error = umadserve_file(u, node, h->path, &text, &value);
		break;
	case PROTO_WANT_REGISTER:
	case PROTO_WANT_UNREGISTER:
		error = want_agent(u, h, &value);
		break;
	default:
		break;
	}
	send_answer(c, error, value, error ? NULL : &text);
	buf_free(&text);
}
