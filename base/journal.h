/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * A journal: records with a time, appended to files of one directory, of which the oldest are removed so that all
 * together have a bounded size.
 *
 *     PREFIX-000000000000002a.log:  "FTJ1"  crc32  length  kind 0 0 0  time_ms  bytes…   (little-endian; 24 bytes of
 * head)
 *
 * Invariants: bytes that were written are never changed, nor written again. A record that was cut (the writer was
 * killed, the disk was full) ends its file: readers go on with the next file, and so does the next writer. Old files
 * are removed only after a newer record was written, so that a full disk costs new records and no old ones.
 *
 * There is one writer at a time, which the callers see to, and any number of readers.
 */
#ifndef FT_BASE_JOURNAL_H
#define FT_BASE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { FT_JOURNAL_HEAD = 24, FT_JOURNAL_RECORD_MAX = 256 * 1024 * 1024 };

struct ft_journal_record {
	int64_t time_ms; /* wall clock */
	uint8_t kind;	 /* the caller's */
	const char *bytes;
	size_t length;
};

/* The files of a journal by their numbers, from 1 to INT64_MAX, the oldest first. */
struct ft_journal_files {
	uint64_t *numbers; /* owned */
	size_t count;
};

void ft_journal_files_release(struct ft_journal_files *files);

/* Lists them; a directory that does not exist has none. Returns 0, or -errno. */
int ft_journal_list(const char *directory, const char *prefix, struct ft_journal_files *ret_files);

/*
 * Reads one file; it may grow meanwhile.
 *
 * @most       bytes of it: a directory in which others write costs no more memory
 * @ret_bytes  out: for free(). Untouched on failure
 * Returns 0, or -errno; -ENOENT: it was removed since it was listed; -EFBIG: it is larger than @most.
 */
int ft_journal_read(const char *directory, const char *prefix, uint64_t number, size_t most, char **ret_bytes,
		    size_t *ret_length);

/*
 * The first bytes of a file's first record, which may be damaged: nothing is checked. So it is told at little cost
 * which file has what is looked for.
 *
 * Returns how many they are, at most @size; 0: there is no record; or -errno.
 */
ssize_t ft_journal_peek(const char *directory, const char *prefix, uint64_t number, char *bytes, size_t size);

/*
 * The record at *@at, which moves behind it. @ret points into @bytes.
 * Returns false at the end, or where a record is cut or damaged: then *@at is less than @length.
 */
bool ft_journal_next(const char *bytes, size_t length, size_t *at, struct ft_journal_record *ret);

/* The writer. */
struct ft_journal;

/*
 * Opens the journal for writing; the directory must exist. It goes on in the newest file, if that ends with a whole
 * record, and else in a new one.
 *
 * @limit  of all files together, in bytes; the newest file is kept whatever its size
 * Returns 0 or -errno.
 */
int ft_journal_open(const char *directory, const char *prefix, uint64_t limit, struct ft_journal **ret_journal);

/* The bytes in the newest file; 0: the next record begins one. */
uint64_t ft_journal_file_length(const struct ft_journal *journal);

/* The next record begins a new file. */
void ft_journal_begin_file(struct ft_journal *journal);

/*
 * Appends a record. It survives the end of the process at once, and a power failure after ft_journal_sync().
 * Returns 0, or -errno (-ENOSPC, -EFBIG: larger than FT_JOURNAL_RECORD_MAX, -EOVERFLOW: there is no number left): then
 * it is not there.
 */
int ft_journal_append(struct ft_journal *journal, const struct ft_journal_record *record);

/* Waits until all is on disk. Returns 0 or -errno. */
int ft_journal_sync(const struct ft_journal *journal);

void ft_journal_free(struct ft_journal *journal);
static inline void ft_journal_freep(struct ft_journal **journal)
{
	ft_journal_free(*journal);
}

#endif
