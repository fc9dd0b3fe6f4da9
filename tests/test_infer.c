/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * Inference on small fabrics made up here: what the design says, and what the verifier finds by it.
 *
 * A fabric is a few words:
 *
 *   tree EDGE E CORE C B H P  E switches EDGE1…, C switches CORE1… of P ports; H hosts on ports 1… of each edge, then B
 *                             cables to each core
 *   torus T X Y H P           switches Txy of P ports with H hosts, cabled to those beside in both directions
 *   switch NAME P             one more switch
 *   link A B N                N cables more, from the highest free ports on
 *   unplug A P                what is in this port of A
 *   cut A B N                 N of the cables between them are pulled
 *   hosts A N                 N hosts more, called "more", from the lowest free port on
 *   quiet A N                 N of its hosts are off
 *   sharp A                   an aggregation node on its last port
 *   dead A                    that switch is off, and its hosts are cut off
 *   name A NEW                another description; "_" stands for a blank, "~" for a byte that is no text
 *   hush A N                  N of its free ports, from the highest on, are up, and nobody answers there
 *   rate A B RATE             of one cable between them
 *   older A                   all that is cabled to A runs at 4xEDR
 *   aged A RATE [COUNT]       the hosts of A, or the first so many, run at that rate
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "planner/write/formats.h"
#include "probe/source.h"
#include "tests/allocations.h"
#include "tests/runs.h"
#include "verify/infer/infer.h"
#include "verify/report/resolve.h"
#include "verify/model/verify.h"

#define MAIN "tree leaf 6 core 3 2 8 36"
#define PODS                                                                                                    \
	"{\"ftcheck\":1,\"name\":\"t\",\"levels\":3,\"nodes\":54,\"edge\":{\"ports\":10,\"count\":18,"          \
	"\"ports_to_nodes\":3,\"ports_to_core\":6},\"spine\":{\"ports\":14,\"count\":12,\"ports_to_core\":4},"  \
	"\"core\":{"                                                                                            \
	"\"ports\":8,\"count\":12},\"pods\":[{\"count\":3,\"edges\":5},{\"count\":1,\"edges\":3}],\"bundle\":{" \
	"\"edge\":"                                                                                             \
	"2,\"spine\":1}}"

#define RING                                                                                                         \
	"switch a 36; switch b 36; switch c 36; switch d 36; switch e 36; hosts a 9; hosts b 9; hosts c 9; hosts d " \
	"9; "                                                                                                        \
	"hosts e 9; link a b 3; link b c 3; link c d 3; link d e 3; link e a 3"
#define RING4                                                                                                          \
	"switch a 36; switch b 36; switch c 36; switch d 36; hosts a 9; hosts b 9; hosts c 9; hosts d 9; link a b 3; " \
	"link b c 3; link c d 3; link d a 3"
/* Four cells of three leaves and two spines; the last two are cabled crosswise. */
#define CELLS                                                                                                        \
	"tree a 3 x 2 1 4 36; tree b 3 y 2 1 4 36; tree c 3 z 2 1 4 36; tree d 3 w 2 1 4 36; link x1 y1 1; link x2 " \
	"y2 1; "                                                                                                     \
	"link x1 z1 1; link x2 z2 1; link x1 w1 1; link x2 w2 1; link y1 z1 1; link y2 z2 1; link y1 w1 1; link y2 " \
	"w2 1; "                                                                                                     \
	"link z1 w2 1; link z2 w1 1"
/* Two pods of three spines, each of which shares four core switches with one of the other pod. */
#define PLANES                                                                                 \
	"switch c1 36; switch d1 36; switch e1 36; link x1 c1 1; link y1 c1 1; link x2 d1 1; " \
	"link y2 d1 1; link x3 e1 1; link y3 e1 1; switch c2 36; switch d2 36; switch e2 36; " \
	"link x1 c2 1; link y1 c2 1; link x2 d2 1; link y2 d2 1; link x3 e2 1; link y3 e2 1; " \
	"switch c3 36; switch d3 36; switch e3 36; link x1 c3 1; link y1 c3 1; link x2 d3 1; " \
	"link y2 d3 1; link x3 e3 1; link y3 e3 1; switch c4 36; switch d4 36; switch e4 36; " \
	"link x1 c4 1; link y1 c4 1; link x2 d4 1; link y2 d4 1; link x3 e4 1; link y3 e4 1"
/* Four groups of four routers, of which one has no cable to another group. */
#define GROUPS                                                                                           \
	"switch a1 36; hosts a1 8; switch a2 36; hosts a2 8; switch a3 36; hosts a3 8; switch a4 36; "   \
	"hosts a4 8; switch b1 36; hosts b1 8; switch b2 36; hosts b2 8; switch b3 36; hosts b3 8; "     \
	"switch b4 36; hosts b4 8; switch c1 36; hosts c1 8; switch c2 36; hosts c2 8; switch c3 36; "   \
	"hosts c3 8; switch c4 36; hosts c4 8; switch d1 36; hosts d1 8; switch d2 36; hosts d2 8; "     \
	"switch d3 36; hosts d3 8; switch d4 36; hosts d4 8; link a1 a2 1; link a1 a3 1; link a1 a4 1; " \
	"link a2 a3 1; link a2 a4 1; link a3 a4 1; link b1 b2 1; link b1 b3 1; link b1 b4 1; "           \
	"link b2 b3 1; link b2 b4 1; link b3 b4 1; link c1 c2 1; link c1 c3 1; link c1 c4 1; "           \
	"link c2 c3 1; link c2 c4 1; link c3 c4 1; link d1 d2 1; link d1 d3 1; link d1 d4 1; "           \
	"link d2 d3 1; link d2 d4 1; link d3 d4 1; link a1 b1 1; link a2 c1 1; link a3 d1 1; "           \
	"link b2 c2 1; link b3 d2 1; link c3 d3 1"
/* Of 4 x 3; two cables between those that are neighbours both ways would be no torus of side 2. */
/* Nine uplinks of each leaf on two core switches: five on the one and four on the other, in turn. */
#define TURN_LEAF(n, a, b) \
	"; switch leaf" n " 36; hosts leaf" n " 18; link leaf" n " core" a " 5; link leaf" n " core" b " 4"
#define TURNS                                                                                                         \
	"switch core1 36; switch core2 36" TURN_LEAF("1", "1", "2") TURN_LEAF("2", "2", "1") TURN_LEAF("3", "1", "2") \
		TURN_LEAF("4", "2", "1") TURN_LEAF("5", "1", "2")

/* A leaf that was cabled to six core switches in an order of its own. */
#define ANY_LEAF(n, a, b, c, d, e, f)                                                                         \
	"; switch leaf" n " 36; hosts leaf" n " 8; link leaf" n " core" a " 1; link leaf" n " core" b         \
	" 1; link leaf" n " core" c " 1; link leaf" n " core" d " 1; link leaf" n " core" e " 1; link leaf" n \
	" core" f " 1"
#define ANY_ORDER                                                                                               \
	"switch core1 36; switch core2 36; switch core3 36; switch core4 36; switch core5 36; switch core6 "    \
	"36" ANY_LEAF("1", "1", "2", "3", "4", "5", "6") ANY_LEAF("2", "3", "1", "6", "2", "5", "4")            \
		ANY_LEAF("3", "6", "4", "2", "5", "1", "3") ANY_LEAF("4", "2", "5", "4", "1", "3", "6")         \
			ANY_LEAF("5", "4", "6", "5", "3", "2", "1") ANY_LEAF("6", "5", "3", "1", "6", "4", "2") \
				ANY_LEAF("7", "2", "1", "4", "3", "6", "5")                                     \
					ANY_LEAF("8", "6", "2", "3", "5", "4", "1")

#define TORUS "torus t 4 3 2 36"

/* Six edges of ten uplinks to four cores: 3, 3, 2 and 2 each. */
#define UNEVEN "{\"ftcheck\":1,\"name\":\"t\",\"nodes\":60,\"edge\":{\"ports\":20},\"core\":{\"ports\":20}"

struct row {
	const char *what;
	const char *fabric;
	const char *expected; /* what the design holds, by "|"; or "!" and the error */
	const char
		*found; /* the verifier's findings by it; of a graph behind "=" what is planned otherwise than seen */
};

