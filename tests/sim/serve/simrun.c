#include "tests/sim/serve/simrun.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <getopt.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sm/base/buf.h"
#include "tests/sim/serve/ibsimwire.h"
#include "tests/sim/serve/simserve.h"

static const char usage[] =
	"usage: heddle-sim run [--host NODE] [--preload umad2sim|heddle]\n"
	"           NAME | [--profile full|ibsim] FABRIC -- COMMAND...\n";

static const struct option long_options[] = {
	{"host", required_argument, NULL, 'h'},
	{"preload", required_argument, NULL, 'p'},
	{"profile", required_argument, NULL, 'f'},
	{NULL, 0, NULL, 0},
};

/* How long a server is waited for: two seconds. */
enum { PAUSES = 40, PAUSE_NS = 50000000 };

struct run {
	const char *host;
	const char *where;   /* name of a server, or a file */
	const char *profile; /* of our own server; NULL: the default */
	enum { AUTO, HEDDLE, UMAD2SIM } preload;
	char library[PATH_MAX];
	char name[64]; /* of our own server */
	char dir[64];  /* where the command runs */
	pid_t server;  /* -1: none */
};

static int
report_errno(const char *what)
{
	(void)fprintf(stderr, "heddle-sim: %s: %s\n", what, strerror(errno));
	return -1;
}

/* Find libheddle-umad.so: it is in the directory of this program. */
static int
find_heddle(struct run *r)
{
	static const char file[] = "libheddle-umad.so";
	ssize_t n = readlink("/proc/self/exe", r->library,
		sizeof(r->library) - sizeof(file));

	while (n > 0 && r->library[n - 1] != '/')
		n--;
	if (n <= 0)
		return -1;
	memcpy(r->library + n, file, sizeof(file));
	return access(r->library, R_OK);
}

static int
find_umad2sim(struct run *r)
{
	static const char *const places[] = {
		"/usr/lib/*/umad2sim/libumad2sim.so",
		"/usr/lib*/umad2sim/libumad2sim.so",
		"/usr/local/lib*/umad2sim/libumad2sim.so",
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		glob_t g;
		bool found = glob(places[i], 0, NULL, &g) == 0;

		if (found)
			(void)snprintf(r->library, sizeof(r->library), "%s",
				g.gl_pathv[0]);
		globfree(&g);
		if (found)
			return 0;
	}
	(void)fprintf(stderr,
		"heddle-sim: libumad2sim.so is not installed (Debian has "
		"it in libumad2sim0)\n");
	return -1;
}

/* True if a heddle-sim server has this name: libheddle-umad can talk to it. */
static bool
is_our_server(const char *name)
{
	struct sockaddr_un a;
	socklen_t n = ibsimwire_address(name, "control", &a);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool ours = fd >= 0 && n &&
		    connect(fd, (const struct sockaddr *)&a, n) == 0;

	if (fd >= 0)
		(void)close(fd);
	return ours;
}

/* As is_our_server; a server that was started in this moment is waited for. */
static bool
awaits_our_server(const char *name)
{
	static const struct timespec pause = {0, PAUSE_NS};

	for (int i = 0; i < PAUSES; i++) {
		if (is_our_server(name))
			return true;
		(void)nanosleep(&pause, NULL);
	}
	return false;
}

static int
find_library(struct run *r)
{
	if (r->preload == UMAD2SIM)
		return find_umad2sim(r);
	if ((r->preload == HEDDLE || awaits_our_server(r->where)) &&
		find_heddle(r) == 0) {
		r->preload = HEDDLE;
		return 0;
	}
	if (r->preload == HEDDLE)
		return report_errno(r->library);
	r->preload = UMAD2SIM;
	return find_umad2sim(r);
}

/* Start a server for this run alone; it ends with this process. */
static int
start_server(struct run *r)
{
	int fd[2];
	char byte;
	pid_t self = getpid();

	(void)snprintf(r->name, sizeof(r->name), "heddle-sim-%d", (int)self);
	if (pipe2(fd, O_CLOEXEC))
		return report_errno("pipe");
	r->server = fork();
	if (r->server < 0) {
		(void)close(fd[0]);
		(void)close(fd[1]);
		return report_errno("fork");
	}
	if (r->server == 0) {
		(void)close(fd[0]);
		(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != self)
			_exit(1);
		_exit(simserve_plain(r->where, r->name, r->profile, fd[1]));
	}
	(void)close(fd[1]);
	r->where = r->name;
	if (read(fd[0], &byte, 1) != 1)
		byte = 1; /* the server has printed the reason */
	(void)close(fd[0]);
	return byte;
}

static int
remove_entry(const char *path, const struct stat *st, int type, struct FTW *w)
{
	(void)st;
	(void)type;
	(void)w;
	return remove(path);
}

