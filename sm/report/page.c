#include "sm/report/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sm/report/json_util.h"
#include "sm/report/names.h"

enum { KEY = 40 };

/* The member at a path, which ends at a bracket or with the text. */
static const json_t *
find_member(const json_t *o, const char *path)
{
	while (*path != '\0' && *path != ')') {
		size_t n = strcspn(path, ".)");
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
put_value(struct buf *out, const json_t *v, const struct conversion *c)
{
	long long number = json_integer_value(v);
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

/* What "(name)s" or "(name)[one|several]" stands for; what follows it. */
static const char *
put_member(struct buf *out, const json_t *o, const char *at)
{
	const json_t *v = find_member(o, at + 1);
	struct conversion c;

	at += strcspn(at, ")");
	if (at[0] == ')' && at[1] == '[')
		return put_choice(out, v, at + 2);
	at = read_conversion(*at == ')' ? at + 1 : at, &c);
	put_value(out, v, &c);
	return at;
}

void
page_print(struct buf *out, const json_t *o, const char *text)
{
	for (;;) {
		size_t plain = strcspn(text, "%");

		buf_put(out, text, plain);
		text += plain;
		if (*text == '\0')
			return;
		if (*++text == '(') {
			text = put_member(out, o, text);
			continue;
		}
		buf_put(out, "%", 1);
		text += *text == '%' ? 1 : 0;
	}
}

void
page_if(struct buf *out, const json_t *o, const char *key, const char *text)
{
	const json_t *v = find_member(o, key);

	if (json_is_true(v) || json_is_object(v) || json_array_size(v) > 0 ||
		json_string_length(v) > 0 || json_number_value(v) < 0 ||
		json_number_value(v) > 0)
		page_print(out, o, text);
}

void
page_each(struct buf *out, const json_t *list, const char *text)
{
	const json_t *e;
	size_t i;

	json_array_foreach(list, i, e) page_print(out, e, text);
}

const char *
page_text(const json_t *o, const char *key)
{
	return json_util_has_text(o, key) ? json_util_text(o, key) : "-";
}

void
page_line(const char *head, const json_t *o, const char *key, struct buf *out)
{
	if (json_util_has_text(o, key))
		buf_printf(out, "%s%s\n", head, json_util_text(o, key));
}

struct page_order
page_order(const json_t *o)
{
	const char *order = page_text(o, "order");
	struct page_order x = {""};

	if (strcmp(order, "none") != 0)
		(void)snprintf(x.s, sizeof(x.s), " over %s", order);
	return x;
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