static const struct row rows[] = {
	{"a healthy tree", MAIN,
	 "\"topology\": \"fat-tree\"|\"nodes\": 48|\"edge\": {\"ports\": 36, \"count\": 6, \"ports_to_nodes\": 8, "
	 "\"ports_to_core\": 6}|\"core\": {\"ports\": 36, \"count\": 3}|\"bundle\": 2|18 of 18 edge-core pairs have 2 "
	 "cables|\"rate\": {\"uplink\": \"4xHDR\", \"host\": \"4xHDR\"}|\"edge\": "
	 "[\"leaf[1-6]\"]|\"core\": [\"core[1-3]\"]",
	 "ok"},
	{"missing cables do not count", MAIN "; cut leaf1 core1 1; cut leaf2 core1 2; cut leaf2 core3 1",
	 "\"bundle\": 2|15 of 18 edge-core pairs have 2 cables; 2 have 1, 1 has none",
	 "cable-missing cable-missing cable-missing"},
	{"nor do cables too many", MAIN "; link leaf1 core2 2; link leaf3 leaf4 1", "\"bundle\": 2|\"count\": 6",
	 "cable-unplanned cable-unplanned cable-unplanned"},
	{"but where many are missing there is no telling",
	 MAIN "; cut leaf1 core1 2; cut leaf2 core2 2; cut leaf3 core3 2; cut leaf4 core1 2; cut leaf5 core2 2",
	 "\"topology\": \"graph\"", NULL},
	{"a slow cable", MAIN "; rate leaf5 core3 4xEDR", "35 of 36 cables between switches run at 4xHDR",
	 "cable-slow"},
	{"a dead edge is not promised", MAIN "; dead leaf6", "\"count\": 5|\"nodes\": 40", "ok"},
	{"but one that the numbers miss is", MAIN "; dead leaf3",
	 "\"count\": 6|leaf3: nobody saw it|\"nodes\": 40|\"edge\": [\"leaf[1-2,4-6,3]\"]", "edge-isolated"},
	{"a dead core in the midst", MAIN "; dead core2",
	 "\"core\": {\"ports\": 36, \"count\": 3}|core2: nobody saw it|\"core\": [\"core[1,3,2]\"]", "core-missing"},
	{"a mute core",
	 MAIN "; dead core3; hush leaf1 2; hush leaf2 2; hush leaf3 2; hush leaf4 2; hush leaf5 2; hush leaf6 2",
	 "\"core\": {\"ports\": 36, \"count\": 3}|nobody saw it", "switch-mute"},
	{"aggregation nodes",
	 "tree leaf 4 core 2 2 8 37; sharp leaf1; sharp leaf2; sharp leaf3; sharp leaf4; sharp core1; sharp core2",
	 "\"nodes\": 32|\"edge\": {\"ports\": 36|\"core\": {\"ports\": 36|6 channel adapters are aggregation nodes",
	 "ok"},
	{"and some that do not answer",
	 "tree leaf 4 core 2 1 8 37; hush leaf1 1; hush leaf2 1; hush leaf3 1; hush leaf4 1; hush core1 1; hush core2 "
	 "1",
	 "\"core\": {\"ports\": 36, \"count\": 2}|\"edge\": {\"ports\": 36, \"count\": 4", NULL},
	{"a host on a core", MAIN "; hosts core1 1; name more node",
	 "\"count\": 6|1 of them is on a switch above, and not planned there", "host-on-core"},
	{"but one that is called like no other is there on purpose", MAIN "; hosts core1 1",
	 "\"count\": 6|{\"tier\": \"core\", \"count\": 1, \"hosts\": 1}", "="},
	{"several hosts on a core are there on purpose", MAIN "; hosts core1 2",
	 "\"count\": 6|{\"tier\": \"core\", \"count\": 1, \"hosts\": 2}", "="},
	{"or one on each of two", MAIN "; hosts core1 1; hosts core2 1",
	 "{\"tier\": \"core\", \"count\": 2, \"hosts\": 1}", "="},
	{"an edge whose hosts are all off", MAIN "; quiet leaf4 8", "\"count\": 6|\"nodes\": 40", "ok"},
	{"an edge with more hosts than the others", MAIN "; hosts leaf4 3",
	 "\"nodes\": 51|\"ports_to_nodes\": 11|5 of 6 edge switches have 8 hosts; 1 has 11|\"hosts\": [{\"count\": 1, "
	 "\"hosts\": 11}, {\"count\": 5, \"hosts\": 8}]",
	 "ok"},
	{"and one with more than beside the uplinks", MAIN "; cut leaf4 core1 2; hosts leaf4 24",
	 "{\"count\": 1, \"hosts\": 32, \"bundle\": [0, 2, 2]}", "="},
	{"one edge and its core", "switch hub 36; switch top 36; hosts hub 9; link hub top 9",
	 "\"topology\": \"fat-tree\"|\"edge\": {\"ports\": 36, \"count\": 1, \"ports_to_nodes\": 9, \"ports_to_core\": "
	 "9}|\"core\": {\"ports\": 36, \"count\": 1}|\"bundle\": 9",
	 "ok"},
	{"one pod and its cores",
	 "tree leaf 3 core 2 1 6 36; switch top1 8; switch top2 8; link core1 top1 3; link core2 top2 3",
	 "\"levels\": 3|\"pods\": 1|\"spine\": {\"ports\": 36, \"count\": 2, \"ports_to_core\": 3}", "ok"},
	{"a stray switch", MAIN "; switch stray 8; link stray leaf1 1; link stray core1 1",
	 "stray: no hosts, and a few cables that are in no pattern", "switch-unplanned"},
	{"one that serves a host is in service", MAIN "; switch spare 8; link spare core1 1; hosts spare 1",
	 "\"spare\"", "ok"},
	{"edges of two kinds",
	 "tree leaf 4 core 2 2 6 36; switch leaf5 36; switch leaf6 36; switch leaf7 36; hosts leaf5 2; hosts leaf6 2; "
	 "hosts leaf7 2; link leaf5 core1 2; link leaf5 core2 2; link leaf6 core1 2; link leaf6 core2 2; link leaf7 "
	 "core1 2; link leaf7 core2 2",
	 "\"hosts\": [{\"count\": 4, \"hosts\": 6}, {\"count\": 3, \"hosts\": 2}]", "ok"},
	{"a storage switch, wired and named otherwise",
	 MAIN "; switch stor1 36; hosts stor1 5; link stor1 core1 1; link stor1 core2 1; link stor1 core3 1",
	 "\"count\": 7|{\"count\": 1, \"hosts\": 5, \"bundle\": 1}", "ok"},
	{"but one of an edge's name has lost cables",
	 MAIN "; switch leaf7 36; hosts leaf7 8; link leaf7 core1 1; link leaf7 core2 1; link leaf7 core3 1",
	 "\"count\": 7", "cable-missing cable-missing cable-missing"},
	{"an edge with fewer hosts and half of each bundle",
	 "tree leaf 12 core 4 2 8 36; switch leaf13 36; hosts leaf13 3; link leaf13 core1 1; link leaf13 core2 1; link "
	 "leaf13 core3 1; link leaf13 core4 1",
	 "\"count\": 13|{\"count\": 1, \"hosts\": 3, \"bundle\": 1}", "ok"},
	{"or half of the only bundle", "tree leaf 8 core 1 4 12 34; switch gw1 34; hosts gw1 3; link gw1 core1 2",
	 "\"count\": 9|{\"count\": 1, \"hosts\": 3, \"bundle\": 2}", "ok"},
	{"or without hosts", "tree leaf 8 core 2 2 12 36; switch gw1 36; link gw1 core1 1; link gw1 core2 1",
	 "{\"count\": 1, \"hosts\": 0, \"bundle\": 1}", "ok"},
	{"but a leaf as full as the others has lost them",
	 "tree leaf 8 core 1 4 12 36; switch leaf9 36; hosts leaf9 12; link leaf9 core1 2", "\"count\": 9",
	 "cable-missing"},
	{"several of another make have half of the only bundle",
	 "tree leaf 8 core 1 2 12 36; switch new1 40; hosts new1 12; link new1 core1 1; switch new2 40; hosts new2 12; "
	 "link new2 core1 1; cut leaf3 core1 1",
	 "{\"count\": 2, \"ports\": 40, \"hosts\": 12, \"bundle\": 1}", "cable-missing"},
	{"thicker bundles to two of four cores",
	 "tree leaf 9 core 4 3 8 36; switch stor1 36; hosts stor1 6; link stor1 core1 4; link stor1 core2 4; cut leaf3 "
	 "core3 "
	 "1",
	 "{\"count\": 1, \"hosts\": 6, \"bundle\": [4, 4, 0, 0]}", "cable-missing"},
	{"hosts between the cables of islands are no missing switch",
	 "switch c1 12; switch c2 12; switch c3 12; switch a1 12; hosts a1 12; unplug a1 2; unplug a1 4; unplug a1 6; "
	 "unplug a1 8; unplug a1 10; unplug a1 12; link a1 c1 2; link a1 c2 2; link a1 c3 2; unplug a1 9; unplug a1 7; "
	 "switch a2 12; hosts a2 12; unplug a2 2; unplug a2 4; unplug a2 6; unplug a2 8; unplug a2 10; unplug a2 12; "
	 "link a2 c1 2; link a2 c2 2; link a2 c3 2; unplug a2 9; unplug a2 7; switch a3 12; hosts a3 12; unplug a3 2; "
	 "unplug a3 4; unplug a3 6; unplug a3 8; unplug a3 10; unplug a3 12; link a3 c1 2; link a3 c2 2; link a3 c3 2; "
	 "unplug a3 9; unplug a3 7; switch a4 12; hosts a4 12; unplug a4 2; unplug a4 4; unplug a4 6; unplug a4 8; "
	 "unplug a4 10; unplug a4 12; link a4 c1 2; link a4 c2 2; link a4 c3 2; unplug a4 9; unplug a4 7; tree x 4 y 2 "
	 "3 6 36; link c1 y1 1",
	 "\"topology\": \"graph\"", "="},
	{"or a cable less to each of two cores",
	 "tree leaf 7 core 2 4 8 36; switch leaf8 36; hosts leaf8 12; link leaf8 core1 3; link leaf8 core2 3",
	 "\"count\": 8|{\"count\": 1, \"hosts\": 12, \"bundle\": 3}", "ok"},
	{"but not where a port of each core is dark beside its cables",
	 "tree leaf 8 core 2 4 8 36; switch leaf9 36; hosts leaf9 12; link leaf9 core1 3; link leaf9 core2 3",
	 "\"count\": 9", "cable-missing cable-missing"},
	{"two lots of two edges, and a cable that its port proves missing",
	 "tree leaf 2 core 2 4 8 20; switch leaf3 20; switch leaf4 20; hosts leaf3 8; hosts leaf4 8; link leaf3 core1 "
	 "3; "
	 "link leaf3 core2 3; link leaf4 core1 3; link leaf4 core2 3; unplug leaf3 19",
	 "\"count\": 4|core1 and leaf3: 2 seen, 3 planned", "cable-missing"},
	{"two leaves without a cable to one core, with dark ports among the links of all three",
	 ANY_ORDER "; cut leaf3 core2 1; cut leaf7 core2 1", "\"bundle\": 1", "cable-missing cable-missing"},
	{"groups without a cable of one router each", GROUPS, "\"topology\": \"dragonfly\"|and are listed", "ok"},
	{"a cable between these is missing, and none where no rule had one", GROUPS "; cut b3 d2 1",
	 "planned as they were seen", "ok"},
	{"planes of two spines each, of whose cables several are moved",
	 "tree a 4 x 3 2 8 36; tree b 4 y 3 2 8 36; " PLANES
	 "; cut x3 e1 1; link x3 d2 1; cut y2 d1 1; link y1 d1 1; cut x2 d3 1; link x2 e3 1",
	 "\"topology\": \"graph\"", "ok"},
	{"pairs of leaves, of which one lacks a cable upwards",
	 "tree leaf 6 core 2 1 8 36; link leaf1 leaf2 2; link leaf3 leaf4 2; link leaf5 leaf6 2; cut leaf6 core1 1",
	 "\"topology\": \"graph\"|leaf6 and core1: 0 seen, 1 planned", "cable-missing"},
	{"one cable that is left of a trunk between two cores", "tree leaf 8 core 2 3 8 36; link core1 core2 1",
	 "\"topology\": \"graph\"|{\"a\": \"core1\", \"b\": \"core2\", \"count\": 1}", "ok"},
	{"a cable of an edge that ends on the other core, in a port of the same number",
	 "tree leaf 8 core 2 1 9 12; cut leaf1 core1 1; link core1 core2 1; link leaf8 core2 1",
	 "\"topology\": \"fat-tree\"", "cable-misplaced cable-unplanned"},
	{"a core with cables to one half of the edges",
	 "tree leaf 6 core 4 4 8 36; switch core5 36; link leaf1 core5 2; link leaf2 core5 2; link leaf3 core5 2; cut "
	 "leaf1 core1 1; cut leaf2 core3 1",
	 "3 of them are cabled otherwise|leaf2 and core3: 3 seen, 4 planned", "cable-missing cable-missing"},
	{"a core beside one half of the edges, of which two have a cable moved",
	 "tree leaf 12 core 4 3 8 36; switch core5 36; link leaf1 core5 3; link leaf2 core5 3; link leaf3 core5 3; "
	 "link "
	 "leaf4 core5 3; link leaf5 core5 3; link leaf6 core5 3; cut leaf12 core3 1; link leaf7 core3 1",
	 "leaf12 and core3: 2 seen, 3 planned", "cable-misplaced"},
	{"cables swapped twice between the same cores, which leaves two edges alike each time",
	 "tree leaf 12 core 2 2 20 24; cut leaf1 core1 1; cut leaf2 core2 1; link leaf1 core2 1; link leaf2 core1 1; "
	 "cut leaf5 core1 1; cut leaf6 core2 1; link leaf5 core2 1; link leaf6 core1 1",
	 "\"bundle\": 2|leaf1 and core1: 1 seen, 2 planned", "cables-swapped cables-swapped"},
	{"but several edges with a cable more to one of two cores are a class",
	 "tree leaf 12 core 2 2 25 29; cut leaf1 core1 1; cut leaf2 core1 1; cut leaf3 core1 1; cut leaf4 core1 1; cut "
	 "leaf5 core1 1; link leaf1 core2 1; link leaf2 core2 1; link leaf3 core2 1; link leaf4 core2 1; link leaf5 "
	 "core2 1",
	 "5 of them are cabled otherwise", "ok"},
	{"a cable between the only two edges without hosts", MAIN "; quiet leaf5 8; quiet leaf6 8; link leaf5 leaf6 1",
	 "\"topology\": \"fat-tree\"", "cable-unplanned"},
	{"a core with half of each bundle, as uplinks do not go round, and an edge that lacks all of another",
	 "tree leaf 6 core 8 2 6 27; switch core9 27; link leaf1 core9 1; link leaf2 core9 1; link leaf3 core9 1; link "
	 "leaf4 core9 1; link leaf5 core9 1; link leaf6 core9 1; cut leaf3 core3 1; cut leaf5 core7 2",
	 "leaf3 and core3: 1 seen, 2 planned|leaf5 and core7: 0 seen, 2 planned", "cable-missing cable-missing"},
	{"an edge of another make that has less of most bundles",
	 "tree leaf 6 core 4 3 8 40; switch leaf7 36; hosts leaf7 8; link leaf7 core1 2; link leaf7 core2 2; link "
	 "leaf7 "
	 "core3 2; link leaf7 core4 3",
	 "\"count\": 7", "ok"},
	{"ports dark between others, but an edge has no room for a core more",
	 "tree leaf 5 core 4 2 8 20; switch leaf6 20; link leaf6 core1 2; link leaf6 core2 2; link leaf6 core4 2; "
	 "hosts "
	 "leaf6 14; hosts core1 5; dead core3; name core4 core3",
	 "planned as they were seen", "ok"},
	{"an edge on two cores of four, by thicker bundles",
	 "tree leaf 8 core 4 3 10 36; switch leaf9 36; hosts leaf9 5; link leaf9 core1 6; link leaf9 core2 6",
	 "\"count\": 9|{\"count\": 1, \"hosts\": 5, \"bundle\": [6, 6, 0, 0]}", "ok"},
	{"an island", MAIN "; switch mgmt1 8; switch mgmt2 8; link mgmt1 mgmt2 2; link mgmt1 core1 1; hosts mgmt2 3",
	 "\"nodes\": 48|\"islands\": [{\"name\": \"island\", \"switches\": [{\"name\": \"mgmt1\", \"ports\": 8, "
	 "\"hosts\": 0}|{\"name\": \"mgmt2\", \"ports\": 8, \"hosts\": 3}]|{\"a\": \"mgmt1\", \"b\": \"core1\", "
	 "\"count\": 1}|{\"a\": \"mgmt1\", \"b\": \"mgmt2\", \"count\": 2}",
	 "ok"},
	{"unlike bundles",
	 "tree leaf 5 core 2 2 8 36; link leaf1 core1 1; link leaf2 core1 1; link leaf3 core1 1; link leaf4 core1 1; "
	 "link leaf5 core1 1",
	 "\"ports_to_core\": 5|5 of 10 edge-core pairs have 3 cables; 5 have 2", "ok"},
	{"thick bundles",
	 "tree leaf 4 core 2 1 8 36; link leaf1 core2 3; link leaf2 core2 3; link leaf3 core2 3; link "
	 "leaf4 core2 3; cut leaf2 core2 1",
	 "\"ports_to_core\": 5|\"bundle\": 4|\"bundles\": \"thick\"", "cable-missing"},
	{"dense fill", "tree leaf 5 core 2 2 8 36; quiet leaf5 5",
	 "\"hosts\": [{\"count\": 4, \"hosts\": 8}, {\"count\": 1, \"hosts\": 3}]|\"nodes\": 35", "ok"},
	{"names that do not tell tiers", "tree sw 4 sx 2 2 8 36; name sx1 sw5; name sx2 sw6",
	 "\"edge\": [\"sw[1-4]\"]|\"core\": [\"sw[5-6]\"]", "ok"},
	{"names that tell nothing",
	 "tree a 4 b 2 2 8 36; name a1 x; name a2 x; name a3 x; name a4 x; name b1 x; name b2 x",
	 "\"edge\": [\"0x0000000000100001\", \"0x0000000000100002\"|6 switches have no name of their own", "ok"},
	{"hostile names", "tree a 4 b 2 2 8 36; name a1 ~~; name a2 0x12; name b1 \\\"{}]; name b2 .*", "told by GUID",
	 "ok"},
	{"names that mean something in lists of names", "tree a+(x).^$[0]{2}| 4 b\\[ 2 2 8 36",
	 "\"edge\": [\"0x0000000000100001\"|told by GUID", "ok"},
	{"names of the plan in the wrong places",
	 "tree a 4 b 2 2 8 36; name a1 core01; name a2 core02; name a3 edge001; name a4 edge002; name b1 edge003; name "
	 "b2 edge004",
	 "\"edge\": [\"core[01-02]\", \"edge[001-002]\"]|\"core\": [\"edge[003-004]\"]", "ok"},
	{"cables that lack of two edges and a core whose names are mixed up",
	 "tree leaf 4 core 2 1 8 10; cut leaf2 core2 1; name leaf2 core8; name core2 leaf8",
	 "\"bundle\": 1|core8 and leaf8: 0 seen, 1 planned", "cable-missing"},
	{"and names that another planned switch has",
	 "tree a 4 b 3 2 8 36; name a1 core01; name a2 core02; name a3 edge001; name a4 edge002; name b1 edge003; name "
	 "b2 edge004; dead b3; hush a1 2; hush a2 2; hush a3 2; hush a4 2",
	 "\"edge\": [\"core[01-02]\", \"edge[001-002]\"]|\"core\": [\"edge[003-004]\", "
	 "\"core-unseen-1\"]|core-unseen-1: nobody saw it",
	 "switch-mute"},
	{"a star", "switch hub 36; hosts hub 20", "\"topology\": \"star\"|\"nodes\": 20|\"edge\": {\"ports\": 36}",
	 "ok"},
	{"a star with an aggregation node", "switch hub 41; hosts hub 7; sharp hub",
	 "\"nodes\": 7|\"edge\": {\"ports\": 40}", "ok"},
	{"a star and a switch for nothing", "switch hub 36; hosts hub 20; switch spare 8; link hub spare 1",
	 "\"topology\": \"star\"|spare: no hosts, and a few cables", "switch-unplanned"},
	{"no hosts", "tree leaf 4 core 2 2 0 36", "\"topology\": \"graph\"|\"kind\": \"switch\"", "="},
	{"a lone switch without hosts", "switch a 36",
	 "!no design to be inferred: 1 switch, and no host that is up: without hosts edge switches cannot be told",
	 NULL},
	{"two switches cabled to each other", "switch a 36; switch b 36; hosts a 9; hosts b 9; link a b 4",
	 "\"topology\": \"graph\"|{\"name\": [\"a\", \"b\"], \"kind\": \"switch\", \"ports\": 36, \"hosts\": "
	 "9}|{\"a\": \"a\", \"b\": \"b\", \"count\": 4}",
	 "="},
	{"of which one port is dark at both ends, between its own",
	 "switch a 36; switch b 36; hosts a 9; hosts b 9; link a b 6; unplug a 33", "\"count\": 6}", "=a b 6/5"},
	{"but a dark port at its end proves nothing",
	 "switch a 36; switch b 36; hosts a 9; hosts b 9; link a b 6; unplug a 31", "\"count\": 5}", "="},
	{"a ring", RING, "\"topology\": \"ring\"|\"bundle\": [3]|\"count\": 5", "ok"},
	{"a ring of which a bundle lacks a cable", RING "; cut c d 1", "\"kind\": \"switch\"", "=c d 3/2"},
	{"a ring without a bundle is a chain, whatever its dark ports", RING "; cut c d 3",
	 "nothing was held to be missing|6 cables may be missing: nothing tells", "="},
	{"a chain is no broken ring",
	 "switch a 36; switch b 36; switch c 36; switch d 36; switch e 36; hosts a 9; hosts b 9; hosts c 9; hosts d 9; "
	 "hosts e 9; link a b 3; link b c 3; link c d 3; link d e 3",
	 "nothing was held to be missing", "="},
	{"bundles of any width are no pattern",
	 "switch a 36; switch b 36; switch c 36; switch d 36; switch e 36; switch f 36; switch g 36; switch h 36; "
	 "switch i 36; "
	 "hosts a 4; hosts b 4; hosts c 3; hosts d 7; hosts f 8; hosts g 3; hosts i 7; link a b 3; link a h 3; link b "
	 "d 4; "
	 "link f h 1; link g c 1; link g h 2; link i c 2; link i h 2; link a c 2; link f c 2; link a e 6",
	 "nothing was held to be missing", "="},
	{"a ring of four", RING4, "\"topology\": \"ring\"|\"bundle\": [3]|\"count\": 4", "ok"},
	{"that lacks a cable", RING4 "; cut c d 1", "\"topology\": \"graph\"", "=c d 3/2"},
	{"all to all, and one lacks a cable",
	 "switch a 36; switch b 36; switch c 36; switch d 36; switch e 36; hosts a 9; hosts b 9; hosts c 9; hosts d 9; "
	 "hosts e 9; link a b 2; link a c 2; link a d 2; link a e 2; link b c 2; link b d 2; link b e 2; link c d 2; "
	 "link "
	 "c e 2; link d e 2; cut b e 1",
	 "\"topology\": \"graph\"", "=b e 2/1"},
	{"a torus without a link", TORUS "; cut t12 t22 1", "as those of a torus are; 1 of", "=t12 t22 1/0"},
	{"a torus", TORUS, "as those of a torus are; 0 of", "="},
	{"cells that no rule joins", CELLS, "as those of a dragonfly+ are; 0 of|\"groups\": 4|\"links\": [", "ok"},
	{"of which one lacks a cable", CELLS "; cut b2 y1 1", "as those of a dragonfly+ are; 1 of|\"groups\": 4",
	 "=b2 y1 1/0"},
	{"two trees of one subnet file", MAIN "; tree far 4 top 2 1 3 24",
	 "they are 2 parts that are not cabled to each other|{\"a\": \"leaf[1-6]\", \"b\": \"core[1-3]\", \"count\": "
	 "2}|{\"a\": \"far[1-4]\", \"b\": \"top[1-2]\", \"count\": 1}",
	 "="},
	{"two like trees, each with a fault", MAIN "; tree far 6 top 3 2 8 36; cut far2 top1 1; cut leaf5 core3 2",
	 "\"topology\": \"graph\"", "=far2 top1 2/1 leaf5 core3 2/0"},
	{"leaves that have twice as many as the others, and all of one name",
	 "tree leaf 8 core 2 3 9 48; tree io 3 dummy 0 0 6 48; link io1 core1 6; link io1 core2 6; link io2 core1 6; "
	 "link "
	 "io2 core2 6; link io3 core1 6; link io3 core2 6; name leaf1 x; name leaf2 x; name leaf3 x; name leaf4 x; "
	 "name "
	 "leaf5 x; name leaf6 x; name leaf7 x; name leaf8 x; name io1 x; name io2 x; name io3 x",
	 "\"count\": 11|{\"count\": 3, \"hosts\": 6, \"bundle\": 6}|0x0000000000100001", "ok"},
	{"of which one lacks a cable, and one of the others",
	 "tree leaf 8 core 2 3 9 48; tree io 3 dummy 0 0 6 48; link io1 core1 6; link io1 core2 6; link io2 core1 6; "
	 "link "
	 "io2 core2 6; link io3 core1 6; link io3 core2 6; name leaf1 x; name leaf2 x; name leaf3 x; name leaf4 x; "
	 "name "
	 "leaf5 x; name leaf6 x; name leaf7 x; name leaf8 x; name io1 x; name io2 x; name io3 x; cut io2 core1 1; cut "
	 "leaf4 core2 1",
	 "{\"count\": 3, \"hosts\": 6, \"bundle\": 6}", "cable-missing cable-missing"},
	{"many hosts on a core", MAIN "; hosts core1 5", "{\"tier\": \"core\", \"count\": 1, \"hosts\": 5}", "="},
	{"a core that is off, beside one with hosts", "tree leaf 6 core 4 2 8 36; hosts core1 2; dead core2",
	 "\"count\": 4}|\"core\": [\"core[3-4,2,1]\"]|core2: nobody saw it|{\"tier\": \"core\", \"count\": 1, "
	 "\"hosts\": 2}",
	 "core-missing"},
	{"free ports behind hosts are no dead core, though cores are on either side",
	 "tree leaf 6 core 2 2 0 16; switch core3 16; link leaf1 core3 2; link leaf2 core3 2; link leaf3 core3 2; link "
	 "leaf4 core3 2; link leaf5 core3 2; link leaf6 core3 2; "
	 "hosts leaf1 8; hosts leaf2 8; hosts leaf3 8; hosts leaf4 8; hosts leaf5 8; hosts leaf6 8; hosts core1 2",
	 "\"core\": {\"ports\": 16, \"count\": 3}", "ok"},
	{"two cores that are off, and a switch with the name that the first would have",
	 "tree leaf 6 core 4 2 8 36; tree far 6 top 4 3 1 36; hosts core1 2; hosts top1 2; dead core2; dead top2; name "
	 "core1 core-unseen-1",
	 "{\"name\": \"core-unseen-2\"|{\"name\": \"core-unseen-3\"|{\"a\": \"core-unseen-2\"|{\"a\": "
	 "\"core-unseen-3\"",
	 "core-missing core-missing"},
	{"beside two with hosts", "tree leaf 6 core 4 2 8 36; hosts core1 2; hosts core4 2; dead core2",
	 "core2: nobody saw it|{\"tier\": \"core\", \"count\": 2, \"hosts\": 2}", "core-missing"},
	{"one port may be left out by all",
	 "tree leaf 6 core 4 1 8 36; hosts core1 2; dead core2; name core3 core2; name core4 core3",
	 "\"core\": {\"ports\": 36, \"count\": 3}", "ok"},
	{"and so may be those between classes that have others",
	 "tree leaf 6 core 4 2 8 36; tree io 4 dummy 0 0 6 36; link io1 core1 1; link io1 core2 1; link io1 core3 1; "
	 "link io1 core4 1; link io2 core1 1; link io2 core2 1; link io2 core3 1; link io2 core4 1; hosts core1 2; "
	 "dead core2; link io3 core1 1; link io3 core3 1; link io3 core4 1; link io4 core1 1; link io4 core3 1; link "
	 "io4 core4 1; name core3 core2; name core4 core3",
	 "\"core\": {\"ports\": 36, \"count\": 3}", "ok"},
	{"two border leaves, cabled to each other, lack no cables",
	 "tree leaf 8 core 2 3 8 36; switch border1 36; switch border2 36; hosts border1 4; hosts border2 4; link "
	 "border1 "
	 "core1 2; link border1 core2 2; link border2 core1 2; link border2 core2 2; link border1 border2 1",
	 "{\"a\": \"border1\", \"b\": \"border2\", \"count\": 1}", "="},
	{"two storage switches have fewer cables to one core on purpose",
	 "tree leaf 8 core 2 4 9 48; cut leaf3 core1 1; switch gpfs1 36; switch gpfs2 36; hosts gpfs1 6; hosts gpfs2 "
	 "6; "
	 "link gpfs1 core1 4; link gpfs1 core2 2; link gpfs2 core1 4; link gpfs2 core2 2",
	 "\"topology\": \"", "=leaf3 core1 4/3"},
	{"two cables between two leaves are there on purpose", MAIN "; link leaf1 leaf4 2",
	 "{\"a\": \"leaf1\", \"b\": [\"core[1-3]\", \"leaf4\"], \"count\": 2}", "="},
	{"a router with two cables to a core", MAIN "; switch router 36; link router core1 2", "\"router\"", "ok"},
	{"older leaves among newer ones", MAIN "; older leaf5; older leaf6",
	 "{\"count\": 2, \"hosts\": 8, \"rate\": {\"uplink\": \"4xEDR\", \"host\": \"4xEDR\"}}|\"rate\": {\"uplink\": "
	 "\"4xHDR\", \"host\": \"4xHDR\"}|\"classes\": \"1 of them has rates of its own",
	 "="},
	{"a host of a newer one that is as slow as theirs", MAIN "; older leaf5; older leaf6; rate leaf1 node 4xEDR",
	 "\"host\": \"4xHDR\"}", "cable-slow"},
	{"a host of an older one that is slower still", MAIN "; older leaf1; older leaf2; rate leaf1 node 4xFDR",
	 "{\"uplink\": \"4xEDR\", \"host\": \"4xEDR\"}", "cable-slow"},
	{"a slow cable of a newer leaf among older ones",
	 MAIN "; older leaf1; older leaf2; older leaf3; older leaf4; rate leaf5 core2 4xEDR; hosts core1 2",
	 "{\"count\": 2, \"hosts\": 8, \"rate\": {\"uplink\": \"4xHDR\", \"host\": \"4xHDR\"}}", "cable-slow"},
	{"an older core switch", MAIN "; older core2",
	 "{\"tier\": \"core\", \"count\": 1, \"hosts\": 0, \"rate\": {\"uplink\": \"4xEDR\"}}", "ok"},
	{"an older core switch that most leaves do not tell",
	 MAIN "; older leaf1; older leaf2; older leaf3; older leaf4; older core3; hosts core1 2",
	 "\"rate\": {\"uplink\": \"4xEDR\"", "ok"},
	{"an older core switch, and the newer leaves have fewer cables than the older ones",
	 "tree leaf 4 core 3 2 8 36; tree old 3 dummy 0 0 8 36; link old1 core1 3; link old1 core2 3; link old1 core3 "
	 "3; link old2 core1 3; link old2 core2 3; link old2 core3 3; link old3 core1 3; link old3 core2 3; link old3 "
	 "core3 3; older old1; older old2; older old3; older core3; hosts core1 2",
	 "\"classes\": [", "ok"},
	{"a newer leaf with older hosts, which are few in all",
	 "tree leaf 14 core 3 2 8 48; older leaf13; older leaf14; aged leaf1 4xFDR",
	 "\"host\": [\"4xHDR\", \"4xFDR\"]}", "ok"},
	{"an older leaf behind another one", MAIN "; switch annex 36; hosts annex 9; link leaf2 annex 3; older annex",
	 "\"islands\": [{\"name\": \"island\", \"switches\": [{\"name\": \"annex\"", "ok"},
	{"boards of another make have no traces to two chips",
	 "tree line 9 chip 12 2 8 36; cut line2 chip11 2; cut line2 chip12 2; cut line4 chip11 2; cut line4 chip12 2",
	 "{\"count\": 2, \"hosts\": 8, \"bundle\": [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0]}", "ok"},
	{"a chip of which most traces are dead",
	 "tree line 9 chip 6 1 8 36; unplug chip3 1; unplug chip3 2; unplug chip3 4; unplug chip3 5; unplug chip3 6; "
	 "unplug "
	 "chip3 7",
	 "\"count\": 9|\"bundle\": 1",
	 "=line1 chip3 1/0 line2 chip3 1/0 line4 chip3 1/0 line5 chip3 1/0 line6 chip3 1/0 line7 chip3 1/0"},
	{"pods of unlike size whose spines share a plane",
	 "{\"ftcheck\":1,\"name\":\"t\",\"levels\":3,\"nodes\":54,\"planes\":2,\"edge\":{\"ports\":10,\"count\":18,"
	 "\"ports_to_nodes\":3,\"ports_to_core\":4},\"spine\":{\"ports\":14,\"count\":16,\"ports_to_core\":4},\"core\":"
	 "{"
	 "\"ports\":8,\"count\":8},\"pods\":[{\"count\":3,\"edges\":5},{\"count\":1,\"edges\":3}],\"bundle\":{\"edge\":"
	 "1,"
	 "\"spine\":1}}",
	 "\"planes\": 2|\"pods\": [{\"count\": 3, \"edges\": 5}, {\"count\": 1, \"edges\": 3}]", "ok"},
	{"a leaf behind another one, which lacks a cable itself: nothing was moved",
	 MAIN "; switch far 36; hosts far 27; link far leaf2 1; cut leaf2 core1 1; hosts core2 5",
	 "\"switches\": [{\"name\": \"far\", \"ports\": 36, \"hosts\": 27}]", "=leaf2 core1 2/1"},
	{"switches without hosts", "switch a 36; switch b 36; link a b 2", "\"topology\": \"graph\"|\"hosts\": 0}",
	 "="},
	{"the last leaf by its name", MAIN "; switch leaf7 36; hosts leaf7 7", "\"count\": 7", "edge-isolated"},
	{"a fabric of its own beside a tree", MAIN "; switch leaf7 36; hosts leaf7 4", "they are 2 parts", "ok"},
	{"and beside a torus, which lacks a cable", "torus t 4 4 8 36; switch far 36; hosts far 3; cut t11 t21 1",
	 "they are 2 parts", "=t11 t21 1/0"},
	{"a leaf on two line boards of each of six directors, which lacks the only cable to one of them",
	 "tree la 6 ca 6 3 22 40; tree lb 6 cb 6 3 22 40; switch lb7 40; hosts lb7 22; link lb7 ca1 1; link lb7 ca2 1; "
	 "link lb7 ca3 1; link lb7 ca4 1; link lb7 ca5 1; link lb7 cb1 2; link lb7 cb2 2; link lb7 cb3 2; link lb7 cb4 "
	 "2; "
	 "link lb7 cb5 2; link lb7 cb6 2",
	 "ca6 and lb7: 0 seen, 1 planned", "cable-missing"},
	{"an edge that is cut off", MAIN "; cut leaf2 core1 2; cut leaf2 core2 2; cut leaf2 core3 2", "\"count\": 6",
	 "edge-isolated"},
	{"one that is cut off in the second of two planes",
	 "tree leafa 6 corea 2 2 8 36; tree leafb 6 coreb 2 2 8 36; cut leafb3 coreb1 2; cut leafb3 coreb2 2",
	 "leafb3 and coreb2: 0 seen, 2 planned",
	 "edge-isolated: none of its 4 cables is up; the ports that went dark: coreb1 ports 5-6, coreb2 ports 5-6"},
	{"and the last one, above which only other planes tell which ports it had",
	 "tree leafa 6 corea 2 2 8 36; tree leafb 6 coreb 2 2 8 36; cut leafb6 coreb1 2; cut leafb6 coreb2 2",
	 "0 seen, 2 planned", "edge-isolated"},
	{"a trunk between the core switches is not the cable that a leaf lacks",
	 "tree leaf 8 core 2 2 8 36; link core1 core2 1; unplug leaf4 9", "leaf4 and core1: 1 seen, 2 planned",
	 "cable-missing"},
	{"a rack of which all hosts are of an older make", "tree leaf 12 core 3 2 16 36; aged leaf4 4xFDR",
	 "192 hosts at 4xHDR, 16 of 192 at 4xFDR", "ok"},
	{"a leaf without a free port, one of whose cables leads to another pod",
	 "tree la 7 sa 4 1 9 13; tree lb 7 sb 4 1 9 13; switch top1 12; switch top2 12; hosts top1 2; link sa1 top1 1; "
	 "link sa1 top2 1; link sa2 top1 1; link sa2 top2 1; link sa3 top1 1; link sa3 top2 1; link sa4 top1 1; link "
	 "sa4 top2 1; link sb1 top1 1; link sb1 top2 1; link sb2 top1 1; link sb2 top2 1; link sb3 top1 1; link sb3 "
	 "top2 1; link sb4 top1 1; link sb4 top2 1; cut la2 sa1 1; link la2 sb1 1",
	 "\"graph\"", "cable-misplaced"},
	{"uplinks that are given out in turn", TURNS, "nothing was held to be missing", "ok"},
	{"and one of those of which there are fewer is missing", TURNS "; unplug leaf2 29", "\"links\"",
	 "cable-missing"},
	{"or one of the others", TURNS "; unplug leaf3 34", "\"links\"", "cable-missing"},
	{"a third of a rack of an older make", "tree leaf 12 core 3 2 16 36; aged leaf4 4xFDR 5", "5 of 192 at 4xFDR",
	 "ok"},
	{"in a graph, too", "tree leaf 12 core 3 2 16 36; link leaf1 leaf5 2; cut leaf9 core2 1; aged leaf4 4xFDR 5",
	 "\"host\": [\"4xHDR\", \"4xFDR\"]", "cable-missing"},
	{"and in a torus", "torus t 4 3 8 36; aged t11 4xFDR",
	 "as those of a torus are|\"host\": [\"4xHDR\", \"4xFDR\"]", "ok"},
	{"a quarter of a rack: four cables are slow", "tree leaf 12 core 3 2 16 36; aged leaf4 4xFDR 4",
	 "188 of 192 hosts at 4xHDR", "cable-slow cable-slow cable-slow cable-slow"},
	{"half of a rack on fewer lanes than the others of it", "tree leaf 12 core 3 2 8 36; aged leaf4 2xHDR 4",
	 "92 of 96 hosts at 4xHDR", "cable-narrow cable-narrow cable-narrow cable-narrow"},
	{"a storage switch on the last port of a full leaf",
	 "tree leaf 8 core 4 4 20 36; cut leaf1 core4 1; switch stor 36; link leaf1 stor 1; hosts stor 6", "\"stor\"",
	 "ok"},
	{"three slow hosts of a rack", "tree leaf 12 core 3 2 16 36; aged leaf4 4xFDR 3", "189 of 192 hosts at 4xHDR",
	 "cable-slow cable-slow cable-slow"},
	{"and five, of which a sixth is elsewhere",
	 "tree leaf 12 core 3 2 16 36; aged leaf4 4xFDR 5; aged leaf7 4xFDR 1", "186 of 192 hosts at 4xHDR",
	 "cable-slow cable-slow cable-slow cable-slow cable-slow cable-slow"},
	{"two gateways of an older make, by their names",
	 "tree leaf 12 core 3 2 16 36; hosts leaf1 1; hosts leaf5 1; rate leaf1 more 4xEDR; rate leaf5 more 4xEDR",
	 "2 of 194 at 4xEDR", "ok"},
	{"a slow host in a graph whose older switches have hosts at that rate",
	 MAIN
	 "; link leaf1 leaf2 3; link leaf3 leaf4 3; link leaf5 leaf6 3; tree old 3 dummy 0 0 8 36; link old1 old2 2; "
	 "link old2 old3 2; link old1 old3 2; link old1 leaf1 1; older old1; older old2; older old3; "
	 "rate leaf3 node 4xEDR",
	 "\"topology\": \"graph\"", "cable-slow"},
	{"two gateways of an older make, and a node elsewhere that is as slow: the rate is not planned",
	 "tree leaf 12 core 3 2 16 36; hosts leaf1 1; hosts leaf5 1; rate leaf1 more 4xEDR; rate leaf5 more 4xEDR; "
	 "rate leaf7 node 4xEDR",
	 "191 of 194 hosts at 4xHDR", "cable-slow cable-slow cable-slow"},
	{"two hosts of another name on one lane, on which none is run on purpose",
	 "tree leaf 12 core 3 2 16 36; hosts leaf1 1; hosts leaf5 1; rate leaf1 more 1xHDR; rate leaf5 more 1xHDR",
	 "192 of 194 hosts at 4xHDR", "cable-narrow cable-narrow"},
	{"... nor in a network that is no tree",
	 "torus t 3 4 12 36; link t00 t12 1; link t11 t23 1; link t02 t20 1; hosts t00 1; hosts t11 1; rate t00 more "
	 "1xHDR; rate t11 more 1xHDR",
	 "", "cable-narrow cable-narrow"},
	{"two hosts that are called as all others are",
	 "tree leaf 12 core 3 2 16 36; rate leaf1 node 4xEDR; rate leaf5 node 4xEDR", "190 of 192 hosts at 4xHDR",
	 "cable-slow cable-slow"},
	{"a leaf for management on two of three core switches",
	 "tree leaf 12 core 3 1 16 36; switch mgmt 36; hosts mgmt 6; link mgmt core1 1; link mgmt core2 1", "\"mgmt\"",
	 "ok"},
	{"a leaf of service with one cable to each core switch, where others have 2 and 1",
	 "tree leaf 8 core 1 2 16 36; switch core2 36; link leaf1 core2 1; link leaf2 core2 1; link leaf3 core2 1; "
	 "link "
	 "leaf4 core2 1; link leaf5 core2 1; link leaf6 core2 1; link leaf7 core2 1; link leaf8 core2 1; switch oss "
	 "36; "
	 "hosts oss 5; link oss core1 1; link oss core2 1",
	 "\"oss\"", "ok"},
	{"two storage leaves with a cable less to the only core switch than most",
	 "tree leaf 9 core 1 2 16 36; switch oss1 36; switch oss2 36; hosts oss1 6; hosts oss2 6; link oss1 core1 1; "
	 "link oss2 core1 1; switch leafx 24; hosts leafx 12; link leafx core1 2",
	 "{\"count\": 2, \"hosts\": 6, \"bundle\": 1}", "ok"},
	{"a storage leaf on two of the spines of a group of a dragonfly+",
	 "tree a 4 x 3 1 8 24; tree b 4 y 3 1 8 24; tree c 4 z 3 1 8 24; link x1 y1 1; link x2 y2 1; link x3 y3 1; "
	 "link x1 z1 1; link x2 z2 1; link x3 z3 1; link y1 z1 1; link y2 z2 1; link y3 z3 1; switch oss 24; hosts oss "
	 "6; link oss x1 1; link oss x2 1",
	 "\"oss\"", "ok"},
	{"a switch for trials, of another make, on no other one",
	 "tree leafa 6 corea 2 2 8 36; tree leafb 6 coreb 2 2 8 36; switch trial 40; hosts trial 8", "\"trial\"", "ok"},
	{"three levels", PODS,
	 "\"levels\": 3|\"nodes\": 54|\"edge\": {\"ports\": 10, \"count\": 18, \"ports_to_nodes\": 3, "
	 "\"ports_to_core\": 6}|\"spine\": {\"ports\": 14, \"count\": 12, \"ports_to_core\": 4}|\"core\": {\"ports\": "
	 "8, \"count\": 12}|\"pods\": [{\"count\": 3, \"edges\": 5}, {\"count\": 1, \"edges\": 3}]|\"bundle\": "
	 "{\"edge\": 2, \"spine\": 1}",
	 "ok"},
	{"unlike bundles on both levels, by one rule",
	 "{\"ftcheck\":1,\"name\":\"t\",\"levels\":3,\"nodes\":24,\"edge\":{\"ports\":10,\"count\":6,\"ports_to_"
	 "nodes\":4,\"ports_to_core\":4},\"spine\":{\"ports\":16,\"count\":4,\"ports_to_core\":5},\"core\":{\"ports\":"
	 "8,\"count\":4},\"pods\":2,\"bundles\":{\"multiple\":3}}",
	 "6 of 12 edge-spine pairs have 3 cables; 6 have 1; 4 of 8 spine-core pairs have 3 cables; 4 have 2", "ok"},
	{"uneven bundles, and a core in the midst is off", UNEVEN "};core02",
	 "\"core\": {\"ports\": 20, \"count\": 4}|\"ports_to_core\": 10|core02: nobody saw it", "core-missing"},
	{"thick bundles, and a core in the midst is off", UNEVEN ",\"bundles\":\"thick\"};core02",
	 "\"core\": {\"ports\": 20, \"count\": 4}|\"ports_to_core\": 10|core02: nobody saw it", "core-missing"},
	{"uneven bundles, and the first core is off", UNEVEN "};core01",
	 "\"core\": {\"ports\": 20, \"count\": 4}|\"ports_to_core\": 10|core01: nobody saw it", "core-missing"},
	{"uneven bundles, and the last core is off", UNEVEN "};core04",
	 "\"count\": 3}|\"ports_to_core\": 8|2 ports are dark above the uplinks of every edge switch: left out, or of "
	 "a switch that is off",
	 "ok"},
	{"two cores off", "tree leaf 5 core 8 2 8 36; dead core3; dead core6",
	 "\"core\": {\"ports\": 36, \"count\": 8}|\"ports_to_core\": 16|core3, core6: nobody saw them",
	 "core-missing core-missing"},
	{"the first core off, with its ports beside the others'", "tree leaf 5 core 4 3 8 20; dead core1",
	 "\"core\": {\"ports\": 20, \"count\": 4}|\"ports_to_core\": 12|core1: nobody saw it", "core-missing"},
	{"the first of two cores", "tree leaf 5 core 2 3 8 20; dead core1",
	 "\"core\": {\"ports\": 20, \"count\": 2}|\"ports_to_core\": 6", "core-missing"},
	{"the last core: its ports may be free for hosts", "tree leaf 5 core 4 3 8 20; dead core4",
	 "\"count\": 3}|\"ports_to_core\": 9|3 ports are dark above the uplinks of every edge switch: left out, or of "
	 "a switch that is off",
	 "ok"},
	{"cores called by their places in a rack",
	 "tree leaf 5 core 4 3 8 30; name core1 r90-u01; name core2 r90-u03; name core3 r90-u04; name core4 r90-u07",
	 "\"count\": 4}|\"ports_to_core\": 12", "ok"},
	{"only odd numbers", "tree leaf 5 core 3 3 8 30; name core2 core5", "\"count\": 3}", "ok"},
	{"edges and cores that are counted through",
	 "tree leaf 4 core 2 3 8 30; name core1 core5; name core2 core6; unplug leaf1 9", "\"count\": 2}",
	 "cable-missing"},
	{"a core by the name of an edge", "tree leaf 5 core 3 3 8 30; name core2 leaf3", "\"count\": 3}", "ok"},
	{"ports in the order of numbers, and none free where one lacks", "tree leaf 5 core 3 3 8 30; name core3 core4",
	 "\"count\": 3}|core3: no switch has that name, by the numbers of the others: left out, or off", "ok"},
	{"free ports and no number that lacks", "tree leaf 5 core 4 3 5 22", "\"count\": 4}|\"ports_to_core\": 12",
	 "ok"},
	{"free ports between core switches of which no number lacks",
	 "tree leaf 5 core 4 3 8 30; name core3 core2; name core4 core3; dead core2",
	 "\"count\": 3}|\"ports_to_core\": 9", "ok"},
	{"and where they do not follow the numbers",
	 "tree leaf 5 core 4 3 8 30; name core2 core4; name core4 core2; dead core2",
	 "\"core\": {\"ports\": 30, \"count\": 4}|\"ports_to_core\": 12|core-unseen-1: nobody saw it", "core-missing"},
	{"an edge of which only the number lacks",
	 "tree leaf 6 core 2 2 8 36; dead leaf3; hosts core1 1; name more node",
	 "\"count\": 5|leaf3: no switch has that name, by the numbers of the others: left out, or off", NULL},
	{"hexadecimal names are no series", "tree leaf 5 core 2 5 8 36; name core1 sw-33fd4e; name core2 sw-33fd6e",
	 "\"core\": {\"ports\": 36, \"count\": 2}", "ok"},
	{"a leaf with many hosts behind another leaf", MAIN "; switch leaf7 36; link leaf6 leaf7 2; hosts leaf7 8",
	 "\"islands\": [{\"name\": \"island\", \"switches\": [{\"name\": \"leaf7\", \"ports\": 36, \"hosts\": 8}]",
	 "ok"},
	{"and whose only cable runs at half the rate",
	 MAIN "; switch leaf7 36; link leaf6 leaf7 1; hosts leaf7 8; rate leaf6 leaf7 4xEDR", "\"leaf7\"",
	 "cable-slow"},
	{"leaves that have more to both cores than the others, in the same way",
	 "tree leaf 12 core 2 4 8 64; link leaf11 core1 5; link leaf11 core2 4; link leaf12 core1 5; link leaf12 core2 "
	 "4",
	 "\"edge\": {\"ports\": 64, \"count\": 12,|{\"count\": 2, \"hosts\": 8, \"bundle\": [9, 8]}", "ok"},
	{"numbers that two tiers share", "tree sw 4 sx 2 2 8 36; name sx1 sw5; name sx2 sw7; name sw4 sw6",
	 "\"core\": {\"ports\": 36, \"count\": 2}|\"edge\": {\"ports\": 36, \"count\": 4", "ok"},
	{"three levels without names",
	 "{\"ftcheck\":1,\"name\":\"t\",\"levels\":3,\"nodes\":24,\"edge\":{\"ports\":10,\"count\":6,\"ports_to_"
	 "nodes\":4,\"ports_to_core\":4},\"spine\":{\"ports\":16,\"count\":4,\"ports_to_core\":5},\"core\":{\"ports\":"
	 "8,\"count\":4},\"pods\":2,\"bundles\":{\"multiple\":3}};nameless",
	 "told by GUID", "ok"},
	{"a pod with hardly a host",
	 "{\"ftcheck\":1,\"name\":\"t\",\"levels\":3,\"nodes\":37,\"edge\":{\"ports\":12,\"count\":5,\"ports_to_"
	 "nodes\":9,\"ports_to_core\":2},\"spine\":{\"ports\":8,\"count\":6,\"ports_to_core\":2},\"core\":{\"ports\":8,"
	 "\"count\":4},\"pods\":[{\"count\":2,\"edges\":2},{\"count\":1,\"edges\":1}],\"fill\":\"dense\"}",
	 "\"nodes\": 37|\"pods\": [{\"count\": 2, \"edges\": 2}, {\"count\": 1, \"edges\": 1}]", "ok"},
};

