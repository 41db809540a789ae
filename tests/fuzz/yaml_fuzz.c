/*
 * Any bytes as a configuration: either complaints, or a configuration; its
 * print is read back and prints the same. One file for libFuzzer (clang
 * -fsanitize=fuzzer,address,undefined) and, with -DFUZZ_MAIN, for files named
 * on the command line.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "routing/driver/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require_true(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "yaml_fuzz: %s\n", what);
		abort();
	}
}

/* Complaints must be printable in both ways. */
static void
print_complaints(const struct diag_list *d)
{
	struct buf b = {0};

	diag_text(d, &b);
	diag_json(d, &b);
	require_true(b.n > 0, "a refusal without a word");
	buf_free(&b);
}

static void
check_fixpoint(const struct config *c)
{
	struct buf first = {0}, second = {0};
	struct diag_list d;
	struct config *again;
	struct config_changes ch;

	config_print(c, &first);
	again = config_parse(
		"print", first.text, first.n, registry_modules(), &d);
	require_true(again != NULL, "the print is not a configuration");
	config_print(again, &second);
	require_true(first.n == second.n &&
			     memcmp(first.text, second.text, first.n) == 0,
		"the print of the print differs");
	config_diff(c, again, &ch);
	require_true(
		ch.n == 0, "what was printed reads back as something else");
	config_changes_free(&ch);
	config_unref(again);
	diag_free(&d);
	buf_free(&first);
	buf_free(&second);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag_list d;
	struct config *c = config_parse(
		"fuzz", (const char *)data, size, registry_modules(), &d);

	require_true((c == NULL) == (diag_count(&d) > 0), "neither or both");
	if (c == NULL)
		print_complaints(&d);
	else
		check_fixpoint(c);
	config_unref(c);
	diag_free(&d);
	return 0;
}

#ifdef FUZZ_MAIN
int
main(int argc, char **argv)
{
	enum { MAX = 1 << 23 };
	uint8_t *data = malloc(MAX);
	int i;

	for (i = 1; data != NULL && i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");

		if (f == NULL)
			continue;
		(void)LLVMFuzzerTestOneInput(data, fread(data, 1, MAX, f));
		(void)fclose(f);
	}
	free(data);
	return 0;
}
#endif
