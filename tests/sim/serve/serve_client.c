#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sm/base/be.h"
#include "tests/sim/serve/serve_int.h"

enum { SOCKET_BUFFER = 4 << 20 };

static void on_ctl(void *cookie, unsigned events, struct mono now);

/* A datagram socket NAME:what. */
static int
bind_socket(struct serve *s, const char *what, int *fd, struct reason *why)
{
	struct sockaddr_un a;
	socklen_t n = ibsimwire_address(s->name, what, &a);
	int size = SOCKET_BUFFER;

	if (n == 0)
		return reason_set(why, "the name \"%s\" is too long", s->name);
	*fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (*fd < 0)
		return reason_set(why, "no socket: %s", strerror(errno));
	(void)setsockopt(*fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	if (bind(*fd, (const struct sockaddr *)&a, n) < 0)
		return reason_set(why, "cannot bind \"%s:%s\": %s%s", s->name,
			what, strerror(errno),
			errno == EADDRINUSE ? " (another simulator runs)" : "");
	return 0;
}

int
serve_client_open(struct serve *s, struct reason *why)
{
	char what[16];

	if (bind_socket(s, "ctl", &s->ctl_fd, why))
		return -1;
	s->ctl_watch = loop_fd_new(s->loop, s->ctl_fd, LOOP_READ, on_ctl, s);
	for (int i = 0; i < SERVE_CLIENTS; i++) {
		struct serve_client *c = &s->client[i];

		c->s = s;
		(void)snprintf(what, sizeof(what), "out%d", i);
		if (bind_socket(s, what, &c->fd, why))
			return -1;
	}
	return 0;
}

void
serve_client_close(struct serve *s)
{
	for (int i = 0; i < SERVE_CLIENTS; i++) {
		struct serve_client *c = &s->client[i];

		if (c->used)
			serve_client_drop(c);
		if (c->fd >= 0)
			(void)close(c->fd);
	}
	loop_fd_free(s->ctl_watch);
	if (s->ctl_fd >= 0)
		(void)close(s->ctl_fd);
}

struct serve_client *
serve_client_sm(struct serve *s, const struct serve_place *p)
{
	for (int i = 0; i < SERVE_CLIENTS; i++) {
		struct serve_client *c = &s->client[i];

		if (c->used && c->issm && c->place == p)
			return c;
	}
	return NULL;
}

static bool
node_has_sm(const struct serve *s, uint32_t node)
{
	for (int i = 0; i < SERVE_CLIENTS; i++) {
		const struct serve_client *c = &s->client[i];

		if (c->used && c->issm && c->place->node == node)
			return true;
	}
	return false;
}

static void
set_issm(struct serve_client *c, bool on)
{
	if (c->issm == on)
		return;
	c->issm = on;
	sim_set_issm(c->place->e, on);
}

/*
 * The socket stays connected: to disconnect it would be an error for the peer.
 */
void
serve_client_drop(struct serve_client *c)
{
	set_issm(c, false);
	loop_fd_free(c->watch);
	c->watch = NULL;
	c->used = false;
	serve_data_forget(c);
	serve_place_put(c->place);
	c->place = NULL;
}

/* True if a client's input socket still exists. */
static bool
is_alive(const struct serve_client *c)
{
	char what[24];
	struct sockaddr_un a;
	socklen_t n;
	int fd, rc;

	(void)snprintf(what, sizeof(what), "in%u", c->pid);
	n = ibsimwire_address(c->s->name, what, &a);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return true;
	/* a live one refuses too, as it is connected to us, but with another
	 * errno */
	rc = connect(fd, (const struct sockaddr *)&a, n);
	n = rc < 0 && errno == ECONNREFUSED;
	(void)close(fd);
	return !n;
}

void
serve_client_bury(struct serve *s)
{
	for (int i = 0; i < SERVE_CLIENTS; i++) {
		if (s->client[i].used && !is_alive(&s->client[i]))
			serve_client_drop(&s->client[i]);
	}
}

/* The default port of a host, if SIM_HOST names none. */
static unsigned
usual_port(const struct serve *s, uint32_t node)
{
	const struct fabric_node *n = &s->f->node[node];

	for (unsigned p = 1; p <= n->nports; p++) {
		if (fabric_port(s->f, node, p)->cable != FABRIC_NONE)
			return p;
	}
	return 1;
}

/* A free record, the one unused longest first. */
static struct serve_client *
free_client(struct serve *s)
{
	for (unsigned i = 0; i < SERVE_CLIENTS; i++) {
		unsigned n = (s->next_client + i) % SERVE_CLIENTS;

		if (!s->client[n].used) {
			s->next_client = n + 1;
			return &s->client[n];
		}
	}
	return NULL;
}

static int
connect_to_client(struct serve *s, struct serve_client *c, uint32_t pid)
{
	char what[24];
	struct sockaddr_un a;
	socklen_t n;

	(void)snprintf(what, sizeof(what), "in%u", pid);
	n = ibsimwire_address(s->name, what, &a);
	/* connected both ways: no limit of the queue, no messages of others */
	return connect(c->fd, (const struct sockaddr *)&a, n);
}

static bool
connect_client(struct serve *s, struct ibsimwire_ctl *ctl,
	const struct sockaddr_un *from, socklen_t from_len)
{
	struct ibsimwire_connect info;
	struct serve_client *c;
	uint32_t node = 0;
	unsigned port = 0;

	ibsimwire_connect_decode(ctl->data, &info);
	serve_client_bury(s);
	if (info.nodeid[0])
		node = serve_node_port(s, info.nodeid, &port);
	if (node == FABRIC_NONE || (info.issm && node_has_sm(s, node)))
		return false;
	if (s->f->node[node].type == FABRIC_SWITCH)
		port = 0;
	else if (port == 0)
		port = usual_port(s, node);
	c = free_client(s);
	if (!c || connect_to_client(s, c, info.id))
		return false;
	c->place = serve_place_get(s, node, port);
	if (!c->place)
		return false;
	c->used = true;
	c->pid = info.id;
	c->from = *from;
	c->from_len = from_len;
	c->received = c->sent = c->dropped = c->garbage = 0;
	c->watch =
		loop_fd_new(s->loop, c->fd, LOOP_READ, serve_data_readable, c);
	set_issm(c, info.issm != 0);
	info.id = (uint32_t)(c - s->client);
	serve_node_id(s, node, info.nodeid, sizeof(info.nodeid));
	ibsimwire_connect_encode(&info, ctl->data);
	return true;
}

static void
read_attr(const struct serve_client *c, uint16_t attr, uint32_t mod, uint8_t *d)
{
	memset(d, 0, MAD_DATA);
	(void)sim_read(c->s->sim, c->place->node, c->place->port, attr, mod, d);
}

static void
get_vendor(const struct serve_client *c, uint8_t *d)
{
	struct mad_node_info ni = {0};
	uint32_t v[4] = {0};
	uint64_t firmware = 1;

	read_attr(c, MAD_NODE_INFO, 0, d);
	(void)mad_node_info_decode(d, &ni, NULL);
	v[0] = ni.vendor;
	v[1] = ni.device;
	v[2] = ni.revision;
	memset(d, 0, IBSIMWIRE_DATA);
	memcpy(d, v, sizeof(v));
	memcpy(d + sizeof(v), &firmware, sizeof(firmware));
}

static void
get_port(const struct serve_client *c, uint8_t *d)
{
	const struct mad_port_info *pi =
		sim_port_info(c->s->sim, c->place->node, c->place->port);

	memset(d, 0, IBSIMWIRE_DATA);
	memcpy(d, &pi->lid, sizeof(pi->lid));
	d[2] = pi->state;
}

/* A GID, or the GUID in its second half, which is in the host's order. */
static void
get_gid(const struct serve_client *c, bool whole, uint8_t *d)
{
	const struct serve_place *p = c->place;
	const struct fabric_node *n = &c->s->f->node[p->node];

	memset(d, 0, IBSIMWIRE_DATA);
	be_put64(d, sim_port_info(c->s->sim, p->node, p->port)->gid_prefix);
	memcpy(d + (whole ? 8 : 0), &n->guid, sizeof(n->guid));
}

static void
get_port_info(const struct serve_client *c, uint8_t *d)
{
	const struct fabric_node *n = &c->s->f->node[c->place->node];
	uint32_t num = d[0] && d[0] <= n->nports ? d[0] : c->place->port;
	uint32_t cap = sim_port_info(c->s->sim, c->place->node, c->place->port)
			       ->capmask;

	/* the library shows the extended speed when there is one */
	if (cap & MAD_CAP_EXT_SPEEDS)
		num |= MAD_PORT_INFO_EXT;
	read_attr(c, MAD_PORT_INFO, num, d);
}

/* Carry out a client's control request; false: refused. */
static bool
answer_ctl(struct serve_client *c, struct ibsimwire_ctl *ctl)
{
	int on;

	switch (ctl->type) {
	case IBSIMWIRE_DISCONNECT:
		serve_client_drop(c);
		return true;
	case IBSIMWIRE_GET_PORT:
		get_port(c, ctl->data);
		return true;
	case IBSIMWIRE_GET_VENDOR:
		get_vendor(c, ctl->data);
		return true;
	case IBSIMWIRE_GET_GID:
	case IBSIMWIRE_GET_GUID:
		get_gid(c, ctl->type == IBSIMWIRE_GET_GID, ctl->data);
		return true;
	case IBSIMWIRE_GET_NODEINFO:
		read_attr(c, MAD_NODE_INFO, 0, ctl->data);
		return true;
	case IBSIMWIRE_GET_PORTINFO:
		get_port_info(c, ctl->data);
		return true;
	case IBSIMWIRE_GET_PKEYS:
		read_attr(c, MAD_PKEY_TABLE, 0, ctl->data);
		return true;
	case IBSIMWIRE_SET_ISSM:
		memcpy(&on, ctl->data, sizeof(on));
		if (on && !c->issm && node_has_sm(c->s, c->place->node))
			return false;
		set_issm(c, on != 0);
		return true;
	default:
		return false;
	}
}

/* The client with this number, if the datagram is from its address. */
static struct serve_client *
sender_client(struct serve *s, uint32_t client, const struct sockaddr_un *from,
	socklen_t n)
{
	struct serve_client *c = &s->client[client % SERVE_CLIENTS];

	if (client >= SERVE_CLIENTS || !c->used || c->from_len != n ||
		memcmp(&c->from, from, n) != 0)
		return NULL;
	return c;
}

static void
on_ctl(void *cookie, unsigned events, struct mono now)
{
	struct serve *s = cookie;
	struct sockaddr_un from = {0};
	socklen_t from_len = sizeof(from);
	uint8_t b[IBSIMWIRE_CTL + 8];
	struct ibsimwire_ctl ctl;
	struct serve_client *c;
	ssize_t n;
	bool ok;

	(void)events;
	(void)now;
	n = recvfrom(s->ctl_fd, b, sizeof(b), 0, (struct sockaddr *)&from,
		&from_len);
	/* a datagram that is no request of the protocol gets no answer */
	if (n < 0 || ibsimwire_ctl_decode(b, (size_t)n, &ctl))
		return;
	if (ctl.type == IBSIMWIRE_CONNECT) {
		ok = connect_client(s, &ctl, &from, from_len);
	} else {
		c = sender_client(s, ctl.client, &from, from_len);
		ok = c && answer_ctl(c, &ctl);
	}
	if (!ok)
		ctl.type = IBSIMWIRE_ERROR;
	ibsimwire_ctl_encode(&ctl, b);
	(void)sendto(s->ctl_fd, b, IBSIMWIRE_CTL, MSG_NOSIGNAL,
		(const struct sockaddr *)&from, from_len);
	serve_settle(s);
}