/* ---- a fabric of words ---- */

enum { NODES_MAX = 400, PORTS_MAX = 64, NAME_MAX_LENGTH = 64 };

struct end {
	int node; /* -1: nothing there */
	int port;
};

struct thing {
	char key[NAME_MAX_LENGTH]; /* its first name, by which the words know it */
	char name[NAME_MAX_LENGTH];
	bool is_host;
	bool dead;
	int ports;
	int hushed;
	struct end far[PORTS_MAX + 1];
	const char *rate[PORTS_MAX + 1];
};

struct fabric {
	struct thing things[NODES_MAX];
	int count;
};

static int thing_add(struct fabric *f, const char *key, int ports, bool is_host)
{
	struct thing *t = &f->things[f->count];

	assert_true(f->count < NODES_MAX && ports <= PORTS_MAX);
	*t = (struct thing){.ports = ports, .is_host = is_host};
	snprintf(t->key, sizeof(t->key), "%s", key);
	snprintf(t->name, sizeof(t->name), "%s", key);
	for (int p = 0; p <= PORTS_MAX; p++)
		t->far[p].node = -1;
	return f->count++;
}

static int thing_find(const struct fabric *f, const char *key)
{
	for (int i = 0; i < f->count; i++)
		if (strcmp(f->things[i].key, key) == 0)
			return i;
	fail_msg("no switch %s", key);
	return -1;
}

