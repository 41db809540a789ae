#include "sm/completion.h"

#include <ctype.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sm/base/loop.h"
#include "sm/base/mem.h"
#include "sm/ctl/client.h"
#include "sm/event/event_kind.h"
#include "sm/report/json_util.h"

/* A shell waits so long for the names, and then goes on without. */
enum { PATIENCE_MS = 2000 };

/* Values of options that are words of a list. */
static const struct {
	const char *option, *words;
} choices[] = {
	{"--format", "table json ibnetdiscover svg dot slurm slurm-yaml"},
	{"--list", "irregularities switches multi-port"},
};

/* An option whose values are the kinds of events. */
static const char kind_option[] = "--kind";

struct line {
	const struct completion_source *from;
	const char *socket;
	const char *command;  /* NULL: none yet */
	const char *last;     /* what is being typed */
	const char *value_of; /* the option whose value that is; NULL: none */
	const char *arg;      /* ... and the name of that value */
	struct buf *out;
};

static void
offer_word(const struct line *l, const char *word, size_t n)
{
	size_t typed = strlen(l->last);

	if (n >= typed && strncmp(word, l->last, typed) == 0)
		buf_printf(l->out, "%.*s\n", (int)n, word);
}

/* Each word of a text that is separated by blanks. */
static void
offer_list(const struct line *l, const char *text)
{
	while (*text != '\0') {
		size_t n = strcspn(text, " ");

		offer_word(l, text, n);
		text += n + strspn(text + n, " ");
	}
}

static int
compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in the topology, sorted, each once. */
static void
offer_sorted(const struct line *l, const json_t *nodes)
{
	size_t n = json_array_size(nodes), found = 0;
	const char **name = mem_alloc((n + 1) * sizeof(*name));

	for (size_t i = 0; i < n; i++) {
		name[found] = json_string_value(
			json_object_get(json_array_get(nodes, i), "name"));
		if (name[found] != NULL && *name[found] != '\0' &&
			strpbrk(name[found], "\n\r\t") == NULL)
			found++;
	}
	qsort(name, found, sizeof(*name), compare_texts);
	for (size_t i = 0; i < found; i++)
		if (i == 0 || strcmp(name[i], name[i - 1]) != 0)
			offer_word(l, name[i], strlen(name[i]));
	free(name);
}

/* The names of nodes, from the daemon; none if it does not answer. */
static void
offer_names(const struct line *l)
{
	struct mono until = mono_add(loop_now(), mono_ms(PATIENCE_MS));
	enum client_fault fault;
	struct reason why;
	json_t *request, *reply;
	int fd = client_connect(l->socket, &fault, &why);

	if (fd < 0)
		return;
	request = json_util_object(M("cmd", "topology"));
	reply = client_ask(fd, request, until, &fault, &why);
	offer_sorted(
		l, json_object_get(json_object_get(reply, "result"), "nodes"));
	json_decref(reply);
	json_decref(request);
	(void)close(fd);
}

/* True if a text in a help names a file. */
static bool
is_file(const char *text)
{
	return strstr(text, "FILE") != NULL || strstr(text, "CONF") != NULL ||
	       strstr(text, "PATH") != NULL;
}

/* True if it names a node: NODE, or one capital letter or word of the routes */
static bool
is_node(const char *text)
{
	static const char *const words[] = {
		"FROM", "TO", "X", "A", "B", "NODE"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *at = strstr(text, words[i]);
		size_t n = strlen(words[i]);

		if (at != NULL &&
			(at == text || !isalpha((unsigned char)at[-1])) &&
			!isalpha((unsigned char)at[n]))
			return true;
	}
	return false;
}

static void
offer_value(const struct line *l)
{
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
		if (strcmp(choices[i].option, l->value_of) == 0)
			offer_list(l, choices[i].words);
	for (unsigned k = 0;
		k < EVENT_KINDS && strcmp(kind_option, l->value_of) == 0; k++) {
		const char *name = event_kind_row((enum event_kind)k)->name;

		offer_word(l, name, strlen(name));
	}
	if (is_file(l->arg))
		buf_printf(l->out, ":file\n");
	else if (is_node(l->arg))
		offer_names(l);
}

/* The words in small letters of a help's operands. */
static void
offer_literals(const struct line *l, const char *operands)
{
	while (*operands != '\0') {
		size_t n = strspn(operands, "abcdefghijklmnopqrstuvwxyz-");

		if (n > 1)
			offer_word(l, operands, n);
		operands += n + (n == 0 ? 1 : 0);
	}
}

static void
offer_options(const struct line *l)
{
	const char *arg, *word;

	offer_list(l, "--json --socket --help");
	for (size_t i = 0;
		l->command != NULL &&
		(word = l->from->option(l->command, i, &arg)) != NULL;
		i++)
		if (strcmp(word, "--json") != 0)
			offer_word(l, word, strlen(word));
}

static void
offer_operands(const struct line *l)
{
	const char *word, *operands;

	if (l->command == NULL) {
		for (size_t i = 0; (word = l->from->command(i)) != NULL; i++)
			offer_word(l, word, strlen(word));
		return;
	}
	operands = l->from->operands(l->command);
	if (operands == NULL)
		return;
	offer_literals(l, operands);
	if (is_file(operands))
		buf_printf(l->out, ":file\n");
	else if (is_node(operands))
		offer_names(l);
}

/* Whether typed is the option `word`, or its letter: in all tables that is the
 * first one of the word. */
static bool
is_option(const char *typed, const char *word)
{
	return strcmp(typed, word) == 0 ||
	       (typed[0] == '-' && typed[1] == word[2] && typed[1] != '\0' &&
		       typed[2] == '\0');
}

/* The name of the value that an option takes; NULL: none. */
static const char *
value_name(const struct line *l, const char *option)
{
	const char *arg, *word;

	if (strcmp(option, "--socket") == 0)
		return "PATH";
	for (size_t i = 0;
		l->command != NULL &&
		(word = l->from->option(l->command, i, &arg)) != NULL;
		i++)
		if (is_option(option, word))
			return arg;
	return NULL;
}

/* Note what the words before the last one say. */
static void
read_words(struct line *l, size_t n, char *const *word)
{
	for (size_t i = 0; i + 1 < n; i++) {
		const char *arg = value_name(l, word[i]);

		if (arg != NULL && i + 2 < n) {
			if (strcmp(word[i], "--socket") == 0)
				l->socket = word[i + 1];
			i++;
		} else if (arg != NULL) {
			l->value_of = word[i];
			l->arg = arg;
		} else if (word[i][0] != '-' && l->command == NULL) {
			l->command = word[i];
		}
	}
}

void
completion_words(const struct completion_source *from, size_t n,
	char *const *word, const char *socket, struct buf *out)
{
	struct line l = {.from = from,
		.socket = socket,
		.last = n > 0 ? word[n - 1] : "",
		.out = out};

	read_words(&l, n, word);
	if (l.value_of != NULL)
		offer_value(&l);
	else if (l.last[0] == '-')
		offer_options(&l);
	else
		offer_operands(&l);
}
