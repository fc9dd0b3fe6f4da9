/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
#include "config.h"

#include "base/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/cleanup.h"

enum { NUMBER_DIGITS = 16, NAME_SIZE = 64, FILE_MAX = 1 << 30, CRC_AT = 4, FILES_MAX = 65536 };

static const char magic[4] = {'F', 'T', 'J', '1'}, suffix[] = ".log";

/* Files are numbered from 1, one after the other. No writer ever comes that far, and behind the last there is none. */
static const uint64_t number_last = INT64_MAX;

static size_t lesser(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void name_make(const char *prefix, uint64_t number, char ret_name[NAME_SIZE])
{
	snprintf(ret_name, NAME_SIZE, "%s-%0*llx%s", prefix, NUMBER_DIGITS, (unsigned long long)number, suffix);
}

/* The number of a file of the journal; others in the directory are left alone. */
static bool name_read(const char *name, const char *prefix, uint64_t *ret_number)
{
	size_t length = strlen(prefix);
	char same[NAME_SIZE];

	if (strncmp(name, prefix, length) != 0 || name[length] != '-')
		return false;
	*ret_number = strtoull(name + length + 1, NULL, 16);
	name_make(prefix, *ret_number, same);
	return *ret_number > 0 && *ret_number <= number_last && strcmp(name, same) == 0;
}

/* ---- the files ---- */

void ft_journal_files_release(struct ft_journal_files *files)
{
	free(files->numbers);
	*files = (struct ft_journal_files){0};
}

static int number_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void dir_closep(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static int files_list(int directory, const char *prefix, struct ft_journal_files *ret_files)
{
	_cleanup_(ft_journal_files_release) struct ft_journal_files files = {0};
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_(dir_closep) DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	size_t size = 0;

	if (!dir) {
		int r = -errno;

		ft_closep(&fd);
		return r;
	}
	while ((entry = readdir(dir)) && files.count < FILES_MAX) {
		uint64_t number;

		if (!name_read(entry->d_name, prefix, &number))
			continue;
		if (files.count == size) {
			uint64_t *numbers;

			size = size ? size * 2 : 32;
			numbers = reallocarray(files.numbers, size, sizeof(*numbers));
			if (!numbers)
				return -ENOMEM;
			files.numbers = numbers;
		}
		files.numbers[files.count++] = number;
	}
	if (files.count > 0)
		qsort(files.numbers, files.count, sizeof(*files.numbers), number_compare);
	*ret_files = files;
	files = (struct ft_journal_files){0};
	return 0;
}

static int directory_open(const char *directory)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int ft_journal_list(const char *directory, const char *prefix, struct ft_journal_files *ret_files)
{
	_cleanup_(ft_closep) int fd = directory_open(directory);

	if (fd == -ENOENT) {
		*ret_files = (struct ft_journal_files){0};
		return 0;
	}
	return fd < 0 ? fd : files_list(fd, prefix, ret_files);
}

/* Only regular files: opening a FIFO would block for ever. */
static int file_open(int directory, const char *prefix, uint64_t number, int flags)
{
	char name[NAME_SIZE];
	struct stat st;
	int fd;

	name_make(prefix, number, name);
	fd = openat(directory, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0640);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

/* Up to @size bytes from @at on; fewer at the end of the file. Returns how many, or -errno. */
static ssize_t bytes_read(int fd, off_t at, char *bytes, size_t size)
{
	size_t length = 0;

	while (length < size) {
		ssize_t n = pread(fd, bytes + length, size - length, at + (off_t)length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		length += (size_t)n;
	}
	return (ssize_t)length;
}

static int file_read(int fd, size_t most, char **ret_bytes, size_t *ret_length)
{
	_cleanup_free_ char *bytes = NULL;
	struct stat st;
	ssize_t length;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (st.st_size > FILE_MAX || (size_t)st.st_size > most)
		return -EFBIG;
	bytes = malloc((size_t)st.st_size + 1);
	if (!bytes)
		return -ENOMEM;
	length = bytes_read(fd, 0, bytes, (size_t)st.st_size);
	if (length < 0)
		return (int)length;
	*ret_bytes = FT_STEAL(bytes);
	*ret_length = (size_t)length;
	return 0;
}

int ft_journal_read(const char *directory, const char *prefix, uint64_t number, size_t most, char **ret_bytes,
		    size_t *ret_length)
{
	_cleanup_(ft_closep) int in = directory_open(directory), fd = -1;

	if (in < 0)
		return in;
	fd = file_open(in, prefix, number, O_RDONLY);
	return fd < 0 ? fd : file_read(fd, most, ret_bytes, ret_length);
}

/* ---- records ---- */

static void number_put(char *to, uint64_t number, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		to[i] = (char)(number >> 8 * i & 0xff);
}

static uint64_t number_get(const char *from, size_t bytes)
{
	uint64_t number = 0;

	for (size_t i = 0; i < bytes; i++)
		number |= (uint64_t)(unsigned char)from[i] << 8 * i;
	return number;
}

/* Of the head behind the checksum, and the bytes. */
static uint32_t checksum(const char head[FT_JOURNAL_HEAD], const char *bytes, size_t length)
{
	enum { FROM = CRC_AT + 4 };
	uLong crc = crc32(0, (const unsigned char *)head + FROM, FT_JOURNAL_HEAD - FROM);

	/* Without bytes crc32_z() would begin anew. */
	return (uint32_t)(length > 0 ? crc32_z(crc, (const unsigned char *)bytes, length) : crc);
}

static void head_write(const struct ft_journal_record *record, char ret_head[FT_JOURNAL_HEAD])
{
	memcpy(ret_head, magic, sizeof(magic));
	number_put(ret_head + 8, record->length, 4);
	number_put(ret_head + 12, record->kind, 4);
	number_put(ret_head + 16, (uint64_t)record->time_ms, 8);
	number_put(ret_head + CRC_AT, checksum(ret_head, record->bytes, record->length), 4);
}

ssize_t ft_journal_peek(const char *directory, const char *prefix, uint64_t number, char *bytes, size_t size)
{
	_cleanup_(ft_closep) int in = directory_open(directory), fd = -1;
	char head[FT_JOURNAL_HEAD];
	ssize_t length;

	if (in < 0)
		return in;
	fd = file_open(in, prefix, number, O_RDONLY);
	if (fd < 0)
		return fd;
	length = bytes_read(fd, 0, head, sizeof(head));
	if (length < FT_JOURNAL_HEAD || memcmp(head, magic, sizeof(magic)) != 0)
		return length < 0 ? length : 0;
	return bytes_read(fd, FT_JOURNAL_HEAD, bytes, lesser(size, number_get(head + 8, 4)));
}

bool ft_journal_next(const char *bytes, size_t length, size_t *at, struct ft_journal_record *ret)
{
	const char *head = bytes + *at;
	size_t left = length - *at, size;

	if (left < FT_JOURNAL_HEAD || memcmp(head, magic, sizeof(magic)) != 0)
		return false;
	size = number_get(head + 8, 4);
	if (size > FT_JOURNAL_RECORD_MAX || size > left - FT_JOURNAL_HEAD ||
	    number_get(head + CRC_AT, 4) != checksum(head, head + FT_JOURNAL_HEAD, size))
		return false;
	*ret = (struct ft_journal_record){
		.time_ms = (int64_t)number_get(head + 16, 8),
		.kind = (uint8_t)head[12],
		.bytes = head + FT_JOURNAL_HEAD,
		.length = size,
	};
	*at += FT_JOURNAL_HEAD + size;
	return true;
}

/* ---- writing ---- */

static int all_write(int fd, const char *bytes, size_t length, off_t at)
{
	while (length > 0) {
		ssize_t n = pwrite(fd, bytes, length, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		bytes += n;
		at += n;
		length -= (size_t)n;
	}
	return 0;
}

/* Is the record at @at whole, and which one is it? In pieces: it may be large. Returns 1, 0 or -errno. */
static int record_check(int fd, off_t at, size_t *ret_length)
{
	char head[FT_JOURNAL_HEAD], piece[1 << 16];
	ssize_t n = bytes_read(fd, at, head, sizeof(head));
	size_t length, done = 0;
	uint32_t sum;

	if (n < FT_JOURNAL_HEAD || memcmp(head, magic, sizeof(magic)) != 0)
		return n < 0 ? (int)n : 0;
	length = number_get(head + 8, 4);
	if (length > FT_JOURNAL_RECORD_MAX)
		return 0;
	sum = checksum(head, NULL, 0);
	while (done < length) {
		n = bytes_read(fd, at + FT_JOURNAL_HEAD + (off_t)done, piece, lesser(sizeof(piece), length - done));
		if (n <= 0)
			return (int)n;
		sum = (uint32_t)crc32_z(sum, (const unsigned char *)piece, (size_t)n);
		done += (size_t)n;
	}
	*ret_length = FT_JOURNAL_HEAD + length;
	return sum == number_get(head + CRC_AT, 4);
}

/* A file can be continued that is whole: readers would not get beyond a damaged record, after a power failure. */
static int end_find(int fd, off_t *ret_end)
{
	struct stat st;
	size_t length;
	off_t at = 0;
	int r;

	while ((r = record_check(fd, at, &length)) > 0)
		at += (off_t)length;
	if (r < 0 || fstat(fd, &st) < 0)
		return r < 0 ? r : -errno;
	*ret_end = at;
	return at == st.st_size ? 0 : -EBADMSG;
}

struct ft_journal {
	int directory, fd; /* @fd -1: the next record begins a file */
	char prefix[NAME_SIZE / 2];
	uint64_t number; /* of the newest file; 0: there is none */
	uint64_t limit;
	uint64_t others; /* bytes in the other files */
	off_t end;	 /* of the newest one */
};

void ft_journal_free(struct ft_journal *j)
{
	if (!j)
		return;
	ft_closep(&j->fd);
	ft_closep(&j->directory);
	free(j);
}

static off_t file_size(const struct ft_journal *j, uint64_t number)
{
	char name[NAME_SIZE];
	struct stat st;

	name_make(j->prefix, number, name);
	return fstatat(j->directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_size : 0;
}

/* The newest file, if it can be continued. */
static void newest_take(struct ft_journal *j)
{
	off_t end = 0;

	j->fd = file_open(j->directory, j->prefix, j->number, O_RDWR);
	if (j->fd >= 0 && end_find(j->fd, &end) == 0) {
		j->end = end;
		return;
	}
	ft_journal_begin_file(j);
}

int ft_journal_open(const char *directory, const char *prefix, uint64_t limit, struct ft_journal **ret_journal)
{
	_cleanup_(ft_journal_files_release) struct ft_journal_files files = {0};
	_cleanup_(ft_journal_freep) struct ft_journal *j = calloc(1, sizeof(*j));
	int r;

	if (!j || strlen(prefix) >= sizeof(j->prefix))
		return j ? -EINVAL : -ENOMEM;
	strcpy(j->prefix, prefix);
	j->limit = limit;
	j->fd = -1;
	j->directory = directory_open(directory);
	if (j->directory < 0)
		return j->directory;
	r = files_list(j->directory, prefix, &files);
	if (r < 0)
		return r;
	if (files.count > 0) {
		j->number = files.numbers[files.count - 1];
		newest_take(j);
	}
	for (size_t i = 0; i < files.count; i++)
		if (j->fd < 0 || files.numbers[i] != j->number)
			j->others += (uint64_t)file_size(j, files.numbers[i]);
	*ret_journal = FT_STEAL(j);
	return 0;
}

uint64_t ft_journal_file_length(const struct ft_journal *j)
{
	return j->fd < 0 ? 0 : (uint64_t)j->end;
}

void ft_journal_begin_file(struct ft_journal *j)
{
	if (j->fd >= 0)
		close(j->fd);
	j->others += (uint64_t)j->end;
	j->fd = -1;
	j->end = 0;
}

/* Removes the oldest files beyond the limit. What cannot be removed is tried again the next time. */
static void oldest_remove(struct ft_journal *j)
{
	_cleanup_(ft_journal_files_release) struct ft_journal_files files = {0};
	char name[NAME_SIZE];
	uint64_t sum = (uint64_t)j->end;
	size_t i;

	if (sum + j->others <= j->limit || files_list(j->directory, j->prefix, &files) < 0)
		return;
	j->others = 0;
	for (i = files.count; i > 0; i--) {
		uint64_t size = files.numbers[i - 1] == j->number ? 0 : (uint64_t)file_size(j, files.numbers[i - 1]);

		if (sum + size > j->limit)
			break;
		sum += size;
		j->others += size;
	}
	while (i-- > 0) {
		name_make(j->prefix, files.numbers[i], name);
		if (files.numbers[i] != j->number)
			unlinkat(j->directory, name, 0);
	}
}

/* The head, then the bytes. What cannot be written whole is taken back, so that the next record finds a whole file. */
static int record_write(const struct ft_journal *j, const struct ft_journal_record *record)
{
	char head[FT_JOURNAL_HEAD];
	int r;

	head_write(record, head);
	r = all_write(j->fd, head, sizeof(head), j->end);
	if (r == 0)
		r = all_write(j->fd, record->bytes, record->length, j->end + FT_JOURNAL_HEAD);
	if (r < 0)
		(void)!ftruncate(j->fd, j->end);
	return r;
}

int ft_journal_append(struct ft_journal *j, const struct ft_journal_record *record)
{
	char name[NAME_SIZE];
	int r;

	if (record->length > FT_JOURNAL_RECORD_MAX)
		return -EFBIG;
	if (j->fd < 0) {
		if (j->number == number_last)
			return -EOVERFLOW;
		j->fd = file_open(j->directory, j->prefix, j->number + 1, O_RDWR | O_CREAT | O_EXCL);
		if (j->fd < 0)
			return j->fd;
		j->number++;
	}
	r = record_write(j, record);
	if (r == 0) {
		j->end += FT_JOURNAL_HEAD + (off_t)record->length;
		oldest_remove(j);
	} else if (j->end == 0) {
		/* An empty file is of no use. */
		ft_journal_begin_file(j);
		name_make(j->prefix, j->number, name);
		unlinkat(j->directory, name, 0);
	}
	return r;
}

int ft_journal_sync(const struct ft_journal *j)
{
	if (j->fd >= 0 && fdatasync(j->fd) < 0)
		return -errno;
	return fsync(j->directory) < 0 ? -errno : 0;
}