static void connect_ends(struct fabric *f, int a, int a_port, int b, int b_port)
{
	assert_true(f->things[a].far[a_port].node < 0 && f->things[b].far[b_port].node < 0);
	f->things[a].far[a_port] = (struct end){b, b_port};
	f->things[b].far[b_port] = (struct end){a, a_port};
	f->things[a].rate[a_port] = f->things[b].rate[b_port] = "4xHDR";
}

static void pull(struct fabric *f, int a, int a_port)
{
	struct end far = f->things[a].far[a_port];

	f->things[far.node].far[far.port].node = -1;
	f->things[a].far[a_port].node = -1;
}

static int free_port(const struct fabric *f, int node, bool from_above)
{
	const struct thing *t = &f->things[node];

	for (int i = 1; i <= t->ports; i++) {
		int p = from_above ? t->ports + 1 - i : i;

		if (t->far[p].node < 0)
			return p;
	}
	fail_msg("no port is free on %s", t->key);
	return 0;
}

static void host_add(struct fabric *f, int on, int port, const char *name)
{
	connect_ends(f, thing_add(f, name, 1, true), 1, on, port);
}

static void word_tree(struct fabric *f, const char *words)
{
	char low[NAME_MAX_LENGTH / 2], high[NAME_MAX_LENGTH / 2], key[NAME_MAX_LENGTH];
	int edges, cores, bundle, hosts, ports, first = f->count;

	assert_int_equal(sscanf(words, "%31s %d %31s %d %d %d %d", low, &edges, high, &cores, &bundle, &hosts, &ports),
			 7);
	for (int i = 0; i < edges + cores; i++) {
		snprintf(key, sizeof(key), "%s%d", i < edges ? low : high, i < edges ? i + 1 : i - edges + 1);
		thing_add(f, key, ports, false);
	}
	for (int e = 0; e < edges; e++) {
		for (int h = 0; h < hosts; h++)
			host_add(f, first + e, h + 1, "node");
		for (int c = 0; c < cores; c++)
			for (int k = 0; k < bundle; k++)
				connect_ends(f, first + e, hosts + c * bundle + k + 1, first + edges + c,
					     e * bundle + k + 1);
	}
}

