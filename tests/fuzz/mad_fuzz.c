/*
 * mad_fuzz: any bytes through every decoder. No decoder may crash, and encoding
 * a decoded structure twice must give the same bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "sm/base/utf8.h"
#include "sm/mad/mad.h"
#include "sm/mad/mad_sm_page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_same(const uint8_t *a, const uint8_t *b, size_t n)
{
	if (memcmp(a, b, n) != 0)
		abort();
}

static void
check_attributes(const uint8_t *d)
{
	uint8_t once[MAD_DATA], twice[MAD_DATA];
	struct mad_node_info node;
	struct mad_switch_info sw;
	struct mad_port_info port;
	struct mad_sm_info sm;
	struct mad_sm_page page;
	struct mad_notice notice;
	struct reason why;
	char desc[MAD_DATA + 1];

	(void)mad_node_info_decode(d, &node, &why);
	mad_node_info_encode(&node, once);
	(void)mad_node_info_decode(once, &node, &why);
	mad_node_info_encode(&node, twice);
	check_same(once, twice, MAD_DATA);

	(void)mad_switch_info_decode(d, &sw, &why);
	mad_switch_info_encode(&sw, once);
	(void)mad_switch_info_decode(once, &sw, &why);
	mad_switch_info_encode(&sw, twice);
	check_same(once, twice, MAD_DATA);

	(void)mad_port_info_decode(d, &port, &why);
	mad_port_info_encode(&port, once);
	(void)mad_port_info_decode(once, &port, &why);
	mad_port_info_encode(&port, twice);
	check_same(once, twice, MAD_DATA);

	mad_sm_info_decode(d, &sm);
	mad_sm_info_encode(&sm, once);
	mad_sm_info_decode(once, &sm);
	mad_sm_info_encode(&sm, twice);
	check_same(once, twice, MAD_DATA);

	if (mad_sm_page_decode(d, &page)) {
		mad_sm_page_encode(&page, once);
		(void)mad_sm_page_decode(once, &page);
		mad_sm_page_encode(&page, twice);
		check_same(once, twice, MAD_DATA);
	}

	mad_notice_decode(d, &notice);
	mad_notice_encode(&notice, once);
	mad_notice_decode(once, &notice);
	mad_notice_encode(&notice, twice);
	check_same(once, twice, MAD_DATA);

	mad_node_desc_decode(d, desc);
	if (!utf8_clean(desc))
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t once[MAD_SIZE], twice[MAD_SIZE];
	struct reason why;
	struct smp s;

	if (smp_decode(data, size, &s, &why) == 0) {
		smp_encode(&s, once);
		if (smp_decode(once, sizeof(once), &s, &why) != 0)
			abort();
		smp_encode(&s, twice);
		check_same(once, twice, MAD_SIZE);
		check_attributes(s.data);
		if (*mad_attr_name(s.attr) == 0 ||
			*mad_method_name(s.method) == 0 ||
			*mad_status_name(s.status) == 0)
			abort();
	}
	if (size >= MAD_DATA)
		check_attributes(data);
	return 0;
}
