/*
 * umad: the transport over libibumad. Owns the one thread besides the loop:
 * it does nothing but block in umad_recv and hand messages over through a
 * bounded ring (libumad2sim's poll watches one descriptor only, so a umad
 * descriptor cannot sit in an event loop under it). Sending is done by the
 * caller's thread.
 *
 * The kernel is asked to match answers, never to retry: transactions have
 * deadlines of their own, and each of their tries has a TID of its own. Of a
 * request that timed out in the kernel only the header comes back, with the
 * errno in the message.
 *
 * Under libumad2sim.so keep what is in flight below about 500: its write holds
 * the lock that its reader needs, so that two full sockets stop it for good.
 */
#ifndef HEDDLE_SM_TRANSPORT_UMAD_H
#define HEDDLE_SM_TRANSPORT_UMAD_H

#include <stdbool.h>
#include <stdint.h>

#include "sm/base/reason.h"
#include "sm/transport/transport.h"

struct umad;

/* What was chosen, for the log. */
struct umad_port_name {
	char device[32];
	int port;
	uint64_t guid;
};

/*
 * Open a port: spec is "auto" (first InfiniBand link layer with a GUID that
 * is not Down if there is one), "DEVICE/PORT" or a port GUID (0x...). Ethernet
 * link layers are never chosen. Registers classes 0x01, 0x81 on QP0 and 0x03
 * on QP1. NULL and a reason on failure (what was found is listed).
 * wake(cookie) is called from the receiving thread when the ring was empty.
 * serve: requests and traps of others come to us too; otherwise only answers
 * do, and another subnet manager may hold the port.
 */
struct umad *umad_open(const char *spec, bool serve, void (*wake)(void *),
	void *cookie, struct umad_port_name *chosen, struct reason *why);

/* Stop the thread, clear IsSM, close; NULL allowed. */
void umad_shutdown(struct umad *u);

/* The transport to send with. */
struct transport *umad_transport(struct umad *u);

/* Next received message into *m, its body to be freed by the caller; 1, or 0
 * when the ring is empty. */
int umad_next(struct umad *u, struct transport_msg *m);

/* Raise (open the issm device) or clear IsSM. -1 and a reason on failure. */
int umad_set_issm(struct umad *u, int on, struct reason *why);

/*
 * Is there a link on our port? 1 or 0 by what sysfs says, -1 when it does not.
 * Nobody sends a trap about the port of a host, and libibumad knows no events:
 * one read of a small file now and then is how one hears of a pulled cable.
 */
int umad_link(const struct umad *u);

/* Messages lost: the ring was full. */
uint64_t umad_dropped(const struct umad *u);

#endif