static void word_torus(struct fabric *f, const char *words)
{
	int x_side, y_side, hosts, ports, first = f->count;
	char head[NAME_MAX_LENGTH / 2], key[NAME_MAX_LENGTH];

	assert_int_equal(sscanf(words, "%31s %d %d %d %d", head, &x_side, &y_side, &hosts, &ports), 5);
	for (int i = 0; i < x_side * y_side; i++) {
		snprintf(key, sizeof(key), "%s%d%d", head, i / y_side, i % y_side);
		thing_add(f, key, ports, false);
	}
	for (int i = 0; i < x_side * y_side; i++) {
		int x = i / y_side, y = i % y_side;

		for (int h = 0; h < hosts; h++)
			host_add(f, first + i, h + 1, "node");
		connect_ends(f, first + i, hosts + 1, first + (x + 1) % x_side * y_side + y, hosts + 2);
		connect_ends(f, first + i, hosts + 3, first + x * y_side + (y + 1) % y_side, hosts + 4);
	}
}

static const char *rate_word(const char *word)
{
	static const char *const rates[] = {"4xFDR", "4xEDR", "1xHDR", "2xHDR"};

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		if (strcmp(rates[i], word) == 0)
			return rates[i];
	fail_msg("no rate %s", word);
	return NULL;
}