/* Set LD_PRELOAD to our library in front of the present value. */
static void
set_preload(const struct run *r)
{
	const char *old = getenv("LD_PRELOAD");
	struct buf b = {0};

	buf_printf(&b, "%s%s%s", r->library, old && *old ? ":" : "",
		old ? old : "");
	(void)setenv("LD_PRELOAD", b.text, 1);
	buf_free(&b);
}

/* In the child: execute the command. */
static void
exec_command(const struct run *r, char **command)
{
	char *path = command[0];

	/* a program named by a relative path must be found after chdir */
	if (strchr(path, '/'))
		path = realpath(path, NULL);
	(void)setenv("IBSIM_SOCKNAME", r->where, 1);
	if (r->host)
		(void)setenv("SIM_HOST", r->host, 1);
	(void)setenv("OSM_TMP_DIR", r->dir, 0);
	(void)setenv("OSM_CACHE_DIR", r->dir, 0);
	/* libumad2sim.so leaves its tree in the working directory */
	if (!path || (r->preload == UMAD2SIM && chdir(r->dir))) {
		(void)report_errno(command[0]);
		_exit(127);
	}
	set_preload(r);
	(void)execvp(path, command);
	(void)unsetenv("LD_PRELOAD");
	(void)report_errno(command[0]);
	_exit(127);
}

/*
 * Wait for the command; signals sent to this process alone are passed on to it.
 */
static int
wait_for(pid_t pid, const sigset_t *signals)
{
	int status, sig;

	for (;;) {
		pid_t got = waitpid(pid, &status, WNOHANG);

		if (got == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status)
						 : 128 + WTERMSIG(status);
		if (got < 0 && errno != EINTR)
			return 1;
		sig = sigwaitinfo(signals, NULL);
		if (sig == SIGTERM || sig == SIGHUP)
			(void)kill(pid, sig);
	}
}

/* Run the command; signals of the terminal are left to it. */
static int
run_command(const struct run *r, char **command)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, was[2];
	sigset_t signals, before;
	pid_t pid;
	int rc;

	(void)sigemptyset(&signals);
	(void)sigaddset(&signals, SIGCHLD);
	(void)sigaddset(&signals, SIGTERM);
	(void)sigaddset(&signals, SIGHUP);
	(void)sigprocmask(SIG_BLOCK, &signals, &before);
	(void)sigaction(SIGINT, &ignore, &was[0]);
	(void)sigaction(SIGQUIT, &ignore, &was[1]);
	pid = fork();
	if (pid == 0) {
		(void)sigaction(SIGINT, &was[0], NULL);
		(void)sigaction(SIGQUIT, &was[1], NULL);
		(void)sigprocmask(SIG_SETMASK, &before, NULL);
		exec_command(r, command);
	}
	rc = pid < 0 ? -report_errno("fork") : wait_for(pid, &signals);
	(void)sigaction(SIGINT, &was[0], NULL);
	(void)sigaction(SIGQUIT, &was[1], NULL);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

/* End our own server, if there is one, and pass rc on. */
static int
stop_server(const struct run *r, int rc)
{
	if (r->server > 0) {
		(void)kill(r->server, SIGTERM);
		while (waitpid(r->server, NULL, 0) < 0 && errno == EINTR)
			;
	}
	return rc;
}

static int
run_on_fabric(struct run *r, char **command)
{
	struct stat st;
	int rc;

	if (stat(r->where, &st) == 0 && !S_ISDIR(st.st_mode)) {
		if (start_server(r))
			return stop_server(r, 1);
	} else if (r->profile) {
		(void)fprintf(stderr,
			"heddle-sim: \"%s\" is no file: the "
			"profile is its server's choice\n",
			r->where);
		return 2;
	}
	if (find_library(r))
		return stop_server(r, 1);
	(void)snprintf(r->dir, sizeof(r->dir), "%s", "/tmp/heddle-sim.XXXXXX");
	if (!mkdtemp(r->dir)) {
		(void)report_errno(r->dir);
		return stop_server(r, 1);
	}
	rc = run_command(r, command);
	(void)nftw(r->dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	return stop_server(r, rc);
}

int
simrun_run(int argc, char **argv)
{
	struct run r = {.server = -1};
	int c, cut = 0;

	while (cut < argc && strcmp(argv[cut], "--") != 0)
		cut++;
	if (cut + 1 >= argc)
		goto bad;
	argv[cut] = NULL;
	while ((c = getopt_long(cut, argv, "", long_options, NULL)) != -1) {
		if (c == 'h')
			r.host = optarg;
		else if (c == 'f')
			r.profile = optarg;
		else if (c == 'p' && strcmp(optarg, "heddle") == 0)
			r.preload = HEDDLE;
		else if (c == 'p' && strcmp(optarg, "umad2sim") == 0)
			r.preload = UMAD2SIM;
		else
			goto bad;
	}
	if (optind + 1 != cut)
		goto bad;
	r.where = argv[optind];
	return run_on_fabric(&r, argv + cut + 1);
bad:
	(void)fputs(usage, stderr);
	return 2;
}
