/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * To be preloaded: a fabric whose ports are protected by the M_Key that FT_M_KEY names, with M_KeyProtectBits 2: an SMP
 * without that key is answered by nobody (IBTA Vol 1, 14.2.4). ibsim knows no M_Key, so such an SMP is sent where there
 * is no port. Other management packets have to carry zeros in that place.
 */
#include <dlfcn.h>
#include <endian.h>
#include <infiniband/umad.h>
#include <infiniband/umad_sm.h>
#include <infiniband/umad_types.h>
#include <stdlib.h>

enum { NO_PORT = 254 };

static void key_check(void *umad)
{
	struct umad_smp *smp = umad_get_mad(umad);
	const char *key = getenv("FT_M_KEY");

	if (smp->mgmt_class != UMAD_CLASS_SUBN_DIRECTED_ROUTE) {
		if (smp->mkey != 0)
			abort();
		return;
	}
	if (!key || be64toh(smp->mkey) == strtoull(key, NULL, 0))
		return;
	if (smp->hop_cnt == 0)
		smp->hop_cnt = 1;
	smp->initial_path[smp->hop_cnt] = NO_PORT;
}

int umad_send(int fd, int agent, void *umad, int length, int timeout_ms, int retries)
{
	int (*send)(int, int, void *, int, int, int) =
		(int (*)(int, int, void *, int, int, int))dlsym(RTLD_NEXT, "umad_send");

	if (!send)
		abort();
	key_check(umad);
	return send(fd, agent, umad, length, timeout_ms, retries);
}
