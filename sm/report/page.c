#include "sm/report/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/report/json_util.h"
#include "sm/report/names.h"

enum { KEY = 40 };

/* What a text is about: a value, and its number in the list that it is of. */
struct place {
	const json_t *o;
	size_t number;
};

/* The member at a path, which ends at a bracket, an equals sign or with the
 * text. */
static const json_t *
find_member(const json_t *o, const char *path)
{
	while (strchr("=)", *path) == NULL) {
		size_t n = strcspn(path, ".=)");
		char key[KEY];

		(void)snprintf(key, sizeof(key), "%.*s", (int)n, path);
		o = json_is_array(o) ? json_array_get(o, strtoul(key, NULL, 10))
				     : json_object_get(o, key);
		path += path[n] == '.' ? n + 1 : n;
	}
	return o;
}

/* The conversion of a value. */
struct conversion {
	int width, digits; /* negative: to the left; as printf chooses */
	char letter;
};

/* Read "-12.3s"; what follows it. */
static const char *
read_conversion(const char *at, struct conversion *c)
{
	char *end;

	c->width = (int)strtol(at, &end, 10);
	c->digits = *end == '.' ? (int)strtol(end + 1, &end, 10) : -1;
	c->letter = *end;
	return *end == '\0' ? end : end + 1;
}

static void
put_value(struct buf *out, const json_t *v, long long number,
	const struct conversion *c)
{
	double real = json_number_value(v);
	const char *text = json_string_value(v);

	switch (c->letter) {
	case 'd':
		buf_printf(out, "%*lld", c->width, number);
		break;
	case 'x':
		buf_printf(out, "0x%04llx", (unsigned long long)number);
		break;
	case 'n':
		buf_printf(out, "%*zu", c->width, json_array_size(v));
		break;
	case 'e':
		buf_printf(out, "%*.*e", c->width, c->digits, real);
		break;
	case 'f':
		buf_printf(out, "%*.*f", c->width, c->digits, real);
		break;
	case 'g':
		buf_printf(out, "%*.*g", c->width, c->digits, real);
		break;
	default:
		buf_printf(out, "%*s", c->width,
			text != NULL && *text != '\0' ? text : "-");
	}
}

/* "one|several]": the part that suits v; what follows it. */
static const char *
put_choice(struct buf *out, const json_t *v, const char *at)
{
	bool first = json_integer_value(v) == 1 || json_is_true(v) ||
		     json_string_length(v) > 0;
	const char *bar = at + strcspn(at, "|]");
	const char *end = bar + strcspn(bar, "]");

	if (first)
		buf_put(out, at, (size_t)(bar - at));
	else if (*bar == '|')
		buf_put(out, bar + 1, (size_t)(end - bar - 1));
	return *end == '\0' ? end : end + 1;
}

static bool
is_something(const json_t *v)
{
	return json_is_true(v) || json_is_object(v) || json_array_size(v) > 0 ||
	       json_string_length(v) > 0 || json_number_value(v) < 0 ||
	       json_number_value(v) > 0;
}

/* The brace that closes a section, or the end of the text. */
static const char *
end_of_section(const char *at)
{
	for (unsigned depth = 1; *at != '\0'; at++) {
		depth += *at == '{';
		depth -= *at == '}';
		if (depth == 0)
			break;
	}
	return at;
}

static void print_part(struct buf *out, const struct place *p, const char *at,
	const char *end);

/* NOLINTBEGIN(misc-no-recursion): sections in sections of a text of ours */
/* "*{text}" or "*3{text}" for the elements of a list; what follows it. */
static const char *
put_elements(struct buf *out, const json_t *list, const char *at)
{
	char *begin;
	size_t most = strtoul(at + 1, &begin, 10);
	const char *end = end_of_section(++begin);
	struct place e = {NULL, 0};

	while (e.number < json_array_size(list) &&
		(most == 0 || e.number < most)) {
		e.o = json_array_get(list, e.number++);
		print_part(out, &e, begin, end);
	}
	return *end == '\0' ? end : end + 1;
}

/* What "(name)s", "(name)[one|several]" or "(name)?{text}" stands for; what
 * follows it. */
static const char *
put_member(struct buf *out, const struct place *p, const char *at)
{
	const json_t *v = find_member(p->o, at + 1);
	const char *word = at + strcspn(at, "=)"), *end;
	bool numbered = at[1] == '#';
	bool on = numbered ? p->number > 1 : is_something(v);
	struct conversion c;

	at += strcspn(at, ")");
	if (*word == '=')
		on = json_string_length(v) == (size_t)(at - word - 1) &&
		     strncmp(json_string_value(v), word + 1,
			     (size_t)(at - word - 1)) == 0;
	at += *at == ')';
	if (*at == '[')
		return put_choice(out, v, at + 1);
	if (*at == '*')
		return put_elements(out, v, at);
	if (*at != '\0' && strchr("?!&~", *at) != NULL) {
		if (*at == '&' || *at == '~')
			on = v != NULL && !json_is_null(v);
		on = on == (*at == '?' || *at == '&');
		end = end_of_section(at + 2);
		if (on)
			print_part(out, p, at + 2, end);
		return *end == '\0' ? end : end + 1;
	}
	at = read_conversion(at, &c);
	put_value(out, v,
		numbered ? (long long)p->number : json_integer_value(v), &c);
	return at;
}

static void
print_part(
	struct buf *out, const struct place *p, const char *at, const char *end)
{
	while (at < end) {
		const char *mark = memchr(at, '%', (size_t)(end - at));
		size_t plain = (size_t)((mark != NULL ? mark : end) - at);

		buf_put(out, at, plain);
		at += plain;
		if (at == end)
			return;
		if (*++at == '(') {
			at = put_member(out, p, at);
			continue;
		}
		buf_put(out, "%", 1);
		at += *at == '%' ? 1 : 0;
	}
}
/* NOLINTEND(misc-no-recursion) */

void
page_print(struct buf *out, const json_t *o, const char *text)
{
	print_part(out, &(struct place){o, 0}, text, text + strlen(text));
}

const char *
page_text(const json_t *o, const char *key)
{
	return json_util_has_text(o, key) ? json_util_text(o, key) : "-";
}

struct page_layers
page_layers(const json_t *o)
{
	long long layers = json_util_num(o, "layers");
	long long vls = json_util_num(o, "vls");
	struct page_layers x;
	int n = snprintf(
		x.s, sizeof(x.s), "%lld layer%s", layers, names_plural(layers));

	if (vls > 0 && vls != layers)
		(void)snprintf(x.s + n, sizeof(x.s) - (size_t)n,
			" on %lld VL%s", vls, names_plural(vls));
	return x;
}
