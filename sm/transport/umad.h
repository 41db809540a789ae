/*
 * umad: the transport over libibumad. It owns one thread for each device that
 * it has open, which only blocks in umad_recv and hands messages over through a
 * bounded ring: the poll of libumad2sim watches one descriptor only, so under
 * it a umad descriptor cannot sit in an event loop. Messages are sent in the
 * caller's thread. A port is in one device, or in two, one for SMPs and one for
 * subnet administration (umad_choose.h).
 *
 * The kernel is asked to match answers, never to retry: transactions have
 * deadlines of their own, and each of their tries has a TID of its own. Of a
 * request that timed out in the kernel only the header comes back, with the
 * errno in the message.
 *
 * Under libumad2sim.so keep fewer than about 500 requests in flight: its write
 * holds the lock that its reader needs, so that two full sockets stop it for
 * good.
 */
#ifndef HEDDLE_SM_TRANSPORT_UMAD_H
#define HEDDLE_SM_TRANSPORT_UMAD_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/reason.h"
#include "sm/transport/transport.h"

struct umad;

/* The port that was chosen, for the log. */
struct umad_port_name {
	char device[32];
	char sa_device[32]; /* the same unless the port is in two devices */
	int port;
	uint64_t guid;
};

/*
 * Open a port: spec is "auto" (the first port of an InfiniBand link layer with
 * a GUID, one that is not Down if there is one), "DEVICE/PORT" or a port GUID
 * (0x...). Ethernet link layers are never chosen, nor is a port without QP0.
 * Registers classes 0x01, 0x81 on QP0 and 0x03 on QP1. NULL and a reason on
 * failure (it lists the ports found). wake(cookie) is called from the receiving
 * thread when the ring was empty. serve: requests and traps of others are
 * received too; otherwise only answers are, and another subnet manager may hold
 * the port.
 */
struct umad *umad_open(const char *spec, bool serve, void (*wake)(void *),
	void *cookie, struct umad_port_name *chosen, struct reason *why);

/* Stop the thread, clear IsSM, close; NULL allowed. */
void umad_shutdown(struct umad *u);

/* The transport to send with. */
struct transport *umad_transport(struct umad *u);

/*
 * True once the device is lost: reads fail (EIO after a reset of the adapter,
 * ENODEV when its driver is gone) and will not succeed on this descriptor
 * again. wake(cookie) was called, and nothing is received any more: shut it
 * down, and open the port anew. The reason names the port and the error.
 */
bool umad_lost(const struct umad *u, struct reason *why);

/* Next received message into *m, its body to be freed by the caller; 1, or 0
 * when the ring is empty. */
int umad_next(struct umad *u, struct transport_msg *m);

/* Raise (open the issm device) or clear IsSM. -1 and a reason on failure. */
int umad_set_issm(struct umad *u, int on, struct reason *why);

/*
 * The link of our own port by sysfs: 1 up, 0 down, -1 unknown. No trap reports
 * the port of a host, and libibumad delivers no events: reading a small file
 * now and then is the way to learn of a pulled cable.
 */
int umad_link(const struct umad *u);

/* Messages lost because the ring was full. */
uint64_t umad_dropped(const struct umad *u);

#endif
