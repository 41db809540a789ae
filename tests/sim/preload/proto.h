/*
 * proto: the protocol between libheddle-umad.so and a heddle-sim server.
 *
 * A connection is a SOCK_SEQPACKET socket in the abstract name space, at
 * "heddle-sim:NAME"; a datagram is one frame, in the host's byte order (both
 * ends are on one machine), and begins with its kind and its size:
 *
 *	client				server
 *	HELLO what I want	-->
 *				<--	ANSWER errno, and what was asked for
 *	MAD			<->	MAD	only where a umad device was
 *	BIG (+ descriptor)	-->		wanted, from here on
 *				<--	BIG, then BODY (+ descriptor)
 *
 * Every open umad device is a connection of its own, and the descriptor that
 * the program holds is this socket: so poll, select and epoll work. Every open
 * issm device is a connection too: IsSM is set as long as it is open.
 * Everything else (registering an agent, reading a file of sysfs) is one
 * request and one answer on a connection of its own, so that no answer mixes
 * with the MADs that other threads wait for; it names the device by the key in
 * the answer to the device's HELLO.
 *
 * MAD carries the data that a program writes to or reads from a umad device:
 * the kernel's header of 64 bytes, then up to 256 bytes of MAD. A longer
 * message (a table that the kernel's RMPP would carry) travels as a memory
 * file: BIG has its size, the header and the first 256 bytes; the descriptor
 * that comes with it (from the server: with BODY, which follows) has all of the
 * MAD. So only memory limits its length, no pieces are put together, and a
 * reader with too small a buffer leaves BODY in the socket, which stays
 * readable.
 */
#ifndef HEDDLE_TESTS_SIM_PRELOAD_PROTO_H
#define HEDDLE_TESTS_SIM_PRELOAD_PROTO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

enum {
	PROTO_MAGIC = 0x6865756d,
	PROTO_VERSION = 1,
	PROTO_HOST = 68,     /* a NodeDescription and its end */
	PROTO_PATH = 192,    /* a name in sysfs or /dev/infiniband */
	PROTO_TEXT = 16384,  /* of a file, or names in a directory */
	PROTO_UMAD = 64,     /* struct ib_user_mad_hdr */
	PROTO_UMAD_OLD = 56, /* the same without pkey_index */
	PROTO_MAD = 256,     /* bytes of MAD in a frame */
	PROTO_MAD_HEADER = 24,
	PROTO_MAD_LEAST = 36, /* MAD and RMPP header: the kernel's least */
	PROTO_AGENTS = 32,    /* of one umad device, as in the kernel */
	PROTO_METHODS = 4,    /* words of a method mask */
};

/* Longest message that is accepted. */
#define PROTO_MESSAGE (1U << 30)

enum proto_kind {
	PROTO_HELLO = 1,
	PROTO_ANSWER = 2,
	PROTO_PLAIN = 3, /* MAD */
	PROTO_BIG = 4,
	PROTO_BODY = 5,
};

enum proto_want {
	PROTO_WANT_UMAD = 1,	   /* device; answer: key */
	PROTO_WANT_ISSM = 2,	   /* device; EBUSY if another program has it */
	PROTO_WANT_FILE = 3,	   /* path; answer: value a proto_file, text */
	PROTO_WANT_REGISTER = 4,   /* key, agent; answer: value its id */
	PROTO_WANT_UNREGISTER = 5, /* key, agent.id */
};

enum proto_file {
	PROTO_FILE_TEXT = 1,  /* text is the file's content */
	PROTO_FILE_DIR = 2,   /* text is names, a zero after each */
	PROTO_FILE_DEVICE = 3 /* umad or issm */
};

/* Begins every frame. size: bytes of the frame; of BIG: of the message. */
struct proto_head {
	uint32_t kind, size;
};

/* What a program registers for, as in the kernel's interface. */
struct proto_agent {
	uint32_t id;
	uint8_t qpn, mgmt_class, version, rmpp;
	uint32_t oui;
	uint32_t methods[PROTO_METHODS]; /* requests that the agent takes */
};

struct proto_hello {
	struct proto_head head;
	uint32_t magic;
	uint16_t version, want; /* enum proto_want */
	uint32_t pid, device;
	uint64_t key;
	struct proto_agent agent;
	char host[PROTO_HOST]; /* node to attach to; empty: the server's choice
				*/
	char path[PROTO_PATH];
};

struct proto_answer {
	struct proto_head head;
	uint32_t magic;
	uint16_t version, unused;
	uint32_t error; /* errno, 0 */
	uint32_t value;
	uint64_t key;
	uint32_t bytes, unused2; /* of text, which follows */
};

/* The kernel's struct ib_user_mad_hdr. Fields named _be: network order. */
struct proto_umad {
	uint32_t agent, status, timeout_ms, retries, length;
	uint32_t qpn_be, qkey_be;
	uint16_t lid_be;
	uint8_t sl, path_bits, grh, gid_index, hop_limit, traffic_class;
	uint8_t gid[16];
	uint32_t flow_label_be;
	uint16_t pkey_index;
	uint8_t reserved[6];
};

/* A frame PLAIN or BIG. */
struct proto_mad {
	struct proto_head head;
	struct proto_umad umad;
	uint8_t mad[PROTO_MAD];
};

enum { PROTO_MAD_AT = sizeof(struct proto_head) + PROTO_UMAD };

/*
 * The address of the server called name (NULL: $IBSIM_SOCKNAME, or "sim"), and
 * its length; 0 if the name is too long.
 */
socklen_t proto_address(const char *name, struct sockaddr_un *out);

/*
 * Decode a frame of n bytes and check it. 0, or -1 and the fault in *why (a
 * constant text). Texts in the frame are terminated afterwards.
 */
int proto_hello_decode(
	const void *frame, size_t n, struct proto_hello *out, const char **why);
/* text: room for PROTO_TEXT bytes, or NULL if none is expected. */
int proto_answer_decode(const void *frame, size_t n, struct proto_answer *out,
	char *text, const char **why);
/*
 * PLAIN or BIG. *len: bytes of MAD, at least PROTO_MAD_HEADER; bytes of
 * out->mad that are not in the frame are zero. frame may be out itself.
 */
int proto_mad_decode(const void *frame, size_t n, struct proto_mad *out,
	size_t *len, const char **why);

#endif