static void word_pair(struct fabric *f, const char *verb, const char *words)
{
	char a_key[NAME_MAX_LENGTH], b_key[NAME_MAX_LENGTH], last[NAME_MAX_LENGTH];
	int a, b, count, done = 0;

	assert_int_equal(sscanf(words, "%63s %63s %63s", a_key, b_key, last), 3);
	a = thing_find(f, a_key);
	b = thing_find(f, b_key);
	count = strcmp(verb, "rate") == 0 ? 1 : atoi(last);
	for (int i = 0; strcmp(verb, "link") == 0 && i < count; i++)
		connect_ends(f, a, free_port(f, a, true), b, free_port(f, b, true));
	for (int p = f->things[a].ports; strcmp(verb, "link") != 0 && p > 0 && done < count; p--) {
		struct end far = f->things[a].far[p];

		if (far.node < 0 || strcmp(f->things[far.node].key, b_key) != 0)
			continue;
		if (strcmp(verb, "rate") == 0)
			f->things[a].rate[p] = f->things[far.node].rate[far.port] = rate_word(last);
		else
			pull(f, a, p);
		done++;
	}
	assert_true(strcmp(verb, "link") == 0 || done == count);
}

static void word_aged(struct fabric *f, const char *words)
{
	char key[NAME_MAX_LENGTH], rate[NAME_MAX_LENGTH];
	struct thing *t;
	int count = PORTS_MAX;

	assert_true(sscanf(words, "%63s %63s %d", key, rate, &count) >= 2);
	t = &f->things[thing_find(f, key)];
	for (int p = 1; p <= t->ports; p++)
		if (t->far[p].node >= 0 && f->things[t->far[p].node].is_host && count-- > 0)
			t->rate[p] = f->things[t->far[p].node].rate[t->far[p].port] = rate_word(rate);
}

