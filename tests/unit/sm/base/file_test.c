/* Files read whole, and first lines. */
#include "sm/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/suite.h"

/* The name of a new file that holds these bytes; free it and the file. */
static char *
make_file(const char *bytes, size_t n)
{
	char *name = strdup("/tmp/heddle-file-XXXXXX");
	int fd = mkstemp(name);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, n), (ssize_t)n);
	(void)close(fd);
	return name;
}

static ssize_t
read_file(const char *name, size_t most, char **text)
{
	int fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = file_read_regular(fd, most, text);
	int error = errno;

	(void)close(fd);
	errno = error;
	return n;
}

TEST(read_whole_file)
{
	char *name = make_file("a\0bc", 4), *text;

	ck_assert_int_eq(read_file(name, 100, &text), 4);
	ck_assert_mem_eq(text, "a\0bc", 5);
	free(text);
	ck_assert_int_eq(read_file(name, 3, &text), 3);
	ck_assert_mem_eq(text, "a\0b", 4);
	free(text);
	(void)unlink(name);
	free(name);
	name = make_file("", 0);
	ck_assert_int_eq(read_file(name, 3, &text), 0);
	ck_assert_str_eq(text, "");
	free(text);
	(void)unlink(name);
	free(name);
	/* a file whose size is not told */
	ck_assert_int_gt(read_file("/proc/self/stat", 4096, &text), 4);
	free(text);
}

TEST(refuse_what_is_no_file)
{
	char *name = make_file("", 0), *text;

	ck_assert_int_eq(read_file("/tmp", 100, &text), -1);
	ck_assert_int_eq(errno, EISDIR);
	ck_assert_ptr_null(text);
	(void)unlink(name);
	ck_assert_int_eq(mkfifo(name, 0600), 0);
	ck_assert_int_eq(read_file(name, 100, &text), -1);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_ptr_null(text);
	(void)unlink(name);
	ck_assert_int_eq(file_read_regular(-1, 100, &text), -1);
	ck_assert_int_eq(errno, EBADF);
	free(name);
}

TEST(read_text)
{
	enum { LONG = 200000 };
	char *bytes = calloc(1, LONG), *name, *text;
	int end[2], fd;

	memset(bytes, 'x', LONG);
	name = make_file(bytes, LONG);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(file_read_text(fd, &text), LONG);
	ck_assert_mem_eq(text, bytes, LONG);
	ck_assert_int_eq(text[LONG], '\0');
	free(text);
	ck_assert_int_eq(file_read_text(fd, &text), 0);
	ck_assert_str_eq(text, "");
	free(text);
	(void)close(fd);
	(void)unlink(name);
	free(name);
	bytes[LONG - 1] = '\0';
	name = make_file(bytes, LONG);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(file_read_text(fd, &text), -1);
	ck_assert_int_eq(errno, EILSEQ);
	ck_assert_ptr_null(text);
	(void)close(fd);
	(void)unlink(name);
	free(name);
	free(bytes);
	ck_assert_int_eq(pipe(end), 0);
	ck_assert_int_eq(write(end[1], "ab", 2), 2);
	(void)close(end[1]);
	ck_assert_int_eq(file_read_text(end[0], &text), 2);
	ck_assert_str_eq(text, "ab");
	free(text);
	(void)close(end[0]);
	ck_assert_int_eq(file_read_text(-1, &text), -1);
	ck_assert_int_eq(errno, EBADF);
}

TEST(read_first_line)
{
	char *name = make_file("5: LinkUp\nmore\n", 15), text[16];

	ck_assert(file_read_line(name, text, sizeof(text)));
	ck_assert_str_eq(text, "5: LinkUp");
	ck_assert(file_read_line(name, text, 5));
	ck_assert_str_eq(text, "5: L");
	(void)unlink(name);
	ck_assert(!file_read_line(name, text, sizeof(text)));
	ck_assert_str_eq(text, "");
	free(name);
}

/* The file is complete, readable for all, and no other file is left. */
TEST(replace_file)
{
	char dir[] = "/tmp/heddle-file-XXXXXX", path[64], got[32];
	AUTO(buf) struct buf text = {0};
	struct reason why;
	struct stat st;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/h.prom", dir);
	buf_printf(&text, "heddle_up 1\n");
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(file_replace(path, &text, &why), 0);
		ck_assert(file_read_line(path, got, sizeof(got)));
		ck_assert_str_eq(got, "heddle_up 1");
	}
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0644);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(file_replace(path, &text, &why), -1);
	ck_assert_ptr_nonnull(strstr(why.text, "h.prom: is not a regular"));
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(file_replace(path, &text, &why), -1);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert(S_ISFIFO(st.st_mode));
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(rmdir(dir), 0);
	ck_assert_int_eq(file_replace(path, &text, &why), -1);
	ck_assert_ptr_nonnull(strstr(why.text, "h.prom: No such file"));
}
