#include "tests/sim/model/smp_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/topo/gen.h"

/* An assert that is in every build. */
static void
require_true(bool ok)
{
	if (ok)
		return;
	(void)fputs("bench: what must not fail failed\n", stderr);
	abort();
}

void
smp_bench_on_recv(void *cookie, const struct transport_msg *m, struct mono now)
{
	struct bench *b = cookie;
	struct smp s;

	(void)now;
	b->raw = *m;
	b->garbage = smp_decode(m->mad, m->len, &s, NULL) != 0;
	if (!b->garbage && s.method == MAD_TRAP) {
		b->traps++;
		b->trap = s;
		b->trap_lid = m->addr.lid;
		return;
	}
	b->got++;
	b->last = s;
}

struct bench
smp_bench_new(struct fabric *f, const struct sim_options *o)
{
	struct sim_options def = sim_defaults();
	struct bench b = {.f = f};

	require_true(f != NULL);
	b.s = sim_new(f, o ? o : &def);
	b.sm = fabric_first_host(f);
	return b;
}

void
smp_bench_attach(struct bench *b)
{
	b->e = sim_attach(b->s, b->sm, 1, smp_bench_on_recv, b);
}

void
smp_bench_free(struct bench *b)
{
	sim_free(b->s);
	fabric_free(b->f);
}

/* Two switches a, b in a line, a host at each; the SM at the first. */
struct fabric *
smp_bench_line(void)
{
	unsigned n = 2;

	return gen_grid(&n, 1, false, 1, NULL);
}

/* Send an SMP and run 10 ms: true when an answer came. */
bool
smp_bench_ask_smp(struct bench *b, struct smp *q, uint16_t lid)
{
	struct transport_msg m = {.addr.lid = lid, .len = MAD_SIZE};
	unsigned had = b->got;

	q->tid = ++b->tid;
	smp_encode(q, m.mad);
	require_true(sim_transport(b->e)->send(sim_transport(b->e), &m) == 0);
	sim_run_until(b->s, mono_add(sim_now(b->s), mono_ms(10)));
	return b->got > had;
}

/* Directed by path, a string of port numbers ("\1\2"). */
bool
smp_bench_ask(struct bench *b, const char *path, uint8_t method, uint16_t attr,
	uint32_t mod)
{
	struct smp q = b->last;

	q.mgmt_class = MAD_SUBN_DR;
	q.method = method;
	q.attr = attr;
	q.mod = mod;
	q.status = 0;
	q.response = false;
	q.hop_ptr = 0;
	q.hop_cnt = (uint8_t)strlen(path);
	q.dr_slid = q.dr_dlid = 0xffff;
	memset(q.path, 0, sizeof(q.path));
	memcpy(q.path + 1, path, q.hop_cnt);
	if (method == MAD_GET)
		memset(q.data, 0, sizeof(q.data));
	return smp_bench_ask_smp(b, &q, 0xffff);
}

struct mad_port_info
smp_bench_port_info(struct bench *b, const char *path, uint32_t port)
{
	struct mad_port_info pi;

	require_true(smp_bench_ask(b, path, MAD_GET, MAD_PORT_INFO, port));
	require_true(b->last.status == 0);
	require_true(mad_port_info_decode(b->last.data, &pi, NULL) == 0);
	return pi;
}

/* Set a port's state, the rest as it was; the status. */
uint16_t
smp_bench_set_state(
	struct bench *b, const char *path, uint32_t port, uint8_t state)
{
	struct mad_port_info pi = smp_bench_port_info(b, path, port);

	pi.state = state;
	pi.phys_state = 0;
	mad_port_info_encode(&pi, b->last.data);
	require_true(smp_bench_ask(b, path, MAD_SET, MAD_PORT_INFO, port));
	return b->last.status;
}

/* Give an end port its LID and the SM's. */
uint16_t
smp_bench_set_lid(
	struct bench *b, const char *path, uint32_t port, uint16_t lid)
{
	struct mad_port_info pi = smp_bench_port_info(b, path, port);

	pi.lid = lid;
	pi.sm_lid = 1;
	pi.state = pi.phys_state = 0;
	mad_port_info_encode(&pi, b->last.data);
	require_true(smp_bench_ask(b, path, MAD_SET, MAD_PORT_INFO, port));
	return b->last.status;
}

void
smp_bench_set_lft(struct bench *b, const char *path, const uint8_t *entries,
	size_t n, uint16_t top)
{
	struct mad_switch_info si;

	memset(b->last.data, 255, MAD_DATA);
	memcpy(b->last.data, entries, n);
	require_true(smp_bench_ask(b, path, MAD_SET, MAD_LFT, 0));
	require_true(b->last.status == 0);
	require_true(smp_bench_ask(b, path, MAD_GET, MAD_SWITCH_INFO, 0));
	mad_switch_info_decode(b->last.data, &si, NULL);
	si.lft_top = top;
	mad_switch_info_encode(&si, b->last.data);
	require_true(smp_bench_ask(b, path, MAD_SET, MAD_SWITCH_INFO, 0));
	require_true(b->last.status == 0);
}

/*
 * h1(1) - sw0(2) - sw1(3) - h2(4): ports as gen_grid cables them, 1 the host
 * and 2 the other switch.
 */
void
smp_bench_configure(struct bench *b)
{
	static const uint8_t t0[] = {255, 1, 0, 2, 2}, t1[] = {255, 2, 2, 0, 1};

	require_true(smp_bench_set_lid(b, "", 1, 1) == 0);
	require_true(smp_bench_set_lid(b, "\1", 0, 2) == 0);
	require_true(smp_bench_set_lid(b, "\1\2", 0, 3) == 0);
	require_true(smp_bench_set_lid(b, "\1\2\1", 1, 4) == 0);
	smp_bench_set_lft(b, "\1", t0, sizeof(t0), 4);
	smp_bench_set_lft(b, "\1\2", t1, sizeof(t1), 4);
}

/* By LID; true when an answer came. */
bool
smp_bench_ask_lid(struct bench *b, uint16_t lid, uint16_t attr)
{
	struct smp q = {
		.mgmt_class = MAD_SUBN_LID, .method = MAD_GET, .attr = attr};

	return smp_bench_ask_smp(b, &q, lid);
}

void
smp_bench_repress(struct bench *b)
{
	struct smp q = b->trap;
	struct transport_msg m = {.addr.lid = b->trap_lid, .len = MAD_SIZE};

	q.method = MAD_TRAP_REPRESS;
	smp_encode(&q, m.mad);
	sim_transport(b->e)->send(sim_transport(b->e), &m);
}