static void word_name(struct fabric *f, const char *words)
{
	char key[NAME_MAX_LENGTH], name[NAME_MAX_LENGTH];
	struct thing *t;

	assert_int_equal(sscanf(words, "%63s %63s", key, name), 2);
	t = &f->things[thing_find(f, key)];
	snprintf(t->name, sizeof(t->name), "%s", name);
	for (char *c = t->name; *c; c++)
		*c = *c == '_' ? ' ' : *c == '~' ? (char)0x9b : *c;
}

static void word_one(struct fabric *f, const char *verb, const char *words)
{
	char key[NAME_MAX_LENGTH];
	int count = 0, node;
	struct thing *t;

	assert_true(sscanf(words, "%63s %d", key, &count) >= 1);
	if (strcmp(verb, "switch") == 0) {
		thing_add(f, key, count, false);
		return;
	}
	node = thing_find(f, key);
	t = &f->things[node];
	if (strcmp(verb, "sharp") == 0)
		host_add(f, node, t->ports, "Mellanox Technologies Aggregation Node");
	for (int i = 0; strcmp(verb, "hosts") == 0 && i < count; i++)
		host_add(f, node, free_port(f, node, false), "more");
	if (strcmp(verb, "hush") == 0)
		t->hushed = count;
	if (strcmp(verb, "unplug") == 0)
		pull(f, node, count);
	for (int p = 1; strcmp(verb, "older") == 0 && p <= t->ports; p++)
		if (t->far[p].node >= 0)
			t->rate[p] = f->things[t->far[p].node].rate[t->far[p].port] = "4xEDR";
	for (int p = 1; p <= t->ports; p++) {
		int far = t->far[p].node;

		if (far < 0 || (strcmp(verb, "quiet") == 0 && (!f->things[far].is_host || count-- <= 0)) ||
		    (strcmp(verb, "quiet") != 0 && strcmp(verb, "dead") != 0))
			continue;
		f->things[far].dead |= f->things[far].is_host;
		pull(f, node, p);
	}
	t->dead |= strcmp(verb, "dead") == 0;
}

static void fabric_make(struct fabric *f, const char *words)
{
	char copy[2048], *rest = copy;

	snprintf(copy, sizeof(copy), "%s", words);
	for (char *part = strsep(&rest, ";"); part; part = strsep(&rest, ";")) {
		char verb[16];
		int at = 0;

		if (sscanf(part, " %15s %n", verb, &at) < 1)
			continue;
		if (strcmp(verb, "tree") == 0)
			word_tree(f, part + at);
		else if (strcmp(verb, "torus") == 0)
			word_torus(f, part + at);
		else if (strcmp(verb, "link") == 0 || strcmp(verb, "cut") == 0 || strcmp(verb, "rate") == 0)
			word_pair(f, verb, part + at);
		else if (strcmp(verb, "name") == 0)
			word_name(f, part + at);
		else if (strcmp(verb, "aged") == 0)
			word_aged(f, part + at);
		else
			word_one(f, verb, part + at);
	}
}

static uint64_t guid_of(const struct fabric *f, int node)
{
	return (f->things[node].is_host ? 0x200000U : 0x100001U) + (uint64_t)node * (f->things[node].is_host ? 2 : 1);
}

static char letter_of(const struct fabric *f, int node)
{
	return f->things[node].is_host ? 'H' : 'S';
}

/* As ibnetdiscover prints it. */
static void fabric_write(const struct fabric *f, struct ft_text *text)
{
	for (int i = 0; i < f->count; i++) {
		const struct thing *t = &f->things[i];

		if (t->dead)
			continue;
		if (t->is_host)
			ft_text_printf(text, "\ncaguid=0x%" PRIx64 "\nCa\t1 \"H-%016" PRIx64 "\"\t\t# \"%s\"\n",
				       guid_of(f, i), guid_of(f, i), t->name);
		else
			ft_text_printf(text,
				       "\nswitchguid=0x%" PRIx64 "(%" PRIx64 ")\nSwitch\t%d \"S-%016" PRIx64
				       "\"\t\t# \"%s\" enhanced port 0 lid %d lmc 0\n",
				       guid_of(f, i), guid_of(f, i), t->ports, guid_of(f, i), t->name, i + 1);
		for (int p = 1; p <= t->ports; p++) {
			const struct end *far = &t->far[p];
			char own_lid[32];

			if (far->node < 0)
				continue;
			snprintf(own_lid, sizeof(own_lid), "lid %d lmc 0", i + 1);
			ft_text_printf(text, "[%d]", p);
			if (t->is_host)
				ft_text_printf(text, "(%" PRIx64 ")", guid_of(f, i) + 1);
			ft_text_printf(text, "\t\"%c-%016" PRIx64 "\"[%d]", letter_of(f, far->node),
				       guid_of(f, far->node), far->port);
			if (f->things[far->node].is_host)
				ft_text_printf(text, "(%" PRIx64 ")", guid_of(f, far->node) + 1);
			ft_text_printf(text, "\t\t# %s \"%s\" lid %d %s\n", t->is_host ? own_lid : "",
				       f->things[far->node].name, far->node + 1, t->rate[p]);
		}
	}
	assert_false(ft_text_failed(text));
}

/* Ports that are up and silent, which a plain dump has no words for. */
static void fabric_hush(const struct fabric *f, struct ft_snapshot *s)
{
	for (int i = 0; i < f->count; i++)
		for (uint32_t n = 0; n < s->node_count; n++) {
			int left = f->things[i].hushed;

			if (s->nodes[n].guid != guid_of(f, i))
				continue;
			for (uint32_t p = s->nodes[n].port_count; left > 0 && p > 0; p--) {
				struct ft_port *port = &s->ports[s->nodes[n].first_port + p - 1];

				if (port->peer != FT_NONE)
					continue;
				port->link = FT_LINK_SILENT;
				left--;
			}
		}
}

/* Adds a line of a network file; @nameless: what the plan calls a switch is "x". */
static void line_add(struct ft_text *text, const char *line, bool nameless)
{
	static const char *const tiers[] = {"# \"edge", "# \"spine", "# \"core"};
	const char *name = NULL, *end;

	for (size_t t = 0; nameless && !name && t < sizeof(tiers) / sizeof(tiers[0]); t++)
		name = strstr(line, tiers[t]);
	end = name ? strchr(name + 3, '"') : NULL;
	if (end)
		ft_text_printf(text, "%.*s# \"x%s\n", (int)(name - line), line, end);
	else
		ft_text_printf(text, "%s\n", line);
}

/* Adds a network file without a switch (NULL: with all) and its cables. */
static void network_add(struct ft_text *text, char *network, const char *without, bool nameless)
{
	char mark[NAME_MAX_LENGTH + 8], id[32] = "none";
	char *at = without ? strstr(network, (snprintf(mark, sizeof(mark), "# \"%s\"", without), mark)) : NULL;
	bool inside = false;

	/* Its own line is the first with its name, or else it is behind that of a neighbour: then its GUID is there. */
	while (at && at > network && at[-1] != '\n')
		at--;
	if (at)
		assert_int_equal(sscanf(at, "%*[^\"]\"%31[^\"]", id), 1);
	for (char *line = strsep(&network, "\n"); line; line = strsep(&network, "\n")) {
		if (line[0] == '\0' || strncmp(line, "Switch", 6) == 0)
			inside = line[0] && strstr(line, id);
		if (!inside && !strstr(line, id))
			line_add(text, line, nameless);
	}
}

/* A design, and behind ";" the name of a switch that is off, or "nameless". */
static void plan_text(const char *words, struct ft_text *text)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_text_release) struct ft_text network = {0};
	const char *end = strchr(words, ';');
	bool nameless = end && strcmp(end, ";nameless") == 0;
	struct ft_error err = {0};

	if (ft_design_read(words, end ? (size_t)(end - words) : strlen(words), &design, &plan, &err) < 0)
		fail_msg("%s", err.text);
	ft_plan_write_ibsim(&network, design, plan);
	assert_false(ft_text_failed(&network));
	network_add(text, network.data, end && !nameless ? end + 1 : NULL, nameless);
}

static struct ft_snapshot *snapshot_make(const char *fabric)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct fabric *f = test_calloc(1, sizeof(*f));
	struct ft_snapshot *snapshot = NULL;
	struct ft_error err = {0};

	ft_text_puts(&text, "#\n# Topology file: generated on Fri Nov 20 10:00:00 2026\n#\n");
	if (fabric[0] == '{') {
		plan_text(fabric, &text);
	} else {
		fabric_make(f, fabric);
		fabric_write(f, &text);
	}
	if (ft_dump_read_ibnetdiscover(text.data, text.length, &snapshot, &err) < 0)
		fail_msg("line %u: %s", err.line, err.text);
	fabric_hush(f, snapshot);
	test_free(f);
	return snapshot;
}

/* ---- */

static void expect_parts(const char *text, const char *expected)
{
	char copy[2048], *rest = copy;

	snprintf(copy, sizeof(copy), "%s", expected);
	for (char *part = strsep(&rest, "|"); part; part = strsep(&rest, "|")) {
		/* Of the pattern with a "|" in it only the parts are compared. */
		if (!strstr(text, part))
			fail_msg("lacks %s:\n%s", part, text);
	}
}

