#include "sm/mad/port_values.h"

#include <stddef.h>

/* The name of the bit that is set; NULL: none of the n, or several. */
static const char *
bit_name(const char *const *name, unsigned n, unsigned bits)
{
	for (unsigned i = 0; i < n; i++)
		if (bits == 1U << i)
			return name[i];
	return NULL;
}

const char *
port_width_name(uint8_t width)
{
	static const char *const name[] = {"1x", "4x", "8x", "12x", "2x"};

	return bit_name(name, sizeof(name) / sizeof(name[0]), width);
}

const char *
port_speed_name(uint8_t speed, uint8_t speed_ext)
{
	static const char *const ext[] = {"FDR", "EDR", "HDR", "NDR", "XDR"};
	static const char *const plain[] = {"SDR", "DDR", "QDR"};

	if (speed_ext != 0)
		return bit_name(ext, sizeof(ext) / sizeof(ext[0]), speed_ext);
	return bit_name(plain, sizeof(plain) / sizeof(plain[0]), speed);
}
