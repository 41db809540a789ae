#include "tests/sim/serve/ibsimwire.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "sm/base/be.h"

#define MAGIC 0xdeadbeefU

/* Byte positions in a message. */
enum {
	AT_DLID = 0,
	AT_SLID = 4,
	AT_DQP = 8,
	AT_SQP = 12,
	AT_STATUS = 16,
	AT_LENGTH = 24,
	AT_MAD = 32,
};

/* A number in the host's own order: both ends are on one machine. */
static uint32_t
host_get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void
host_put32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

int
ibsimwire_ctl_decode(const uint8_t *b, size_t n, struct ibsimwire_ctl *out)
{
	if (n != IBSIMWIRE_CTL || host_get32(b) != MAGIC)
		return -1;
	out->client = host_get32(b + 4);
	out->type = host_get32(b + 8);
	out->len = host_get32(b + 12);
	memcpy(out->data, b + 16, IBSIMWIRE_DATA);
	return 0;
}

void
ibsimwire_ctl_encode(const struct ibsimwire_ctl *in, uint8_t b[IBSIMWIRE_CTL])
{
	host_put32(b, MAGIC);
	host_put32(b + 4, in->client);
	host_put32(b + 8, in->type);
	host_put32(b + 12, in->len);
	memcpy(b + 16, in->data, IBSIMWIRE_DATA);
}

void
ibsimwire_connect_decode(
	const uint8_t data[IBSIMWIRE_DATA], struct ibsimwire_connect *out)
{
	out->id = host_get32(data);
	out->qp = host_get32(data + 4);
	out->issm = host_get32(data + 8);
	memcpy(out->nodeid, data + 12, IBSIMWIRE_NODEID);
	out->nodeid[IBSIMWIRE_NODEID - 1] = '\0';
}

void
ibsimwire_connect_encode(
	const struct ibsimwire_connect *in, uint8_t data[IBSIMWIRE_DATA])
{
	memset(data, 0, IBSIMWIRE_DATA);
	host_put32(data, in->id);
	host_put32(data + 4, in->qp);
	host_put32(data + 8, in->issm);
	memcpy(data + 12, in->nodeid, IBSIMWIRE_NODEID);
}

int
ibsimwire_msg_decode(const uint8_t *b, size_t n, struct transport_msg *out)
{
	if (n != IBSIMWIRE_MSG)
		return -1;
	out->addr = (struct transport_addr){0};
	out->addr.lid = ntohs((uint16_t)host_get32(b + AT_DLID));
	out->addr.qpn = be_get32(b + AT_DQP);
	out->error = 0;
	out->len = MAD_SIZE;
	memcpy(out->mad, b + AT_MAD, MAD_SIZE);
	return 0;
}

void
ibsimwire_msg_encode(
	const struct transport_msg *in, uint16_t to, uint8_t b[IBSIMWIRE_MSG])
{
	size_t n = in->len < MAD_SIZE ? in->len : MAD_SIZE;

	memset(b, 0, AT_MAD);
	host_put32(b + AT_DLID, htons(to));
	host_put32(b + AT_SLID, htons(in->addr.lid));
	be_put32(b + AT_DQP, in->addr.qpn);
	be_put32(b + AT_SQP, in->addr.qpn);
	be_put32(b + AT_STATUS, (uint32_t)in->error);
	be_put64(b + AT_LENGTH, MAD_SIZE);
	memcpy(b + AT_MAD, in->mad, n);
	memset(b + AT_MAD + n, 0, MAD_SIZE - n);
}

void
ibsimwire_msg_fail(uint8_t b[IBSIMWIRE_MSG], uint32_t error)
{
	be_put32(b + AT_STATUS, error);
}

socklen_t
ibsimwire_address(const char *name, const char *what, struct sockaddr_un *out)
{
	int n;

	*out = (struct sockaddr_un){.sun_family = AF_UNIX};
	/* the first byte stays zero: abstract */
	n = snprintf(out->sun_path + 1, sizeof(out->sun_path) - 1, "%s:%s",
		name, what);
	if (n < 0 || (size_t)n >= sizeof(out->sun_path) - 2)
		return 0;
	/* and so does the last one: libumad2sim.so includes it in the length */
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 2 +
			   (size_t)n);
}