static struct ft_report *verify_by(const struct ft_text *text, const struct ft_snapshot *snapshot,
				   struct ft_resolved *roots, struct ft_resolved *hosts)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	struct ft_report *report = NULL;
	struct ft_error err = {0};

	if (ft_design_read(text->data, text->length, &design, &plan, &err) < 0)
		fail_msg("%u:%u: %s\n%s", err.line, err.column, err.text, text->data);
	assert_int_equal(ft_verify(design, plan, snapshot, "2026-11-20", &report), 0);
	assert_int_equal(ft_resolve_roots(design, plan, report, roots), 0);
	assert_int_equal(ft_resolve_hosts(design, plan, snapshot, report, hosts), 0);
	return report;
}

/* The codes of all findings; and after ": ", what the first one says. */
static void expect_found(const struct ft_report *report, const char *expected)
{
	_cleanup_(ft_text_release) struct ft_text found = {0};
	const char *says = strstr(expected, ": ");

	for (size_t i = 0; i < report->finding_count; i++)
		ft_text_printf(&found, "%s%s", i ? " " : "", ft_codes[report->findings[i].code].name);
	if (report->finding_count == 0)
		ft_text_puts(&found, "ok");
	if (says && report->finding_count > 0 && strstr(report->findings[0].text, says + 2))
		ft_text_puts(&found, says);
	if (strcmp(ft_text_string(&found), expected) != 0)
		fail_msg("found %s, expected %s", ft_text_string(&found), expected);
}

/* The observed switch of a planned one of a graph: by GUID, or by name. */
static uint32_t node_of(const struct ft_plan_switch *sw, const struct ft_snapshot *s)
{
	for (uint32_t n = 0; n < s->node_count; n++)
		if (s->nodes[n].type == FT_NODE_SWITCH &&
		    (sw->guid ? s->nodes[n].guid == sw->guid
			      : strcmp(ft_node_description(s, &s->nodes[n]), sw->name) == 0))
			return n;
	fail_msg("no switch %s", sw->name);
	return 0;
}

/* Adds "A B PLANNED/SEEN" for each pair of switches of which these differ; every switch is planned. */
static void residual_add(struct ft_text *text, const struct ft_plan *plan, const struct ft_snapshot *s)
{
	uint32_t switches = 0, bundles = 0, *node = test_calloc(plan->switch_count + 1, sizeof(*node));

	for (uint32_t n = 0; n < s->node_count; n++)
		switches += s->nodes[n].type == FT_NODE_SWITCH;
	assert_int_equal(plan->switch_count, switches);
	for (uint32_t i = 0; i < plan->switch_count; i++)
		node[i] = node_of(&plan->switches[i], s);
	for (uint32_t a = 0; a < plan->switch_count; a++)
		for (uint32_t b = a + 1; b < plan->switch_count; b++) {
			uint32_t bundle = ft_plan_find_bundle(plan, a, b), seen = 0;
			uint32_t planned = bundle == FT_NONE ? 0 : plan->bundles[bundle].count;

			for (uint32_t p = 0; p < s->nodes[node[a]].port_count; p++) {
				const struct ft_port *peer =
					ft_port_peer(s, &s->ports[s->nodes[node[a]].first_port + p]);

				seen += peer && peer->node == node[b];
			}
			bundles += planned > 0;
			if (planned != seen)
				ft_text_printf(text, "%s%s %s %u/%u", text->length > 1 ? " " : "",
					       plan->switches[a].name, plan->switches[b].name, planned, seen);
		}
	assert_int_equal(bundles, plan->bundle_count);
	test_free(node);
}

/* Nothing from warnings on where nothing is left; else so many cables. */
static void expect_cables(const struct ft_report *report, const char *left)
{
	uint32_t cables = 0, found = 0;

	for (const char *at = strchr(left, '/'); at; at = strchr(at + 1, '/')) {
		const char *planned = at;

		while (planned[-1] != ' ')
			planned--;
		cables += (uint32_t)abs(atoi(planned) - atoi(at + 1));
	}
	for (size_t i = 0; i < report->finding_count; i++)
		found += report->findings[i].severity == FT_SEVERITY_INFO ? 0 : report->findings[i].count;
	if (cables != found)
		fail_msg("%u cables are left, found %u of them", cables, found);
}

static void expect_residual(const struct ft_text *design_text, const struct ft_snapshot *snapshot,
			    const struct ft_report *report, const char *expected)
{
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_error err = {0};

	if (ft_design_read(design_text->data, design_text->length, &design, &plan, &err) < 0)
		fail_msg("%u:%u: %s\n%s", err.line, err.column, err.text, design_text->data);
	ft_text_puts(&text, "=");
	residual_add(&text, plan, snapshot);
	if (strcmp(ft_text_string(&text), expected) != 0)
		fail_msg("%s is left, expected %s\n%s", ft_text_string(&text), expected, design_text->data);
	expect_cables(report, expected);
}

static void test_row(void **state)
{
	const struct row *row = *state;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = snapshot_make(row->fabric);
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_resolved_release) struct ft_resolved roots = {0}, hosts = {0};
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_error err = {0};
	int r = ft_infer(snapshot, "t", &text, &err);

	if (row->expected[0] == '!') {
		assert_int_equal(r, -EINVAL);
		assert_string_equal(err.text, row->expected + 1);
		assert_null(text.data);
		return;
	}
	if (r < 0)
		fail_msg("%s", err.text);
	expect_parts(text.data, row->expected);
	report = verify_by(&text, snapshot, &roots, &hosts);
	assert_non_null(report);
	if (row->found && row->found[0] == '=')
		expect_residual(&text, snapshot, report, row->found);
	else if (row->found)
		expect_found(report, row->found);
}

/* ---- what OpenSM is told ---- */

static void test_resolve(void **state)
{
#define BROKEN MAIN "; hosts core1 1; name more node; dead core2; sharp leaf1"
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *before = snapshot_make(BROKEN);
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot =
		snapshot_make(BROKEN "; switch stray 8; link stray leaf2 1; hosts stray 2");
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_resolved_release) struct ft_resolved roots = {0}, hosts = {0};
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_error err = {0};
	(void)state;

	if (ft_infer(before, "t", &text, &err) < 0)
		fail_msg("%s", err.text);
	report = verify_by(&text, snapshot, &roots, &hosts);
	assert_non_null(report);
	assert_int_equal(roots.count, 2);
	assert_true(roots.guids[0] == 0x100007 && roots.guids[1] == 0x100009);
	assert_string_equal(roots.names[0], "core1");
	assert_int_equal(roots.missing, 1);
	assert_non_null(roots.missing_name);
	assert_int_equal(hosts.missing, 0);
	/* No host on a core or a stranger, no aggregation node; ports, not nodes. */
	assert_int_equal(hosts.count, 48);
	for (size_t i = 0; i < hosts.count; i++) {
		assert_int_equal(hosts.guids[i] % 2, 1);
		assert_string_equal(hosts.names[i], "node");
	}
}

static void test_resolve_no_memory(void **state)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = snapshot_make(MAIN);
	_cleanup_(ft_design_freep) struct ft_design *design = NULL;
	_cleanup_(ft_plan_freep) struct ft_plan *plan = NULL;
	_cleanup_(ft_report_freep) struct ft_report *report = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	bool spent = true;
	int r = 0;
	size_t n;
	(void)state;

	assert_int_equal(ft_infer(snapshot, "t", &text, NULL), 0);
	assert_int_equal(ft_design_read(text.data, text.length, &design, &plan, NULL), 0);
	assert_int_equal(ft_verify(design, plan, snapshot, "2026-11-20", &report), 0);
	for (n = 1; spent && n < 100000; n += runs_are_few() ? 1 + n / 64 : 1) {
		_cleanup_(ft_resolved_release) struct ft_resolved roots = {0}, hosts = {0};

		allocation_failing = n;
		r = ft_resolve_roots(design, plan, report, &roots);
		if (r == 0)
			r = ft_resolve_hosts(design, plan, snapshot, report, &hosts);
		spent = allocation_failing == 0;
		allocation_failing = 0;
		assert_true(r == 0 || r == -ENOMEM);
	}
	assert_int_equal(r, 0);
	assert_true(n > 50);
}

/* ---- every allocation may fail ---- */

static void test_no_memory(void **state)
{
	static const char *const fabrics[] = {
		MAIN "; dead core2; cut leaf1 core1 1; switch mgmt1 8; switch mgmt2 8; link mgmt1 mgmt2 2; link mgmt1 "
		     "core1 1",
		"tree sw 4 sx 2 2 8 36; name sx1 sw5; name sx2 sw6; link sw1 sx2 1",
		PODS,
		"switch hub 36; hosts hub 20",
		"tree leaf 8 core 2 3 9 48; tree io 3 dummy 0 0 6 48; link io1 core1 6; link io1 core2 6; link io2 "
		"core1 6; "
		"link io2 core2 6; link io3 core1 6; link io3 core2 6; name io1 x; name io2 x; cut leaf4 core2 1",
		"switch r1 8; switch r2 8; switch r3 8; switch r4 8; switch r5 8; switch r6 8; "
		"switch r7 8; switch r8 8; link r1 r2 2; link r2 r3 2; link r3 r4 2; link r4 r5 2; "
		"link r5 r6 2; link r6 r7 2; link r7 r8 2; link r8 r1 2; hosts r1 2; hosts r2 2; "
		"hosts r3 2; hosts r4 2; hosts r5 2; hosts r6 2; hosts r7 2; hosts r8 2; cut r1 r2 1",
	};
	(void)state;

	for (size_t i = 0; i < FT_COUNT(fabrics); i++) {
		_cleanup_(ft_snapshot_freep) struct ft_snapshot *snapshot = snapshot_make(fabrics[i]);
		bool spent = true;
		int r = 0;
		size_t n;

		for (n = 1; spent && n < 100000; n += runs_are_few() ? 1 + n / 64 : 1) {
			_cleanup_(ft_text_release) struct ft_text text = {0};
			struct ft_error err = {0};

			/* jansson 2.14 writes beyond its buffer if only one fails. */
			allocation_keeps_failing = true;
			allocation_failing = n;
			r = ft_infer(snapshot, "t", &text, &err);
			spent = allocation_failing == 1 && r < 0;
			allocation_failing = 0;
			allocation_keeps_failing = false;
			assert_true(r == 0 || r == -ENOMEM);
			if (r < 0)
				assert_null(text.data);
		}
		assert_int_equal(r, 0);
		assert_true(n > 30);
	}
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_resolve),
		cmocka_unit_test(test_resolve_no_memory),
		cmocka_unit_test(test_no_memory),
	};
	struct CMUnitTest tests[FT_COUNT(rows) + FT_COUNT(others)];

	for (size_t i = 0; i < FT_COUNT(rows); i++)
		tests[i] = (struct CMUnitTest){rows[i].what, test_row, NULL, NULL, (void *)&rows[i]};
	memcpy(tests + FT_COUNT(rows), others, sizeof(others));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
