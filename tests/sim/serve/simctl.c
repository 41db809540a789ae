#include "tests/sim/serve/simctl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sm/base/buf.h"
#include "tests/sim/serve/ibsimwire.h"

static const char usage[] =
	"usage: heddle-sim ctl [--name NAME | PATH] COMMAND...\n"
	"       heddle-sim ctl help\n";

static int
connect_server(const char *name, const char *path)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	socklen_t n = sizeof(a);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (!path)
		n = ibsimwire_address(name, "control", &a);
	else if (strlen(path) < sizeof(a.sun_path))
		memcpy(a.sun_path, path, strlen(path));
	if (fd >= 0 && n && connect(fd, (const struct sockaddr *)&a, n) == 0)
		return fd;
	(void)fprintf(stderr, "heddle-sim: no server at \"%s\": %s\n",
		path ? path : name, strerror(errno));
	if (fd >= 0)
		(void)close(fd);
	return -1;
}

/*
 * Join words to a line; words with blanks are quoted, for the server to split.
 */
static void
join_words(char **word, struct buf *out)
{
	for (; *word; word++) {
		const char *q = strpbrk(*word, " \t") || !**word ? "\"" : "";

		buf_printf(out, "%s%s%s%s", out->n ? " " : "", q, *word, q);
	}
	buf_printf(out, "\n");
}

static int
send_line(int fd, const struct buf *line)
{
	size_t done = 0;

	while (done < line->n) {
		ssize_t n = send(
			fd, line->text + done, line->n - done, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return -1;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Print the answer; the exit code. */
static int
print_answer(int fd)
{
	FILE *in = fdopen(fd, "r");
	char *line = NULL;
	size_t cap = 0;
	int rc = -1;

	while (in && rc < 0 && getline(&line, &cap, in) > 0) {
		if (*line == ' ') {
			(void)fputs(line + 1, stdout);
		} else {
			rc = strcmp(line, "ok\n") != 0;
			if (rc)
				(void)fputs(line, stderr);
		}
	}
	if (rc < 0)
		(void)fprintf(stderr, "heddle-sim: the server hung up\n");
	free(line);
	if (in)
		(void)fclose(in);
	return rc ? 1 : 0;
}

int
simctl_run(int argc, char **argv)
{
	const char *name = getenv("IBSIM_SOCKNAME"), *path = NULL;
	struct buf line = {0};
	int i = 1, fd, rc = 1;

	if (!name || !*name)
		name = "sim";
	if (argc > 2 && strcmp(argv[1], "--name") == 0) {
		name = argv[2];
		i = 3;
	} else if (argc > 2 && strchr(argv[1], '/')) {
		path = argv[1];
		i = 2;
	}
	if (i >= argc || argv[i][0] == '-') {
		(void)fputs(usage, stderr);
		return 2;
	}
	fd = connect_server(name, path);
	if (fd < 0)
		return 1;
	join_words(argv + i, &line);
	if (send_line(fd, &line))
		(void)close(fd);
	else
		rc = print_answer(fd);
	buf_free(&line);
	return rc;
}
