/* Text for a terminal: where lines are broken, and what has a colour. */
#include "sm/report/terminal.h"

#include <string.h>

#include "sm/base/rng.h"
#include "tests/unit/suite.h"

static const struct {
	unsigned width;
	bool colours;
	const char *text, *is;
} cases[] = {
	{0, false, "", ""},
	{40, false, "short\n\nno end", "short\n\nno end"},
	{0, false,
		"a line that is longer than any terminal, and stays as it is\n",
		"a line that is longer than any terminal, and stays as it "
		"is\n"},
	{40, false,
		"view        generation 7, cause: trap 128 from S1; light\n",
		"view        generation 7, cause: trap\n"
		"            128 from S1; light\n"},
	{40, false, "            0123456789 0123456789 0123456789 0123456789\n",
		"            0123456789 0123456789\n"
		"            0123456789 0123456789\n"},
	/* no blank to break at */
	{40, false, "0123456789012345678901234567890123456789012345\n",
		"0123456789012345678901234567890123456789\n    012345\n"},
	/* characters, not bytes */
	{40, false,
		"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
		"\xc3\xa4\xc3\xa4\xc3\xa4 123456789 123456789 123456789\n",
		"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
		"\xc3\xa4\xc3\xa4\xc3\xa4 123456789 123456789 123456789\n"},
	{80, true, "ALARM       burning\nrole        master\n",
		"\033[1;31mALARM       burning\033[0m\nrole        master\n"},
	{80, false, "ALARM       burning\n", "ALARM       burning\n"},
};

TEST(lines)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		AUTO(buf) struct buf out = {0};

		terminal_format(
			cases[i].text, cases[i].width, cases[i].colours, &out);
		ck_assert_msg(
			strcmp(out.n > 0 ? out.text : "", cases[i].is) == 0,
			"case %zu:\n%s", i, out.text);
	}
}

/* Whatever the text, no line is too long and no word is lost. */
TEST(any_text)
{
	struct rng rng = {7};

	for (unsigned round = 0; round < 2000; round++) {
		unsigned width = 40 + (unsigned)rng_below(&rng, 80);
		char text[400], was[400], is[1000];
		AUTO(buf) struct buf out = {0};
		size_t n = rng_below(&rng, sizeof(text)), k = 0, line = 0;

		for (size_t i = 0; i < n; i++)
			text[i] = "ab  "[rng_below(&rng, 4)];
		text[n] = '\0';
		terminal_format(text, width, false, &out);
		for (size_t i = 0; i < out.n; i++) {
			line = out.text[i] == '\n' ? 0 : line + 1;
			ck_assert_uint_le(line, width);
			if (out.text[i] != ' ' && out.text[i] != '\n')
				is[k++] = out.text[i];
		}
		is[k] = '\0';
		k = 0;
		for (size_t i = 0; i < n; i++)
			if (text[i] != ' ')
				was[k++] = text[i];
		was[k] = '\0';
		ck_assert_str_eq(is, was);
	}
}

TEST(columns)
{
	AUTO(buf) struct buf out = {0};

	terminal_put_padded("\xc3\xa4", 3, &out);
	terminal_put_padded("long", 3, &out);
	ck_assert_str_eq(out.text, "\xc3\xa4  long");
}
