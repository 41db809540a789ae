/*
 * ibsimwire: the datagrams of ibsim's clients, of which libumad2sim.so is the
 * usual one. Pure codec: bytes in, bytes out.
 *
 * Two kinds of datagrams, in the host's byte order except where noted:
 *
 *	control, 80 bytes, one each way
 *	 0 u32 magic	4 u32 client	8 u32 type	12 u32 length
 *	16 64 bytes of data
 *	message, 288 bytes
 *	 0 u32 dlid	4 u32 slid	a LID in network order in 16 bits, as
 *					a number of the host in 32
 *	 8 u32 dqp	12 u32 sqp	16 u32 status	24 u64 length
 *					all four in network order
 *	32 256 bytes of MAD
 *
 * A client binds NAME:ctlPID and NAME:inPID in the abstract name space; the
 * server has NAME:ctl and NAME:out0, NAME:out1 and so on, one per client. The
 * names on the wire include a zero byte at their end.
 */
#ifndef HEDDLE_TESTS_SIM_SERVE_IBSIMWIRE_H
#define HEDDLE_TESTS_SIM_SERVE_IBSIMWIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "sm/transport/transport.h"

enum {
	IBSIMWIRE_MAGIC_SIZE = 4,
	IBSIMWIRE_CTL = 80,    /* bytes of a control datagram */
	IBSIMWIRE_DATA = 64,   /* data bytes of these */
	IBSIMWIRE_MSG = 288,   /* bytes of a message */
	IBSIMWIRE_NODEID = 32, /* bytes of the name of a node */
};

enum ibsimwire_type {
	IBSIMWIRE_ERROR = 0,
	IBSIMWIRE_CONNECT = 1,
	IBSIMWIRE_DISCONNECT = 2,
	IBSIMWIRE_GET_PORT = 3,
	IBSIMWIRE_GET_VENDOR = 4,
	IBSIMWIRE_GET_GID = 5,
	IBSIMWIRE_GET_GUID = 6,
	IBSIMWIRE_GET_NODEINFO = 7,
	IBSIMWIRE_GET_PORTINFO = 8,
	IBSIMWIRE_SET_ISSM = 9,
	IBSIMWIRE_GET_PKEYS = 10,
};

struct ibsimwire_ctl {
	uint32_t client, type, len;
	uint8_t data[IBSIMWIRE_DATA];
};

/* The data of a CONNECT, in both directions. */
struct ibsimwire_connect {
	uint32_t id; /* request: the client's process id; answer: its number */
	uint32_t qp, issm;
	char nodeid[IBSIMWIRE_NODEID]; /* always terminated */
};

/* -1 unless n bytes at b are a control datagram. */
int ibsimwire_ctl_decode(const uint8_t *b, size_t n, struct ibsimwire_ctl *out);
void ibsimwire_ctl_encode(
	const struct ibsimwire_ctl *in, uint8_t b[IBSIMWIRE_CTL]);
void ibsimwire_connect_decode(
	const uint8_t data[IBSIMWIRE_DATA], struct ibsimwire_connect *out);
void ibsimwire_connect_encode(
	const struct ibsimwire_connect *in, uint8_t data[IBSIMWIRE_DATA]);

/*
 * Decode a message from a client: address and MAD; the QP is the destination's.
 * -1 unless n is 288.
 */
int ibsimwire_msg_decode(const uint8_t *b, size_t n, struct transport_msg *out);

/*
 * Encode a message to a client at LID to (0xffff: directed); the QP is the
 * source's.
 */
void ibsimwire_msg_encode(
	const struct transport_msg *in, uint16_t to, uint8_t b[IBSIMWIRE_MSG]);

/* Turn a client's own message into one that returns with an error. */
void ibsimwire_msg_fail(uint8_t b[IBSIMWIRE_MSG], uint32_t error);

/*
 * The address of NAME:what in the abstract name space, and its length; 0 if the
 * name is too long.
 */
socklen_t ibsimwire_address(
	const char *name, const char *what, struct sockaddr_un *out);

#endif
