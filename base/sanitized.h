/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/* Whether AddressSanitizer (GCC's) is built in: its memory, and what it does at the end of a process, need exceptions.
 */
#ifndef FT_BASE_SANITIZED_H
#define FT_BASE_SANITIZED_H

#ifdef __SANITIZE_ADDRESS__
enum { FT_SANITIZED = 1 };
#else
enum { FT_SANITIZED = 0 };
#endif

#endif
