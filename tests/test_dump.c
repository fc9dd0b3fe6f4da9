/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB */
/*
 * ibnetdiscover's text in all its forms, each a row; real dumps where they are at hand.
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
#include <time.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/json.h"
#include "probe/snapshot_build.h"
#include "probe/source.h"
#include "tests/skipped.h"

/*
 * A snapshot in words: a line a node, with its ports that are not down (those too, as "-", where the source lists
 * them): S 10 x4 lid 7 'sw one' | 1>20[1] 4xHDR | 2~ 4xHDR | 3? | 4- for up, silent, unread and down.
 */
static void show_port(struct ft_text *text, const struct ft_snapshot *s, const struct ft_node *node,
		      const struct ft_port *port)
{
	const struct ft_port *far = ft_port_peer(s, port);
	char rate[FT_RATE_NAME_SIZE];

	if (port->link == FT_LINK_DOWN && !s->source.lists_down_ports)
		return;
	ft_text_printf(text, " | %u%c", port->number, "?-~>"[port->link]);
	if (far)
		ft_text_printf(text, "%" PRIx64 "[%u]", ft_port_node(s, far)->guid, far->number);
	if (port->rate.lanes || port->rate.speed)
		ft_text_printf(text, " %s", ft_rate_name(port->rate, rate));
	if (port->guid && node->type != FT_NODE_SWITCH)
		ft_text_printf(text, " (%" PRIx64 ")", port->guid);
	if (port->lid)
		ft_text_printf(text, " lid %u", port->lid);
	if (port->lmc)
		ft_text_printf(text, " lmc %u", port->lmc);
}

static void show(struct ft_text *text, const struct ft_snapshot *s)
{
	for (uint32_t n = 0; n < s->node_count; n++) {
		const struct ft_node *node = &s->nodes[n];

		ft_text_printf(text, "%c %" PRIx64 " x%u", "?SCR"[node->type], node -> guid, node -> port_count);
		if (node->system_guid)
			ft_text_printf(text, " sys %" PRIx64, node->system_guid);
		if (node->chassis)
			ft_text_printf(text, " chassis %u", node->chassis);
		if (node->vendor_id)
			ft_text_printf(text, " %x:%x", node->vendor_id, node->device_id);
		if (node->lid)
			ft_text_printf(text, " lid %u", node->lid);
		if (node->lmc)
			ft_text_printf(text, " lmc %u", node->lmc);
		if (node->description_length) {
			ft_text_puts(text, " '");
			ft_text_add(text, ft_node_description(s, node), node->description_length);
			ft_text_puts(text, "'");
		}
		for (unsigned int i = 1; i <= node->port_count; i++)
			show_port(text, s, node, ft_node_port(s, node, i));
		ft_text_puts(text, "\n");
	}
	if (!s->source.complete)
		ft_text_puts(text, "incomplete\n");
	if (s->source.odd_lids)
		ft_text_printf(text, "no LID: %u from line %u\n", s->source.odd_lids, s->source.odd_lid_line);
}

struct row {
	const char *name;
	const char *dump;
	const char *expected; /* the fabric as show() has it, or "LINE:COLUMN: text" */
	size_t length;	      /* of dump, where it holds a NUL */
};

static void row_test(void **state)
{
	const struct row *row = *state;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	struct ft_error err = {0};
	size_t length = row->length ? row->length : strlen(row->dump);
	/* Of exactly this length, so that a reader which goes beyond it is caught. */
	_cleanup_free_ char *exact = malloc(length ? length : 1);
	int r;

	assert_non_null(exact);
	memcpy(exact, row->dump, length);
	r = ft_dump_read_ibnetdiscover(exact, length, &s, &err);
	if (r < 0) {
		assert_int_equal(r, -EINVAL);
		assert_null(s);
		ft_text_printf(&text, "%u:%u: %s", err.line, err.column, err.text);
	} else {
		assert_int_equal(ft_snapshot_check(s, &err), 0);
		show(&text, s);
	}
	assert_string_equal(ft_text_string(&text), row->expected);
}

#define S(guid) "\"S-00000000000000" guid "\""
#define H(guid) "\"H-00000000000000" guid "\""

/* The same small fabric throughout: a switch with one host, in the form that ibnetdiscover gives it today. */
#define HEADER                                                           \
	"#\n# Topology file: generated on Tue Feb 23 14:02:06 2021\n#\n" \
	"# Initiated from node 0000000000000020 port 0000000000000021\n"
#define SWITCH_IDS "\nvendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0x10\nswitchguid=0x10(10)\n"
#define SWITCH_NODE "Switch\t4 " S("10") "\t\t# \"sw one\" enhanced port 0 lid 7 lmc 0\n"
#define SWITCH_PORT "[1]\t" H("20") "[1](21) \t\t# \"host a\" lid 3 4xHDR\n"
#define HOST_IDS "\nvendid=0x2c9\ndevid=0x101b\nsysimgguid=0x20\ncaguid=0x20\n"
#define HOST_NODE "Ca\t1 " H("20") "\t\t# \"host a\"\n"
#define HOST_PORT "[1](21) \t" S("10") "[1]\t\t# lid 3 lmc 0 \"sw one\" lid 7 4xHDR\n"
#define SWITCH SWITCH_IDS SWITCH_NODE SWITCH_PORT
#define HOST HOST_IDS HOST_NODE HOST_PORT

#define SWITCH_SEEN "S 10 x4 sys 10 2c9:d2f0 lid 7 'sw one' | 1>20[1] 4xHDR\n"
#define HOST_SEEN "C 20 x1 sys 20 2c9:101b 'host a' | 1>10[1] 4xHDR (21) lid 3\n"
#define SEEN SWITCH_SEEN HOST_SEEN

/* A message of libibnetdisc, and what is left to say of the switch's free ports then. */
#define LOSS(route, attribute)                                                    \
	"src/query_smp.c:195; umad (DR path slid 0; dlid 0; " route " " attribute \
	") bad status 110; Connection timed out\n"
#define LOST(ports) "S 10 x4 sys 10 2c9:d2f0 lid 7 'sw one' | 1>20[1] 4xHDR | " ports "\n" HOST_SEEN "incomplete\n"

/* Without the identities. */
#define BARE_SEEN "S 10 x4 lid 7 'sw one' | 1>20[1] 4xHDR\nC 20 x1 'host a' | 1>10[1] 4xHDR (21) lid 3\n"

/* Two switches and a cable, whose rate is what matters. */
#define RATE_DUMP(rate)                                                      \
	"Switch 4 \"S-0000000000000010\" # \"sw\" base port 0 lid 7 lmc 0\n" \
	"[1] \"S-0000000000000011\"[2] # \"sw\" lid 8 " rate "\n"            \
	"Switch 4 \"S-0000000000000011\" # \"sw\" base port 0 lid 8 lmc 0\n" \
	"[2] \"S-0000000000000010\"[1] # \"sw\" lid 7 " rate "\n"
#define RATE_SEEN(rate) "S 10 x4 lid 7 'sw' | 1>11[2]" rate "\nS 11 x4 lid 8 'sw' | 2>10[1]" rate "\n"

/* A host of a given description, which is kept byte by byte. */
#define NAME_DUMP(name) "Ca 1 " H("20") " # \"" name "\"\n"
#define NAME_SEEN(name) "C 20 x1 '" name "'\n"

#define REPORT_HOST "CA     3  1 0x0000000000000021 4x HDR - SW     7  1 0x0000000000000010 ( 'host a' - 'sw one' )\n"
#define REPORT_SWITCH                                                                         \
	"SW     7  3 0x0000000000000010 4x SDR                                    'sw one'\n" \
	"SW     7  2 0x0000000000000010 4x ???                                    'sw one'\n" \
	"SW     7  1 0x0000000000000010 4x HDR - CA     3  1 0x0000000000000021 ( 'sw one' - 'host a' )\n"
#define REPORT_SEEN "C 21 x1 'host a' | 1>10[1] 4xHDR (21) lid 3\nS 10 x3 lid 7 'sw one' | 1>21[1] 4xHDR | 2- | 3-\n"

#define CHIP(guid) "Switch 2 " S(guid) " # \"chip\" base port 0 lid 0 lmc 0\n"
#define CHIP_SEEN(guid, chassis) "S " guid " x2" chassis " 'chip'\n"

/* An end of a line of a subnet list, and the line. */
#define LST_END(type, ports, guid, name, lid, number)                                                               \
	"{ " type " Ports:" ports " SystemGUID:00000000000000" guid " NodeGUID:00000000000000" guid                 \
	" PortGUID:00000000000000" guid " VenID:000002C9 DevID:B924 Rev:000000A1 {" name "} LID:" lid " PN:" number \
	" }"
#define LST_SWITCH(type) LST_END(type, "18", "10", "sw one", "0401", "18")
#define LST_HOST(type) LST_END(type, "02", "20", "host a", "000a", "01")
#define LST_TAIL " PHY=4x LOG=ACT SPD=2.5\n"
#define LST LST_HOST("CA") " " LST_SWITCH("SW") LST_TAIL LST_SWITCH("SW") " " LST_HOST("CA") LST_TAIL
#define LST_SEEN                                                          \
	"C 20 x2 sys 20 2c9:b924 'host a' | 1>10[24] 4xSDR (20) lid 10\n" \
	"S 10 x24 sys 10 2c9:b924 lid 1025 'sw one' | 24>20[1] 4xSDR\n"
#define LST_RATE(tail) LST_HOST("CA") " " LST_SWITCH("SW") tail
#define LST_RATE_SEEN(rate)                                                 \
	"C 20 x2 sys 20 2c9:b924 'host a' | 1>10[24]" rate " (20) lid 10\n" \
	"S 10 x24 sys 10 2c9:b924 lid 1025 'sw one' | 24>20[1]" rate "\n"

static const struct row rows[] = {
	{"plain", HEADER SWITCH HOST, SEEN, 0},
	{"no header", SWITCH HOST, SEEN, 0},
	{"hosts before switches", HEADER HOST SWITCH, HOST_SEEN SWITCH_SEEN, 0},

	/* Separators. */
	{"blanks for tabs",
	 "Switch  4  " S(
		 "10") "   # \"sw one\"   enhanced port 0   lid  7  lmc 0\n"
		       "[1]   " H("20") "[1](21)     # \"host a\"  lid   3   4xHDR\n"
					"Ca   1   " H(
						"20") "  # \"host a\"\n"
						      "[1](21)    " S(
							      "10") "[1]   #  lid 3 lmc 0   \"sw one\"  lid 7  4xHDR\n",
	 BARE_SEEN, 0},
	{"no separators",
	 "Switch4" S("10") "#\"sw one\"enhanced port 0 lid 7 lmc 0\n"
			   "[1]" H("20") "[1](21)#\"host a\"lid 3 4xHDR\n"
					 "Ca1" H("20") "#\"host a\"\n"
						       "[1](21)" S("10") "[1]#lid 3 lmc 0\"sw one\"lid 7 4xHDR\n",
	 BARE_SEEN, 0},
	{"CR LF",
	 "vendid=0x2c9\r\ndevid=0x101b\r\nsysimgguid=0x20\r\ncaguid=0x20\r\nCa\t1 " H("20") "\t\t# \"host a\"\r\n\r\n",
	 "C 20 x1 sys 20 2c9:101b 'host a'\n", 0},
	{"CR LF on port lines",
	 "Ca\t1 " H("20") "\t\t# \"h\"\r\n[1](21) \t" S("10") "[1]\t\t# lid 3 lmc 0 \"s\" lid 7 4xHDR\r\n",
	 "C 20 x1 'h' | 1>10[1] 4xHDR (21) lid 3\nS 10 x1 lid 7 's' | 1>20[1] 4xHDR\nincomplete\n", 0},
	{"byte order mark", "\xef\xbb\xbf" HEADER SWITCH HOST, SEEN, 0},
	{"byte order mark before a record", "\xef\xbb\xbfSwitch\t4 " S("10") "\n", "S 10 x4\n", 0},
	{"no empty line between records", SWITCH_NODE SWITCH_PORT HOST_NODE HOST_PORT, BARE_SEEN, 0},
	{"an empty line with blanks in it", SWITCH " \t \n" HOST, SEEN, 0},
	{"indented", "  Switch\t4 " S("10") "\t# \"sw one\"\n\t[1]\t" S("10") "[2]\n\t[2]\t" S("10") "[1]\n",
	 "S 10 x4 'sw one' | 1>10[2] | 2>10[1]\n", 0},

	/* What stands around the records. */
	{"a banner before the header", "Welcome to login1!\n*** maintenance on Friday ***\n" HEADER SWITCH HOST, SEEN,
	 0},
	{"a prompt before the header", "[root@login ~]# ibnetdiscover\n" HEADER SWITCH HOST, SEEN, 0},
	{"a prompt behind the records", HEADER SWITCH HOST "[root@login ~]# exit\nlogout\n[root@login ~]#", SEEN, 0},
	{"an error before the header", "ibwarn: [2381] mad_rpc_open_port: can't open UMAD port\n" HEADER SWITCH HOST,
	 SEEN, 0},
	{"packets that were lost",
	 "src/query_smp.c:224; mad (DR path slid 0; dlid 0; 0,1 Attr 0x11:1) bad status 110; Connection timed "
	 "out\n" HEADER SWITCH HOST,
	 SEEN "incomplete\n", 0},
	{"a message within a record",
	 SWITCH_NODE "ibwarn: [12] sim_connect: attached as client 1\n" SWITCH_PORT HOST_NODE HOST_PORT, BARE_SEEN, 0},
	{"packets lost nobody knows where",
	 SWITCH_NODE "ibwarn: [12] _do_madrpc: recv failed: Connection timed out\n" SWITCH_PORT HOST_NODE HOST_PORT,
	 "S 10 x4 lid 7 'sw one' | 1>20[1] 4xHDR | 2? | 3? | 4?\nC 20 x1 'host a' | 1>10[1] 4xHDR (21) lid "
	 "3\nincomplete\n",
	 0},
	{"packets lost behind a port, which is silent", LOSS("0,1,3", "Attr 0x11:0") HEADER SWITCH HOST, LOST("3~"), 0},
	{"the same in two lines",
	 "ibwarn: [12] _do_madrpc: recv failed: Connection timed out\n"
	 "ibwarn: [12] mad_rpc: _do_madrpc failed; dport (DR path slid 0; dlid 0; 0,1,3)\n" HEADER SWITCH HOST,
	 LOST("3~"), 0},
	{"packets lost about a port", LOSS("0,1", "Attr 0x15:2") HEADER SWITCH HOST, LOST("2?"), 0},
	{"packets lost about a switch", LOSS("0,1", "Attr 0x12:0") HEADER SWITCH HOST, LOST("2? | 3? | 4?"), 0},
	{"packets lost about a name", LOSS("0,1", "Attr 0x10:0") HEADER SWITCH HOST, SEEN "incomplete\n", 0},
	{"packets lost on a route that leads nowhere", LOSS("0,1,3,7", "Attr 0x15:2") HEADER SWITCH HOST,
	 LOST("2? | 3? | 4?"), 0},
	{"packets lost on a route that cannot be read", LOSS("0,x", "Attr 0x15:x") SWITCH HOST, LOST("2? | 3? | 4?"),
	 0},
	{"packets lost, and no entry known", LOSS("0,1,3", "Attr 0x11:0") SWITCH HOST, LOST("2? | 3? | 4?"), 0},
	{"kernel messages", "[   12.345678] mlx5_core 0000:03:00.0: Port module event\n" HEADER SWITCH HOST, SEEN, 0},
	{"messages that begin like records", "Cannot open display\nSwitch 3 is up\nCa va\nRtfm\n" HEADER SWITCH HOST,
	 SEEN, 0},
	{"Max of N hops",
	 HEADER "# Reported max hops discovered: 4\n# Total MADs used: 5\nMax of 4 hops discovered\n" SWITCH HOST, SEEN,
	 0},
	{"Chassis lines",
	 HEADER "\nChassis 1 (guid 0x66a00e8001310)\n\n# Spine Nodes\nvendid=0x2c9\ndevid=0xd2f0\n"
		"sysimgguid=0x10\t\t# Chassis 1\nswitchguid=0x10(10)\t# Spine 1 Chip 2\n" SWITCH_NODE
		"[1][ext 12]\t" H("20") "[1](21) \t\t# \"host a\" lid 3 4xHDR\n"
					"\n# Chassis Switches\n\n# Chassis CAs\n\nNon-Chassis Nodes\n" HOST,
	 SEEN, 0},
	{"chassis, numbered anew by their lowest switch",
	 "\nChassis 7 (guid 0x30)\n" CHIP("31") CHIP("32") "\nChassis 3\n" CHIP("12") CHIP("11")
		 CHIP("13") "\nChassis 5 (guid 0x40)\n" CHIP("41") "Chassis of no number\n" CHIP(
			 "42") "\nNon-Chassis Nodes\n" CHIP("50") CHIP("51"),
	 CHIP_SEEN("31", " chassis 2") CHIP_SEEN("32", " chassis 2") CHIP_SEEN("12", " chassis 1")
		 CHIP_SEEN("11", " chassis 1") CHIP_SEEN("13", " chassis 1") CHIP_SEEN("41", "") CHIP_SEEN("42", "")
			 CHIP_SEEN("50", "") CHIP_SEEN("51", ""),
	 0},
	{"chassis, told behind the system's GUID",
	 "sysimgguid=0x30\t\t# Chassis 4 (gw)\nswitchguid=0x31(31)\t# Spine 1 Chip 2\n" CHIP(
		 "31") "sysimgguid=0x30\t\t# Chassis 4\n" CHIP("32") "sysimgguid=0x30\t# Chassis X\n" CHIP("33"),
	 "S 31 x2 sys 30 chassis 1 'chip'\nS 32 x2 sys 30 chassis 1 'chip'\nS 33 x2 sys 30 'chip'\n", 0},
	{"chassis that say no more than the system's GUID",
	 "Chassis 1\nsysimgguid=0x30\t# Chassis 1\nswitchguid=0x31(31)\t# \n" CHIP("31") "sysimgguid=0x30\n" CHIP(
		 "32") "Chassis 2\nsysimgguid=0x30\n" CHIP("33") "sysimgguid=0x31\n" CHIP("34"),
	 "S 31 x2 sys 30 'chip'\nS 32 x2 sys 30 'chip'\nS 33 x2 sys 30 chassis 1 'chip'\nS 34 x2 sys 31 chassis 1 "
	 "'chip'\n",
	 0},
	{"verbose chatter",
	 "DR path slid 0; dlid 0; 0 -> new Channel Adapter {0011750000790cd4} portnum 1 lid 0-0 \"\"\n" HEADER SWITCH
	 "DR path slid 0; dlid 0; 0,1 -> known Switch {0000000000000010} portnum 0 lid 0-0 \"\"\n" HOST,
	 SEEN, 0},
	{"rates as codes too, as -f prints",
	 SWITCH_NODE "[1]\t" H("20") "[1](21) \t\t# \"host a\" lid 3 4xHDR s=4 w=2 v=4\n" HOST_NODE HOST_PORT,
	 BARE_SEEN, 0},
	{"slots",
	 SWITCH_NODE "[1]\t" H("20") "[1](21) \t\t# \"host a\" lid 3 4xHDR slot 12\nCa\t1 " H(
		 "20") "\t\t# \"host a\" (scp)\n" HOST_PORT,
	 BARE_SEEN, 0},
	{"two dumps of one fabric put together", HEADER SWITCH HOST "$ ibnetdiscover\n" HEADER SWITCH HOST, SEEN, 0},

	/* What may be missing. */
	{"no sysimgguid", "vendid=0x2c9\ndevid=0xd2f0\nswitchguid=0x10(10)\n" SWITCH_NODE,
	 "S 10 x4 2c9:d2f0 lid 7 'sw one'\n", 0},
	{"identities do not reach the next node", "vendid=0x2c9\nsysimgguid=0x11\n" SWITCH_NODE "Ca 1 " H("20") "\n",
	 "S 10 x4 sys 11 2c9:0 lid 7 'sw one'\nC 20 x1\n", 0},
	{"a switch line that ends with its name", "Switch\t4 " S("10") "\t\t# \"sw one\"\n", "S 10 x4 'sw one'\n", 0},
	{"a switch's LID from its neighbour", "Switch 4 " S("10") " # \"sw one\"\n" SWITCH_PORT HOST_NODE HOST_PORT,
	 BARE_SEEN, 0},
	{"a base switch port 0", "Switch\t4 " S("10") "\t\t# \"sw one\" base port 0 lid 7 lmc 0\n",
	 "S 10 x4 lid 7 'sw one'\n", 0},
	{"no description", "Switch 4 " S("10") "\n[1] " S("11") "[1]\nSwitch 4 " S("11") "\n[1] " S("10") "[1]\n",
	 "S 10 x4 | 1>11[1]\nS 11 x4 | 1>10[1]\n", 0},
	{"a description from the neighbour", "Ca 1 " H("20") "\n" SWITCH_NODE SWITCH_PORT,
	 "C 20 x1 'host a' | 1>10[1] 4xHDR (21) lid 3\nS 10 x4 lid 7 'sw one' | 1>20[1] 4xHDR\n", 0},
	{"an empty description", NAME_DUMP(""), "C 20 x1\n", 0},
	{"an empty LID",
	 "Switch 4 " S("10") " # \"sw\" enhanced port 0 lid lmc 2\n[1] " H(
		 "20") "[1](21) # \"a\" lid 4xHDR\n"
		       "Ca 1 " H("20") " # \"a\"\n[1](21) " S("10") "[1] # lid lmc 1 \"sw\" lid 4xHDR\n",
	 "S 10 x4 lmc 2 'sw' | 1>20[1] 4xHDR\nC 20 x1 'a' | 1>10[1] 4xHDR (21) lmc 1\nno LID: 2 from line 1\n", 0},
	{"lid -1",
	 "Switch 4 " S("10") " # \"sw\" base port 0 lid -1 lmc 0\n[1] " H(
		 "20") "[1](21) # \"a\" lid -1 4xHDR\n"
		       "Ca 1 " H("20") " # \"a\"\n[1](21) " S("10") "[1] # lid -1 lmc 0 \"sw\" lid -1 4xHDR\n",
	 "S 10 x4 'sw' | 1>20[1] 4xHDR\nC 20 x1 'a' | 1>10[1] 4xHDR (21)\nno LID: 2 from line 1\n", 0},
	{"LID 65535 on many",
	 "Ca 2 " H("20") " # \"a\"\n[1](21) " H("30") "[1](31) # lid 65535 lmc 0 \"b\" lid 65535 4xHDR\n"
						      "Ca 1 " H("30") " # \"b\"\n[1](31) " H(
							      "20") "[1](21) # lid 65535 lmc 0 \"a\" lid 65535 4xHDR\n",
	 "C 20 x2 'a' | 1>30[1] 4xHDR (21)\nC 30 x1 'b' | 1>20[1] 4xHDR (31)\nno LID: 2 from line 2\n", 0},
	{"a CA with no port line", HEADER SWITCH HOST "\ncaguid=0x30\nCa\t2 " H("30") "\t\t# \"alone\"\n",
	 SEEN "C 30 x2 'alone'\n", 0},
	{"far ends without comments",
	 "Switch 4 " S("10") "\n[1] " H("20") "[1]\nHca 1 " H("20") "\n[1] " S("10") "[1]\n",
	 "S 10 x4 | 1>20[1]\nC 20 x1 | 1>10[1]\n", 0},

	/* GUIDs. */
	{"unpadded GUIDs",
	 "switchguid=0x2c90200404730(2c90200404730)\nSwitch 4 \"S-2c90200404730\" # \"a\"\n[1] \"H-2c9\"[1](2c9) # "
	 "\"b\"\n"
	 "Ca 1 \"H-00000000000002c9\" # \"b\"\n[1](2c9) \"S-0002c90200404730\"[1] # \"a\"\n",
	 "S 2c90200404730 x4 'a' | 1>2c9[1]\nC 2c9 x1 'b' | 1>2c90200404730[1] (2c9)\n", 0},
	{"upper case", "Switch 4 \"S-0002C90200404730\"\n[1](AB) \"H-00000000000002C9\"[1](0x2CA)\n",
	 "S 2c90200404730 x4 | 1>2c9[1] | 2? | 3? | 4?\nC 2c9 x1 | 1>2c90200404730[1] (2ca)\nincomplete\n", 0},
	{"SystemImageGUID of the director, not of the chip",
	 "sysimgguid=0x66a02e8001310\nswitchguid=0x66a00eb002c9d(66a00eb002c9d)\n"
	 "Switch 36 \"S-00066a00eb002c9d\"\n",
	 "S 66a00eb002c9d x36 sys 66a02e8001310\n", 0},
	{"a node id of a hand-written net", "Switch 8 \"Switch1\"\n[1] \"Hca1\"[1]\n",
	 "1:10: node id \"Switch1\" is not S-, H- or R- and a GUID in hexadecimal", 0},
	{"a far node id of a hand-written net", "Switch 8 " S("10") "\n[1]  \"Hca1\"[1]\n",
	 "2:6: node id \"Hca1\" is not S-, H- or R- and a GUID in hexadecimal", 0},
	{"a GUID that is not hexadecimal", "Ca 2 \"H-00000000000000xy\"\n",
	 "1:6: node id \"H-00000000000000xy\" is not S-, H- or R- and a GUID in hexadecimal", 0},
	{"a GUID of 17 digits", "Ca 2 \"H-10000000000000001\"\n",
	 "1:6: node id \"H-10000000000000001\" is not S-, H- or R- and a GUID in hexadecimal", 0},
	{"a node id without a GUID", "Ca 2 \"H-\"\n",
	 "1:6: node id \"H-\" is not S-, H- or R- and a GUID in hexadecimal", 0},
	{"switchguid not hexadecimal", "switchguid=0xleaf1\n", "1:12: a number in hexadecimal was expected", 0},
	{"caguid empty", "vendid=0x2c9\ncaguid=\nCa 1 " H("20") "\n", "2:8: a number in hexadecimal was expected", 0},
	{"vendid too long", "vendid=0x123456789\n", "1:8: a number of 32 bits was expected", 0},
	{"a port GUID not hexadecimal", "Ca 2 " H("20") "\n[1](port1) " S("10") "[1]\n",
	 "2:5: a port's GUID in hexadecimal was expected", 0},

	/* [n](x). */
	{"labels on a switch's ports",
	 "Switch 4 " S("10") "\n[1](ext 17) " S("11") "[2](IB1) # \"b\" lid 1 4xEDR\n"
						      "Switch 4 " S("11") "\n[2](IB1) " S(
							      "10") "[1](17) # \"a\" lid 2 4xEDR\n",
	 "S 10 x4 lid 2 'a' | 1>11[2] 4xEDR\nS 11 x4 lid 1 'b' | 2>10[1] 4xEDR\n", 0},
	{"a CA's port GUIDs",
	 "Ca 2 " H("20") " # \"a\"\n[1](21)  " H(
		 "30") "[1] (31)  # lid 1 lmc 0 \"b\" lid 2 4xEDR\n"
		       "[2](22) " H("30") "[2](32) # lid 3 lmc 0 \"b\" lid 4 4xEDR\nCa 2 " H("30") " # \"b\"\n",
	 "C 20 x2 'a' | 1>30[1] 4xEDR (21) lid 1 | 2>30[2] 4xEDR (22) lid 3\n"
	 "C 30 x2 'b' | 1>20[1] 4xEDR (31) lid 2 | 2>20[2] 4xEDR (32) lid 4\n",
	 0},

	/* Descriptions. */
	{"leading and trailing blanks", NAME_DUMP("  mlx5_1  "), NAME_SEEN("  mlx5_1  "), 0},
	{"a description of one blank", NAME_DUMP(" "), NAME_SEEN(" "), 0},
	{"#", NAME_DUMP("4036 # 4036-8C5C"), NAME_SEEN("4036 # 4036-8C5C"), 0},
	{"; / and parentheses", NAME_DUMP("MF0;sw:MQM/U1 (rack 2) [3]"), NAME_SEEN("MF0;sw:MQM/U1 (rack 2) [3]"), 0},
	{"quotes", NAME_DUMP("a \"b\" lid 9 4xNDR\""), NAME_SEEN("a \"b\" lid 9 4xNDR\""), 0},
	{"a quote on a switch", "Switch 4 " S("10") " # \"a\" base port 0 lid 3 \"b\" enhanced port 0 lid 7 lmc 0\n",
	 "S 10 x4 lid 7 'a\" base port 0 lid 3 \"b'\n", 0},
	{"a quote on a far end", "Switch 4 " S("10") "\n[1] " H("20") "[1](21) # \"a\" lid 9 4xNDR\" lid 3 4xHDR\n",
	 "S 10 x4 | 1>20[1] 4xHDR | 2? | 3? | 4?\nC 20 x1 'a\" lid 9 4xNDR' | 1>10[1] 4xHDR (21) lid 3\nincomplete\n",
	 0},
	{"words of the format", NAME_DUMP("Switch 4 lid 3 lmc 1"), NAME_SEEN("Switch 4 lid 3 lmc 1"), 0},
	{"escapes and invalid UTF-8", NAME_DUMP("\x1b]0;x\x07 \xff\xfe\x80"), NAME_SEEN("\x1b]0;x\x07 \xff\xfe\x80"),
	 0},
	{"backslashes", NAME_DUMP("a\\x41\\"), NAME_SEEN("a\\x41\\"), 0},
	{"one name for all", "Switch 1 " S("10") " # \"s\"\nSwitch 1 " S("11") " # \"s\"\nCa 1 " H("20") " # \"s\"\n",
	 "S 10 x1 's'\nS 11 x1 's'\nC 20 x1 's'\n", 0},
	{"no closing quote", "Ca 1 " H("20") " # \"a\nCa 1 " H("30") " # \"b\"\n",
	 "1:29: the closing quote of the description is missing", 0},
	{"NUL", "Ca 1 " H("20") " # \"a\0b\"\n", "1:31: a NUL byte in a description", 35},

	/* Cabling. */
	{"a switch cabled to itself", "Switch 4 " S("10") "\n[1] " S("10") "[2]\n[2] " S("10") "[1]\n",
	 "S 10 x4 | 1>10[2] | 2>10[1]\n", 0},
	{"a loopback plug", "Switch 4 " S("10") "\n[3] " S("10") "[3]\n", "S 10 x4 | 3>10[3]\n", 0},
	{"ends that disagree: the mutual claim wins",
	 "Switch 4 " S("10") "\n[1] " S("11") "[3]\nSwitch 4 " S("11") "\n[3] " S("12") "[4]\nSwitch 4 " S(
		 "12") "\n[4] " S("11") "[3]\n",
	 "S 10 x4 | 1~\nS 11 x4 | 3>12[4]\nS 12 x4 | 4>11[3]\n", 0},
	{"ends that disagree: a free far end",
	 "Switch 4 " S("10") "\n[1] " S("11") "[3] # \"\" lid 0 4xHDR\nSwitch 4 " S("11") "\n[3] " S(
		 "12") "[4] # \"\" lid 0 4xHDR\nSwitch 4 " S("12") "\n",
	 "S 10 x4 | 1~ 4xHDR\nS 11 x4 | 3>12[4] 4xHDR\nS 12 x4 | 4>11[3] 4xHDR\n", 0},
	{"ends that disagree: round in a circle",
	 "Switch 1 " S("10") "\n[1] " S("11") "[1]\nSwitch 1 " S("11") "\n[1] " S("12") "[1]\nSwitch 1 " S(
		 "12") "\n[1] " S("10") "[1]\n",
	 "S 10 x1 | 1~\nS 11 x1 | 1~\nS 12 x1 | 1~\n", 0},
	{"one far end named twice: the first one has it",
	 "Switch 1 " S("10") "\n[1] " S("12") "[1]\nSwitch 1 " S("11") "\n[1] " S("12") "[1]\nSwitch 1 " S("12") "\n",
	 "S 10 x1 | 1>12[1]\nS 11 x1 | 1~\nS 12 x1 | 1>10[1]\n", 0},
	{"a link that one end tells", SWITCH_NODE SWITCH_PORT HOST_NODE, BARE_SEEN, 0},
	{"two-port CAs",
	 "Switch 4 " S("10") "\n[1] " H("20") "[1](21) # \"h\" lid 3 4xQDR\n[2] " H(
		 "20") "[2](22) # \"h\" lid 4 4xQDR\n"
		       "Ca 2 " H("20") " # \"h\"\n[1](21) " S("10") "[1] # lid 3 lmc 0 \"\" lid 1 4xQDR\n[2](22) " S(
			       "10") "[2] # lid 4 lmc 0 \"\" lid 1 4xQDR\n",
	 "S 10 x4 lid 1 | 1>20[1] 4xQDR | 2>20[2] 4xQDR\nC 20 x2 'h' | 1>10[1] 4xQDR (21) lid 3 | 2>10[2] 4xQDR (22) "
	 "lid 4\n",
	 0},
	{"routers",
	 "vendid=0x2c9\nrtguid=0x40\nRt\t2 \"R-0000000000000040\"\t\t# \"rt\"\n[1](41) \t" S(
		 "10") "[1]\t\t# lid 5 lmc 0 \"s\" lid 1 4xEDR\n"
		       "Switch 4 " S("10") "\n[1] \"R-0000000000000040\"[1](41) # \"rt\" lid 5 4xEDR\n",
	 "R 40 x2 2c9:0 'rt' | 1>10[1] 4xEDR (41) lid 5\nS 10 x4 lid 1 's' | 1>40[1] 4xEDR\n", 0},
	{"a router in a word", "Router 8 \"R-0000000000000040\"\n", "R 40 x8\n", 0},
	{"aggregation nodes on the extra port",
	 "Switch 37 " S("10") "\n[37] " H("20") "[1](20) # \"an\" lid 3 4xFDR\nSwitch 41 " S("11") "\n[41] " H(
		 "21") "[1](21) # \"an\" lid 3 4xHDR\n"
		       "Switch 65 " S("12") "\n[65] " H("22") "[1](22) # \"an\" lid 3 4xNDR\nCa 1 " H("20") "\nCa 1 " H(
			       "21") "\nCa 1 " H("22") "\n",
	 "S 10 x37 | 37>20[1] 4xFDR\nS 11 x41 | 41>21[1] 4xHDR\nS 12 x65 | 65>22[1] 4xNDR\n"
	 "C 20 x1 'an' | 1>10[37] 4xFDR (20) lid 3\nC 21 x1 'an' | 1>11[41] 4xHDR (21) lid 3\nC 22 x1 'an' | 1>12[65] "
	 "4xNDR (22) lid 3\n",
	 0},
	{"a far end without a record",
	 SWITCH_NODE SWITCH_PORT "[2]\t" S("11") "[3]\t\t# \"sw two\" lid 8 4xHDR\n" HOST_NODE HOST_PORT,
	 "S 10 x4 lid 7 'sw one' | 1>20[1] 4xHDR | 2>11[3] 4xHDR\nC 20 x1 'host a' | 1>10[1] 4xHDR (21) lid 3\n"
	 "S 11 x3 lid 8 'sw two' | 1? | 2? | 3>10[2] 4xHDR\nincomplete\n",
	 0},
	{"a port twice, the same", "Switch 4 " S("10") "\n[1] " S("10") "[2]\n[1] " S("10") "[2]\n",
	 "S 10 x4 | 1>10[2] | 2>10[1]\n", 0},
	{"a port twice, not the same", "Switch 4 " S("10") "\n[1] " S("10") "[2]\n[1] " S("10") "[3]\n",
	 "3:2: port 1 is listed twice, with two far ends", 0},
	{"two nodes of one GUID",
	 "Switch 4 " S("10") "\n[1] " H("20") "[1]\n[2] " H("20") "[2]\nCa 2 " H("20") " # \"a\"\n[1](21) " S(
		 "10") "[1]\n"
		       "Ca 2 " H("20") " # \"b\"\n[2](22) " S("10") "[2]\n",
	 "S 10 x4 | 1>20[1] | 2>20[2]\nC 20 x2 'a' | 1>10[1] (21)\nC 20 x2 'b' | 2>10[2] (22)\n", 0},
	{"one node read twice", SWITCH HOST HOST HOST, SEEN, 0},

	/* Rates. */
	{"4xSDR", RATE_DUMP("4xSDR"), RATE_SEEN(" 4xSDR"), 0},
	{"4xDDR", RATE_DUMP("4xDDR"), RATE_SEEN(" 4xDDR"), 0},
	{"4xQDR", RATE_DUMP("4xQDR"), RATE_SEEN(" 4xQDR"), 0},
	{"4xFDR10", RATE_DUMP("4xFDR10"), RATE_SEEN(" 4xFDR10"), 0},
	{"4xFDR", RATE_DUMP("4xFDR"), RATE_SEEN(" 4xFDR"), 0},
	{"4xEDR", RATE_DUMP("4xEDR"), RATE_SEEN(" 4xEDR"), 0},
	{"4xHDR", RATE_DUMP("4xHDR"), RATE_SEEN(" 4xHDR"), 0},
	{"4xNDR", RATE_DUMP("4xNDR"), RATE_SEEN(" 4xNDR"), 0},
	{"4xXDR", RATE_DUMP("4xXDR"), RATE_SEEN(" 4xXDR"), 0},
	{"1xXDR", RATE_DUMP("1xXDR"), RATE_SEEN(" 1xXDR"), 0},
	{"2xNDR", RATE_DUMP("2xNDR"), RATE_SEEN(" 2xNDR"), 0},
	{"8xDDR", RATE_DUMP("8xDDR"), RATE_SEEN(" 8xDDR"), 0},
	{"12xSDR", RATE_DUMP("12xSDR"), RATE_SEEN(" 12xSDR"), 0},
	{"4x???", RATE_DUMP("4x???"), RATE_SEEN(" 4x?"), 0},
	{"4x ???", RATE_DUMP("4x ???"), RATE_SEEN(" 4x?"), 0},
	{"4x HDR", RATE_DUMP("4x HDR"), RATE_SEEN(" 4xHDR"), 0},
	{"???????", RATE_DUMP("?????"), RATE_SEEN(""), 0},
	{"a speed to come", RATE_DUMP("4xZDR"), RATE_SEEN(" 4x?"), 0},
	{"no rate", RATE_DUMP(""), RATE_SEEN(""), 0},
	{"words to come", RATE_DUMP("4xXDR plane 2 retimed"), RATE_SEEN(" 4xXDR"), 0},
	{"codes",
	 "Switch 4 " S("10") "\n[1] " S("10") "[2] w=1 s=2\n[2] " S("10") "[1] w=2 s=4 e=16\n"
									  "[3] " S("10") "[4] w=16 s=4 e=8\n[4] " S(
										  "10") "[3] w=16 e=32\n",
	 "S 10 x4 | 1>10[2] 1xDDR | 2>10[1] 4xQDR | 3>10[4] 2xNDR | 4>10[3] 2xXDR\n", 0},

	/* Port reports. */
	{"a port report", REPORT_HOST REPORT_SWITCH, REPORT_SEEN, 0},
	{"a port report of -v",
	 "DR path slid 0; dlid 0; 0,1 -> new Switch {0000000000000010} portnum 0 lid 0-0 \"\"\n" REPORT_HOST
		 REPORT_SWITCH,
	 REPORT_SEEN, 0},
	{"a port report without quotes",
	 "CA     3  1 0x0000000000000021 4x HDR - SW     7  1 0x0000000000000010 ( host a - sw one )\n"
	 "SW     7  3 0x0000000000000010 4x SDR                                    sw one\n"
	 "SW     7  2 0x0000000000000010 1x SDR                                    sw one\n"
	 "SW     7  1 0x0000000000000010 4x HDR - CA     3  1 0x0000000000000021 ( sw one - host a )\n",
	 REPORT_SEEN, 0},
	{"a port report: names",
	 "SW     7  2 0x0000000000000010 1x SDR                                    ' it's ( a - b ) '\n"
	 "SW     7  1 0x0000000000000010 4x HDR - CA    -1  1 0x0000000000000021 ( ' it's ( a - b ) ' - 'h - ' )\n",
	 "S 10 x2 lid 7 ' it's ( a - b ) ' | 1>21[1] 4xHDR | 2-\nC 21 x1 'h - ' | 1>10[1] 4xHDR (21)\n", 0},
	{"a port report: a two-port CA is two nodes",
	 "CA     3  1 0x0000000000000021 4x HDR - CA     4  2 0x0000000000000022 ( 'h' - 'h' )\n"
	 "CA     4  2 0x0000000000000022 4x HDR - CA     3  1 0x0000000000000021 ( 'h' - 'h' )\n",
	 "C 21 x1 'h' | 1>22[2] 4xHDR (21) lid 3\nC 22 x2 'h' | 1? | 2>21[1] 4xHDR (22) lid 4\n", 0},
	{"a port report: not a port", "SW     7  0 0x0000000000000010 4x HDR 'a'\n",
	 "1:11: a port number is from 1 to 254", 0},
	{"a port report: no width", "SW     7  1 0x0000000000000010 'a'\n", "1:32: a link width was expected", 0},
	{"a port report: no GUID", "SW     7  1 0xleaf1 4x HDR 'a'\n", "1:13: a GUID in hexadecimal was expected", 0},
	{"a port report: cut", REPORT_HOST "SW     7  1 0x0000000000000010 4x HDR - CA     3",
	 "2:49: the file ends in the middle of a line", 0},
	{"a port report: cut in a GUID", REPORT_HOST "SW     7  1 0x00000000",
	 "2:23: the file ends in the middle of a line", 0},
	{"records and a port report",
	 HEADER SWITCH HOST REPORT_HOST REPORT_SWITCH
	 "SW     7  4 0x0000000000000010 4x SDR                                    'sw one'\n",
	 "S 10 x4 sys 10 2c9:d2f0 lid 7 'sw one' | 1>20[1] 4xHDR | 2- | 3- | 4-\n" HOST_SEEN, 0},
	{"a port report and records", REPORT_HOST REPORT_SWITCH SWITCH HOST,
	 "S 10 x4 sys 10 2c9:d2f0 lid 7 'sw one' | 1>20[1] 4xHDR | 2- | 3- | 4-\n" HOST_SEEN, 0},

	/* Not a dump, or a damaged one. */
	{"prose", "Dear all,\nthe fabric is fine.\n",
	 "1:1: not a dump by ibnetdiscover or iblinkinfo, a libibnetdisc cache or an ftcheck snapshot; record the "
	 "fabric with 'ibnetdiscover'",
	 0},
	{"blanks", " \n\t\n",
	 "1:1: not a dump by ibnetdiscover or iblinkinfo, a libibnetdisc cache or an ftcheck snapshot; record the "
	 "fabric with 'ibnetdiscover'",
	 0},
	{"bytes",
	 "\x7f"
	 "ELF\2\1\1\0\0\0\n\0\1",
	 "1:1: not a dump by ibnetdiscover or iblinkinfo, a libibnetdisc cache or an ftcheck snapshot; record the "
	 "fabric with 'ibnetdiscover'",
	 13},
	{"a header and no node", HEADER, "1:1: this dump has no nodes", 0},
	{"a line of something else within a record", SWITCH_NODE "garbage here\n" SWITCH_PORT,
	 "2:1: this is no line of a dump by ibnetdiscover", 0},
	{"a line of something else between records", SWITCH "oops\n" HOST,
	 "8:1: this is no line of a dump by ibnetdiscover", 0},
	{"port 0", "Switch 4 " S("10") "\n[0] " S("11") "[1]\n", "2:2: a port number is from 1 to 254", 0},
	{"far port 0", "Switch 4 " S("10") "\n[1] " S("11") "[0]\n", "2:26: a port number is from 1 to 254", 0},
	{"port 255", "Switch 4 " S("10") "\n[255] " S("11") "[1]\n", "2:2: a port number is from 1 to 254", 0},
	{"a port beyond its node", "Switch 4 " S("10") "\n[5] " S("11") "[1]\n",
	 "2:2: port 5 is beyond the 4 ports of its node", 0},
	{"a far port beyond its node", "Switch 4 " S("10") "\n[4] " S("11") "[9]\nSwitch 8 " S("11") "\n",
	 "2:5: port 9 is beyond the 8 ports of the far node", 0},
	{"no ports at all", "Switch 0 " S("10") "\n", "S 10 x0\n", 0},
	{"999 ports", "Switch 999 " S("10") "\n", "1:8: a node has at most 254 ports", 0},
	{"254 ports", "Switch 254 " S("10") "\n", "S 10 x254\n", 0},
	{"a port of nobody", "vendid=0x2c9\n[1] " S("11") "[1]\n", "2:1: a port outside the record of a node", 0},
	{"no far end", "Switch 4 " S("10") "\n[1]\n", "2:4: a node id in quotes was expected", 0},
	{"no far port", "Switch 4 " S("10") "\n[1] " S("11") " # \"x\"\n",
	 "2:26: a port number in brackets was expected", 0},
	{"a LID beyond 16 bits", "Switch 4 " S("10") " # \"s\" base port 0 lid 70000 lmc 0\n",
	 "1:53: a number of at most 65535 was expected", 0},
	{"an LMC beyond 3 bits", "Switch 4 " S("10") " # \"s\" base port 0 lid 7 lmc 8\n",
	 "1:59: a number of at most 7 was expected", 0},

	/* Files cut short. */
	{"cut in a keyword", SWITCH "\nvendi", "9:6: the file ends in the middle of a line", 0},
	{"cut in a node's keyword", SWITCH "\nSwit", "9:5: the file ends in the middle of a line", 0},
	{"cut behind a node's keyword", SWITCH "\nSwitch ", "9:7: the file ends in the middle of a line", 0},
	{"cut in a node id", SWITCH_NODE "[1]\t\"H-00000", "2:13: the file ends in the middle of a line", 0},
	{"cut in a description", SWITCH_NODE "[1]\t" H("20") "[1](21) \t\t# \"host",
	 "2:42: the file ends in the middle of a line", 0},
	{"cut in a port number", SWITCH_NODE SWITCH_PORT "[2", "3:3: the file ends in the middle of a line", 0},
	{"cut in a port GUID", SWITCH_NODE "[1]\t" H("20") "[1](2", "2:30: the file ends in the middle of a line", 0},
	{"cut in a LID", SWITCH_NODE SWITCH_PORT "[2]\t" H("30") "[1](31) \t\t# \"host b\" lid 1",
	 "3:51: the file ends in the middle of a line", 0},
	{"cut in a rate", SWITCH_NODE SWITCH_PORT "[2]\t" H("30") "[1](31) \t\t# \"host b\" lid 1 4xH",
	 "3:55: the file ends in the middle of a line", 0},
	{"cut between identities", SWITCH "\nvendid=0x2c9\ndevid=0x101b\n",
	 "9:1: the file ends before the node that this belongs to", 0},
	{"cut in an identity", SWITCH "\nvendid=0x2c9\ndevid=0x10",
	 "9:1: the file ends before the node that this belongs to", 0},
	{"cut behind the node line", "Switch\t4 " S("10") "\t\t# \"sw one\" enhanced port 0 lid 7 lmc 0",
	 "S 10 x4 lid 7 'sw one' | 1? | 2? | 3? | 4?\nincomplete\n", 0},
	{"cut between lines", SWITCH_NODE SWITCH_PORT,
	 "S 10 x4 lid 7 'sw one' | 1>20[1] 4xHDR | 2? | 3? | 4?\nC 20 x1 'host a' | 1>10[1] 4xHDR (21) lid "
	 "3\nincomplete\n",
	 0},
	{"cut before the entry", HEADER "\nSwitch\t4 " S("10") "\n", "S 10 x4 | 1? | 2? | 3? | 4?\nincomplete\n", 0},
	{"no newline at the end", SWITCH_NODE SWITCH_PORT "Ca\t1 " H("20") "\t\t# \"host a\"", BARE_SEEN, 0},
};

/* What the header says. */
static void header_is_kept(void **state)
{
	static const char dump[] = HEADER SWITCH HOST;
	static const char other_time[] = "# Topology file: generated on yesterday\n" SWITCH HOST;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL, *other = NULL;

	(void)state;
	assert_int_equal(ft_dump_read_ibnetdiscover(dump, strlen(dump), &s, NULL), 0);
	assert_int_equal(s->source.time_s, 1614088926);
	assert_int_equal(s->source.entry_node, 1);
	assert_int_equal(s->source.entry_port, 1);
	assert_false(s->source.live);
	assert_false(s->source.lists_down_ports);
	assert_true(s->source.complete);
	assert_int_equal(ft_dump_read_ibnetdiscover(other_time, strlen(other_time), &other, NULL), 0);
	assert_int_equal(other->source.time_s, 0);
	assert_int_equal(other->source.entry_node, FT_NONE);
}

/* A file need not end with a NUL, nor be short. */
static void long_lines(void **state)
{
	static const char start[] = "Ca 1 \"H-0000000000000020\" # \"";
	size_t size = 10 << 20;
	_cleanup_free_ char *text = malloc(size);
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL;
	struct ft_error err = {0};

	(void)state;
	assert_non_null(text);
	memset(text, 'x', size);
	assert_int_equal(ft_dump_read_ibnetdiscover(text, size, &s, &err), -EINVAL);
	memcpy(text, start, strlen(start));
	assert_int_equal(ft_dump_read_ibnetdiscover(text, size, &s, &err), -EINVAL);
	assert_string_equal(err.text, "the file ends in the middle of a line");
	text[size - 1] = '"';
	assert_int_equal(ft_dump_read_ibnetdiscover(text, size, &s, &err), -EINVAL);
	assert_string_equal(err.text, "the description is longer than 65535 bytes");
	assert_int_equal(err.line, 1);
	assert_int_equal(err.column, strlen(start));
}

/* Many records of one GUID, and one description for all: neither may cost more than its size. */
static void many_of_a_kind(void **state)
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL;

	(void)state;
	for (unsigned int i = 0; i < 500; i++)
		ft_text_printf(&text, "Switch 2 \"S-0000000000000001\" # \"switch\"\n[1] \"S-%016x\"[1]\n", i + 2);
	for (unsigned int i = 0; i < 500; i++)
		ft_text_printf(&text, "Switch 2 \"S-%016x\" # \"switch\"\n[1] \"S-0000000000000001\"[1]\n", i + 2);
	assert_int_equal(ft_dump_read_ibnetdiscover(text.data, text.length, &s, NULL), 0);
	assert_int_equal(s->node_count, 1000);
	for (uint32_t n = 0; n < 500; n++) {
		const struct ft_port *far = ft_port_peer(s, &s->ports[s->nodes[n].first_port]);

		assert_non_null(far);
		assert_int_equal(far->node, n + 500);
	}
}

enum { FLOOD = 40000 };

/* FLOOD cables, between switches of the first number's GUIDs and of the second one's. Processor time to read it, in s.
 */
static double flood_read(uint64_t (*near)(uint32_t), uint64_t (*far)(uint32_t))
{
	_cleanup_(ft_text_release) struct ft_text text = {0};
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL;
	clock_t start;

	for (uint32_t i = 0; i < FLOOD; i++)
		ft_text_printf(&text, "Switch 2 \"S-%" PRIx64 "\" # \"%u\"\n[1] \"S-%" PRIx64 "\"[1]\n", near(i), i,
			       far(i));
	for (uint32_t i = 0; i < FLOOD; i++)
		ft_text_printf(&text, "Switch 2 \"S-%" PRIx64 "\" # \"%u\"\n[1] \"S-%" PRIx64 "\"[1]\n", far(i), i,
			       near(i));
	start = clock();
	assert_int_equal(ft_dump_read_ibnetdiscover(text.data, text.length, &s, NULL), 0);
	assert_int_equal(s->node_count, 2 * FLOOD);
	return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static uint64_t guid_of_its_own(uint32_t i)
{
	return 0x1000000 + i;
}

static uint64_t guid_of_its_own_too(uint32_t i)
{
	return 0x2000000 + i;
}

static uint64_t guid_of_all(uint32_t i)
{
	(void)i;
	return 0x3000000;
}

static uint64_t guid_of_all_too(uint32_t i)
{
	(void)i;
	return 0x4000000;
}

/* All in one slot of a map whose hash multiplies by the golden ratio, after a fold. */
static uint64_t guid_chosen(uint32_t i)
{
	uint64_t x = ((uint64_t)(i + 1) << 45) * 0xf1de83e19937733dULL;

	return x ^ x >> 32;
}

/* GUIDs come from the fabric: no choice of them makes a dump slow. Where they did, it took a thousand times as long. */
static void guids_cannot_slow(void **state)
{
	static const struct {
		const char *name;
		uint64_t (*near)(uint32_t), (*far)(uint32_t);
	} choices[] = {
		{"far ends of one GUID", guid_of_its_own, guid_of_all},
		{"all of two GUIDs", guid_of_all_too, guid_of_all},
		{"GUIDs of one slot", guid_chosen, guid_of_its_own},
	};
	double usual = flood_read(guid_of_its_own, guid_of_its_own_too);

	(void)state;
	for (size_t i = 0; i < FT_COUNT(choices); i++) {
		double took = flood_read(choices[i].near, choices[i].far);

		if (took > 30 * usual + 0.1)
			fail_msg("%s: %.3f s, and %.3f s where each has its own", choices[i].name, took, usual);
	}
}

static uint64_t random_state;

static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static uint32_t node_find(const struct ft_snapshot *s, uint64_t guid)
{
	for (uint32_t n = 0; n < s->node_count; n++)
		if (s->nodes[n].guid == guid)
			return n;
	return FT_NONE;
}

/* However a dump is cut, no port that has a cable is called down. */
static void cut_is_harmless(const char *text, size_t length, const struct ft_snapshot *whole, size_t cut)
{
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL;
	_cleanup_free_ char *exact = malloc(cut ? cut : 1);
	struct ft_error err = {0};

	assert_non_null(exact);
	assert_true(cut < length);
	memcpy(exact, text, cut);
	if (ft_dump_read_ibnetdiscover(exact, cut, &s, &err) < 0) {
		assert_int_not_equal(err.line, 0);
		assert_int_not_equal(err.text[0], 0);
		return;
	}
	assert_int_equal(ft_snapshot_check(s, NULL), 0);
	for (uint32_t p = 0; p < s->port_count; p++) {
		uint32_t n = node_find(whole, ft_port_node(s, &s->ports[p])->guid);

		if (s->ports[p].link != FT_LINK_DOWN || n == FT_NONE)
			continue;
		if (ft_node_port(whole, &whole->nodes[n], s->ports[p].number)->link != FT_LINK_DOWN)
			fail_msg("cut at byte %zu: a port that is up came out as down", cut);
	}
}

static void cuts_are_harmless(void **state)
{
	static const char dump[] = HEADER SWITCH
		"[2]\t" S("11") "[3]\t\t# \"sw two\" lid 8 4xHDR\n" SWITCH_IDS
				"Switch\t4 " S("11") "\t\t# \"sw two\" base port 0 lid 8 lmc 0\n"
						     "[3]\t" S("10") "[2]\t\t# \"sw one\" lid 7 4xHDR\n" HOST;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *whole = NULL;

	(void)state;
	assert_int_equal(ft_dump_read_ibnetdiscover(dump, strlen(dump), &whole, NULL), 0);
	for (size_t cut = 0; cut < strlen(dump); cut++)
		cut_is_harmless(dump, strlen(dump), whole, cut);
}

/* The real dumps, as fabrics/README.md describes them; and one that is made up, which is at hand everywhere. */
static const struct real {
	const char *path;
	unsigned int switches, cas, links;
	unsigned int trailing; /* descriptions that end in a blank */
	bool lists_down_ports;
} reals[] = {
	{"selene/selene.compute.txt", 666, 4341, 12852, 6, false},
	{"topograph/example.out", 40, 582, 1114, 0, false},
	{"topograph/example-bad.out", 0, 1, 0, 0, false},
	{"loginoff/topo", 8, 144, 192, 0, false},
	{"x5/X5.topofile", 11, 89, 159, 0, false},
	{"avakas/ib-subnet.txt", 25, 281, 569, 0, true},
	{"ibutils/RhinoBased512.lst", 216, 512, 2752, 0, false},
	{"ibutils/RhinoBased512.no_sp2-3.lst", 198, 512, 2480, 0, false},
	{"twin/fabric.txt", 6, 19, 41, 2, false},
};

/* The path of a real dump, or NULL where they are not at hand. The caller frees it. */
static char *real_path(const char *name)
{
	bool ours = strncmp(name, "twin/", 5) == 0;
	const char *base = getenv(ours ? "FT_SRCDIR" : "FT_SHARED");
	char *path = NULL;

	if (!base)
		base = ours ? "." : "../shared";
	if (asprintf(&path, "%s/%s/%s", base, ours ? "tests/data" : "fabrics", name) < 0)
		return NULL;
	if (access(path, R_OK) == 0)
		return path;
	free(path);
	return NULL;
}

static unsigned int count_nodes(const struct ft_snapshot *s, enum ft_node_type type)
{
	unsigned int count = 0;

	for (uint32_t n = 0; n < s->node_count; n++)
		count += s->nodes[n].type == type;
	return count;
}

static unsigned int count_links(const struct ft_snapshot *s)
{
	unsigned int count = 0;

	for (uint32_t p = 0; p < s->port_count; p++)
		count += s->ports[p].peer != FT_NONE && s->ports[p].peer >= p;
	return count;
}

static unsigned int count_trailing(const struct ft_snapshot *s)
{
	unsigned int count = 0;

	for (uint32_t n = 0; n < s->node_count; n++) {
		const char *description = ft_node_description(s, &s->nodes[n]);
		size_t length = s->nodes[n].description_length;

		assert_int_equal(strlen(description), length);
		count += length > 0 && description[length - 1] == ' ';
	}
	return count;
}

static void real_test(void **state)
{
	const struct real *real = *state;
	_cleanup_free_ char *path = real_path(real->path);
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL;
	struct ft_error err = {0};

	if (!path)
		skip_for(NO_CAPTURED);
	if (ft_source_load(path, &s, &err) < 0)
		fail_msg("%s:%u:%u: %s", path, err.line, err.column, err.text);
	assert_int_equal(ft_snapshot_check(s, &err), 0);
	assert_int_equal(count_nodes(s, FT_NODE_SWITCH), real->switches);
	assert_int_equal(count_nodes(s, FT_NODE_CA), real->cas);
	assert_int_equal(s->node_count, real->switches + real->cas);
	assert_int_equal(count_links(s), real->links);
	assert_int_equal(count_trailing(s), real->trailing);
	assert_int_equal(s->source.lists_down_ports, real->lists_down_ports);
	assert_true(s->source.complete);
	assert_string_equal(s->strings + s->source.detail, path);
	for (uint32_t p = 0; p < s->port_count; p++)
		assert_true(s->ports[p].link == FT_LINK_UP || s->ports[p].link == FT_LINK_DOWN);
}

/* One host of each runs at DDR; empty ports are down, and so have no rate. */
static void real_rates(void **state)
{
	_cleanup_free_ char *path = real_path(*state);
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL;
	unsigned int ddr = 0, other = 0;

	if (!path)
		skip_for(NO_CAPTURED);
	assert_int_equal(ft_source_load(path, &s, NULL), 0);
	for (uint32_t p = 0; p < s->port_count; p++) {
		if (s->ports[p].link == FT_LINK_DOWN)
			assert_int_equal(s->ports[p].rate.speed, FT_SPEED_UNKNOWN);
		else if (s->ports[p].rate.speed == FT_SPEED_DDR)
			ddr++;
		else
			other += s->ports[p].rate.speed != FT_SPEED_QDR;
	}
	assert_int_equal(ddr, 2);
	assert_int_equal(other, 0);
}

static void real_cuts(void **state)
{
	const char *seed = getenv("FT_SEED");
	_cleanup_free_ char *path = real_path(*state), *text = NULL;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *whole = NULL;
	size_t length;

	if (!path)
		skip_for(NO_CAPTURED);
	random_state = seed ? strtoull(seed, NULL, 0) : ((uint64_t)time(NULL) << 20 ^ (uint64_t)getpid()) | 1;
	print_message("FT_SEED=0x%" PRIx64 "\n", random_state);
	assert_int_equal(ft_file_read(path, 0, &text, &length, NULL), 0);
	assert_int_equal(ft_dump_read_ibnetdiscover(text, length, &whole, NULL), 0);
	for (unsigned int i = 0; i < 200; i++)
		cut_is_harmless(text, length, whole, random_next() % length);
}

/* Files on the disk, told by what is in them. */
static void file_write(const char *path, const char *bytes, size_t length)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

/* One switch and two adapters, of which one has two ports; a port is down, and one has a far end that is silent. */
#define SWITCH_LINES(SETTINGS)                                                                   \
	"Switch: 0x0000000000000010 sw \"one\":\n"                                               \
	"           1    1[  ] ==( 4X        53.125 Gbps     Active/  LinkUp)" SETTINGS          \
	"==>       3    1[  ] \"h 1\" ( )\n"                                                     \
	"           1    2[ 7] ==( 2X        106.25 Gbps     Active/  LinkUp)" SETTINGS          \
	"==>       5    2[  ] \"h 1\" (Could be 4X )\n"                                          \
	"           1    3[  ] ==( 4X 10.0 Gbps (FDR10)      Armed/  LinkUp)" SETTINGS           \
	"==>       4    1[  ] \"h 2\" ( )\n"                                                     \
	"           1    4[  ] ==(                Down/ Polling)==>             [  ] \"\" ( )\n" \
	"           1    5[  ] ==( 4X          10.0 Gbps Initialize/  LinkUp)" SETTINGS          \
	"==>      \"Port not available\"\n"
#define LINKS_HEAD "src/query_smp.c:185; umad (DR path slid 0; dlid 0; 0,1 Attr 0x11:0) bad\n"
#define LINK_LINES(SETTINGS)                                                                                         \
	SWITCH_LINES(SETTINGS)                                                                                       \
	"CA: h 1:\n      0x0000000000000022      3    1[  ] ==( 4X        53.125 Gbps     Active/  LinkUp)" SETTINGS \
	"==>       1    1[  ] \"sw \"one\"\" ( )\n"                                                                  \
	"      0x0000000000000023      5    2[  ] ==( 2X        106.25 Gbps     Active/  LinkUp)" SETTINGS           \
	"==>       1    2[ 7] \"sw \"one\"\" (Could be 4X )\n"                                                       \
	"CA: h 2:\n      0x0000000000000032      4    1[  ] ==( 4X 10.0 Gbps (FDR10)      Armed/  LinkUp)" SETTINGS  \
	"==>       1    3[  ] \"sw \"one\"\" ( )\n"
#define LINE_OF_SWITCH(SETTINGS)                                                                                 \
	"0x0000000000000010 \"                      sw \"one\"\"      1    1[  ] ==( 4X        53.125 Gbps     " \
	"Active/  LinkUp)" SETTINGS "==>  0x0000000000000022      3    1[  ] \"h 1\" ( )\n"                      \
	"0x0000000000000010 \"                      sw \"one\"\"      1    2[ 7] ==( 2X        106.25 Gbps     " \
	"Active/  LinkUp)" SETTINGS "==>  0x0000000000000023      5    2[  ] \"h 1\" (Could be 4X )\n"           \
	"0x0000000000000010 \"                      sw \"one\"\"      1    3[  ] ==( 4X 10.0 Gbps (FDR10)      " \
	"Armed/  LinkUp)" SETTINGS "==>  0x0000000000000032      4    1[  ] \"h 2\" ( )\n"                       \
	"0x0000000000000010 \"                      sw \"one\"\"      1    4[  ] ==(                Down/ "      \
	"Polling)==>             [  ] \"\" ( )\n"                                                                \
	"0x0000000000000010 \"                      sw \"one\"\"      1    5[  ] ==( 4X          10.0 Gbps "     \
	"Initialize/  LinkUp)" SETTINGS "==>      \"Port not available\"\n"
#define LINE_LINES(SETTINGS)                                                                                    \
	LINE_OF_SWITCH(SETTINGS)                                                                                \
	"0x0000000000000022 \"                           h 1\"      3    1[  ] ==( 4X        53.125 Gbps     "  \
	"Active/  LinkUp)" SETTINGS "==>  0x0000000000000010      1    1[  ] \"sw \"one\"\" ( )\r\n"            \
	"0x0000000000000023 \"                           h 1\"      5    2[  ] ==( 2X        106.25 Gbps     "  \
	"Active/  LinkUp)" SETTINGS "==>  0x0000000000000010      1    2[ 7] \"sw \"one\"\" (Could be 4X )\r\n" \
	"0x0000000000000032 \"                           h 2\"      4    1[  ] ==( 4X 10.0 Gbps (FDR10)      "  \
	"Armed/  LinkUp)" SETTINGS "==>  0x0000000000000010      1    3[  ] \"sw \"one\"\" ( )\r\n"
#define LINKS_SEEN                                                                                       \
	"S 10 x5 lid 1 'sw \"one\"' | 1>22[1] 4xHDR | 2>22[2] 2xNDR | 3>32[1] 4xFDR10 | 4- | 5~ 4xQDR\n" \
	"C 22 x2 'h 1' | 1>10[1] 4xHDR (22) lid 3 | 2>10[2] 2xNDR (23) lid 5\n"                          \
	"C 32 x1 'h 2' | 1>10[3] 4xFDR10 (32) lid 4\n"
#define LINKS_SEEN_OF_SWITCHES "?"

static const struct row files[] = {
	{"an empty file", "", "1:1: the file is empty", 0},
	{"a text dump", "\n" HEADER SWITCH HOST, SEEN, 0},
	{"a snapshot",
	 " {\"ftcheck_snapshot\": 1, \"source\": {\"live\": false, \"complete\": true, \"lists_down_ports\": true,"
	 " \"detail\": \"\", \"entry\": null}, \"nodes\": [{\"type\": \"ca\", \"guid\": \"0x20\", \"port_count\": 1}], "
	 "\"links\": []}\n",
	 "C 20 x1 | 1-\n", 0},
	{"other JSON", "{\"ftchuck\": 1}", "1:1: this JSON is no ftcheck snapshot", 0},
	{"a design", "{\n \"ftcheck\": 1}", "2:2: this is a design, not a recorded fabric; give it to --plan", 0},
	{"a report", "{\"ftcheck_report\": 1}",
	 "1:2: this is a report, not a recorded fabric; record one with --save or 'ibnetdiscover'", 0},
	{"a catalog", "{\"ftcheck_catalog\": 1}", "1:2: this is a catalog, not a recorded fabric; give it to --catalog",
	 0},
	{"ibswitches", "# a comment\nSwitch\t: 0x0000000000000010 ports 36 \"s\" enhanced port 0 lid 1 lmc 0\n",
	 "2:1: this is a list of nodes by ibswitches or ibnodes, without cables; record with 'ibnetdiscover'", 0},
	{"ibhosts", "Ca\t: 0x0000000000000020 ports 1 \"h HCA-1\"\n",
	 "1:1: this is a list of nodes by ibhosts or ibnodes, without cables; record with 'ibnetdiscover'", 0},
	{"ibstat", "CA 'mlx5_0'\n\tCA type: MT4123\n\tNumber of ports: 1\n",
	 "1:1: this is ibstat's word of one machine's adapters; record the fabric with 'ibnetdiscover'", 0},
	{"ibstatus", "Infiniband device 'mlx5_0' port 1 status:\n\tdefault gid:\t fe80::1\n",
	 "1:1: this is ibstatus' word of one machine's adapters; record the fabric with 'ibnetdiscover'", 0},
	{"forwarding tables", "Unicast lids [0x0-0x3] of switch Lid 1 guid 0x1 (s):\n0x0001 000\n",
	 "1:1: these are forwarding tables; give them to --routes", 0},
	{"xz",
	 "\xfd"
	 "7zXZ\0x",
	 "1:1: this is packed by xz; unpack it first: xz -dc FILE | ftcheck --from -", 7},
	{"UTF-16, as some shells write what is redirected", "\xff\xfe#\0\n", "1:1: this is UTF-16: save it as UTF-8",
	 5},
	{"UTF-16, high bytes first", "\xfe\xff\0#", "1:1: this is UTF-16: save it as UTF-8", 4},
	{"iblinkinfo", LINKS_HEAD LINK_LINES(""), LINKS_SEEN, 0},
	{"iblinkinfo -p", LINKS_HEAD LINK_LINES(" (HOQ:0 VL_Stall:7)"), LINKS_SEEN, 0},
	{"iblinkinfo -l", "ibwarn: [1] noise\n" LINE_LINES(""), LINKS_SEEN, 0},
	{"iblinkinfo -l -p, CRLF", LINE_LINES(" (HOQ:0 VL_Stall:7)"), LINKS_SEEN, 0},
	{"iblinkinfo -l of switches alone", LINE_OF_SWITCH(""),
	 "S 10 x5 lid 1 'sw \"one\"' | 1>22[1] 4xHDR | 2>23[2] 2xNDR | 3>32[1] 4xFDR10 | 4- | 5~ 4xQDR\n"
	 "C 22 x1 'h 1' | 1>10[1] 4xHDR (22) lid 3\nC 23 x2 'h 1' | 1? | 2>10[2] 2xNDR (23) lid 5\n"
	 "C 32 x1 'h 2' | 1>10[3] 4xFDR10 (32) lid 4\n",
	 0},
	{"iblinkinfo of switches alone", SWITCH_LINES(""),
	 "2:72: this far end has no line of its own, and iblinkinfo says its GUID only with -l; record with "
	 "'iblinkinfo -l' or 'ibnetdiscover'",
	 0},
	{"iblinkinfo, cut",
	 SWITCH_LINES("") "CA: h 1:\n      0x0000000000000022      3    1[  ] ==( 4X        53.125 Gbps     Act",
	 "8:75: the file ends in the middle of a line", 0},
	{"iblinkinfo: a name that pretends",
	 "0x0000000000000022 \"a ==( b\" )==> 1 \"c\"      3    1[  ] ==( 4X        53.125 Gbps     Active/  "
	 "LinkUp)==>  "
	 "0x0000000000000021      1    1[  ] \"x\"==>\" ( )\n",
	 "C 22 x1 'a ==( b\" )==> 1 \"c' | 1>21[1] 4xHDR (22) lid 3\nC 21 x1 'x\"==>' | 1>22[1] 4xHDR (21) lid 1\n", 0},
	{"a subnet list", LST, LST_SEEN, 0},
	{"a subnet list of one direction", "\n# comment\n\r\n" LST_HOST("CA") LST_SWITCH("SW") LST_TAIL "\n", LST_SEEN,
	 0},
	{"a subnet list where all nodes are adapters", LST_HOST("CA") " " LST_SWITCH("CA") LST_TAIL, LST_SEEN, 0},
	{"a subnet list with subnet managers",
	 LST_HOST("CA-SM") "\t" LST_SWITCH("SW-SM") " PHY=4x LOG=ACT SPD=2.5 \r\n", LST_SEEN, 0},
	{"a subnet list: EDR", LST_RATE(" PHY=4x LOG=ARM SPD=25"), LST_RATE_SEEN(" 4xEDR"), 0},
	{"a subnet list: FDR10", LST_RATE("SPD=FDR10 PHY=4x\n"), LST_RATE_SEEN(" 4xFDR10"), 0},
	{"a subnet list: a speed that OpenSM does not know", LST_RATE("PHY=?? LOG=ACT SPD=??"), LST_RATE_SEEN(""), 0},
	{"a subnet list: a device in the upper half",
	 "{ CA Ports:01 SystemGUID:0 NodeGUID:20 PortGUID:20 VenID:2C9 DevID:5A44 Rev:0 {a} LID:1 PN:1 } "
	 "{ ** Ports:01 SystemGUID:0 NodeGUID:30 PortGUID:30 VenID:2C9 DevID:5A450000 Rev:0 {b} LID:2 PN:1 }" LST_TAIL,
	 "C 20 x1 2c9:5a44 'a' | 1>30[1] 4xSDR (20) lid 1\n? 30 x1 2c9:5a45 'b' | 1>20[1] 4xSDR (30) lid 2\n", 0},
	{"a subnet list: a port that is down", LST_HOST("CA") " " LST_SWITCH("SW") " PHY=4x LOG=DWN SPD=2.5\n",
	 "C 20 x2 sys 20 2c9:b924 'host a'\nS 10 x24 sys 10 2c9:b924 lid 1025 'sw one'\n", 0},
	{"a subnet list: an unknown speed", LST_RATE("SPD=3 PHY=12x\n"), LST_RATE_SEEN(" 12x?"), 0},
	{"a subnet list: braces in a name",
	 LST_END("CA", "01", "20", "a } { b} LID:7 }", "1", "01") LST_SWITCH("SW") LST_TAIL,
	 "C 20 x1 sys 20 2c9:b924 'a } { b} LID:7 }' | 1>10[24] 4xSDR (20) lid 1\n"
	 "S 10 x24 sys 10 2c9:b924 lid 1025 'sw one' | 24>20[1] 4xSDR\n",
	 0},
	{"a subnet list: no name", LST_END("RT", "2", "20", "", "0", "01") LST_SWITCH("SW") LST_TAIL,
	 "R 20 x2 sys 20 2c9:b924 | 1>10[24] 4xSDR (20)\n"
	 "S 10 x24 sys 10 2c9:b924 lid 1025 'sw one' | 24>20[1] 4xSDR\n",
	 0},
	{"a subnet list: an unknown type", LST_HOST("HCA") LST_SWITCH("SW") LST_TAIL,
	 "1:3: the type of a node was expected: CA, SW or RT", 0},
	{"a subnet list: ports", LST_END("CA", "ff", "20", "", "1", "01") "\n",
	 "1:12: ff is too large: the most is fe (in hexadecimal)", 0},
	{"a subnet list: no ports", LST_END("CA", "0", "20", "", "1", "01") "\n", "1:1: a node without ports", 0},
	{"a subnet list: port 0", LST_END("CA", "1", "20", "", "1", "0") "\n", "1:1: port 0 of a node of 1 port", 0},
	{"a subnet list: a port too many", LST_END("CA", "1", "20", "", "1", "2") "\n",
	 "1:1: port 2 of a node of 1 port", 0},
	{"a subnet list: no GUID", LST_END("CA", "1", "00", "", "1", "1") "\n", "1:1: a node without a GUID", 0},
	{"a subnet list: no number", LST_END("CA", "1", "20", "", "x", "1") "\n",
	 "1:140: a number in hexadecimal was expected", 0},
	{"a subnet list: one end", LST_HOST("CA") "\n", "1:159: the end of a link in braces was expected", 0},
	{"a subnet list: nothing behind the ends", LST_HOST("CA") LST_SWITCH("SW") "\n",
	 "1:317: \"PHY=\", \"LOG=\" and \"SPD=\" were expected", 0},
	{"a subnet list: cut in the speed", LST_HOST("CA") LST_SWITCH("SW") " PHY=4x LOG=ACT SPD=2",
	 "1:338: the file ends in the middle of a line", 0},
	{"a subnet list: cut in an end", LST_HOST("CA") " { SW Ports:18 Sys", "1:174: \"SystemGUID:\" was expected", 0},
	{"a subnet list: another far end", LST LST_HOST("CA") LST_END("SW", "18", "10", "sw one", "401", "2") LST_TAIL,
	 "3:1: port 1 of 0x0000000000000020 has another far end than in a line before", 0},
	{"a subnet list: another node", LST LST_HOST("CA") LST_END("SW", "18", "10", "sw two", "401", "18") LST_TAIL,
	 "3:159: node 0x0000000000000010 has another type, number of ports or description than in a line before", 0},
	{"a subnet list: a name with a NUL",
	 "{ CA Ports:1 SystemGUID:1 NodeGUID:1 PortGUID:1 VenID:1 DevID:1 Rev:1 {a\0b} LID:1 PN:1 }\n",
	 "1:73: a NUL byte in a description", 89},
	{"a cut cache", "\x2b\x83\xe7\x8f\x01", NULL, 5},
};

static void file_test(void **state)
{
	const struct row *row = *state;
	_cleanup_(ft_snapshot_freep) struct ft_snapshot *s = NULL;
	_cleanup_(ft_text_release) struct ft_text text = {0};
	char path[] = "test_dump.XXXXXX";
	struct ft_error err = {0};
	int r, fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	file_write(path, row->dump, row->length ? row->length : strlen(row->dump));
	r = ft_source_load(path, &s, &err);
	unlink(path);
	if (!row->expected) {
		assert_true(r < 0 && err.text[0]);
		return;
	}
	if (r < 0)
		ft_text_printf(&text, "%u:%u: %s", err.line, err.column, err.text);
	else
		show(&text, s);
	assert_string_equal(ft_text_string(&text), row->expected);
}

/* @text, packed by gzip, behind what is in @packed. */
static void pack(struct ft_text *packed, const char *text, size_t length)
{
	size_t room = compressBound(length) + 64;
	_cleanup_free_ unsigned char *out = malloc(room);
	z_stream stream = {.next_in = (unsigned char *)(uintptr_t)text, .avail_in = (unsigned int)length};

	assert_non_null(out);
	assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
	stream.next_out = out;
	stream.avail_out = (unsigned int)room;
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	ft_text_add(packed, (const char *)out, room - stream.avail_out);
	assert_int_equal(deflateEnd(&stream), Z_OK);
}

static void packed_is_read(const struct ft_text *packed, size_t length, const char *expected)
{
	const struct row row = {"packed", packed->data, expected, length};
	const void *state = &row;

	file_test((void **)(uintptr_t)&state);
}

static void packed_files(void **state)
{
	enum { BLANKS = 64 << 20 };
	static const char dump[] = SWITCH HOST;
	_cleanup_(ft_text_release) struct ft_text one = {0}, two = {0}, odd = {0}, bomb = {0};
	_cleanup_free_ char *blanks = malloc(BLANKS);

	(void)state;
	pack(&one, dump, strlen(dump));
	packed_is_read(&one, one.length, SEEN);
	/* Two that were put together, and zeros behind. */
	pack(&two, SWITCH, strlen(SWITCH));
	pack(&two, HOST, strlen(HOST));
	ft_text_add(&two, "\0\0\0", 3);
	packed_is_read(&two, two.length, SEEN);
	packed_is_read(&one, one.length - 9, "0:0: the packed file ends too early: it was cut short");
	packed_is_read(&one, 5, "0:0: the packed file ends too early: it was cut short");
	ft_text_add(&odd, one.data, one.length);
	odd.data[odd.length - 6] ^= 1;
	packed_is_read(&odd, odd.length, "0:0: the packed file is damaged (incorrect data check)");
	/* A file that packs a thousandfold is none. */
	assert_non_null(blanks);
	memset(blanks, '\n', BLANKS);
	pack(&bomb, blanks, BLANKS);
	packed_is_read(&bomb, bomb.length, NULL);
}

static void file_is_missing(void **state)
{
	struct ft_snapshot *s = NULL;
	struct ft_error err = {0};

	(void)state;
	assert_int_equal(ft_source_load("/nonexistent/dump", &s, &err), -ENOENT);
	assert_string_equal(err.text, "No such file or directory");
	assert_null(s);
}

int main(void)
{
	static struct CMUnitTest tests[FT_COUNT(rows) + FT_COUNT(reals) + FT_COUNT(files) + 16];
	static char avakas[] = "avakas/ib-subnet.txt", topograph[] = "topograph/example.out",
		    twin[] = "twin/fabric.txt";
	const struct CMUnitTest others[] = {
		cmocka_unit_test(header_is_kept),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(many_of_a_kind),
		cmocka_unit_test(cuts_are_harmless),
		{"rates of avakas", real_rates, NULL, NULL, avakas},
		{"rates of the twin", real_rates, NULL, NULL, twin},
		{"cuts of topograph", real_cuts, NULL, NULL, topograph},
		{"cuts of the twin", real_cuts, NULL, NULL, twin},
		cmocka_unit_test(file_is_missing),
		cmocka_unit_test(packed_files),
		cmocka_unit_test(guids_cannot_slow),
	};
	size_t n = 0;

	for (size_t i = 0; i < FT_COUNT(rows); i++)
		tests[n++] = (struct CMUnitTest){rows[i].name, row_test, NULL, NULL, (void *)(uintptr_t)&rows[i]};
	for (size_t i = 0; i < FT_COUNT(files); i++)
		tests[n++] = (struct CMUnitTest){files[i].name, file_test, NULL, NULL, (void *)(uintptr_t)&files[i]};
	for (size_t i = 0; i < FT_COUNT(others); i++)
		tests[n++] = others[i];
	for (size_t i = 0; i < FT_COUNT(reals); i++)
		tests[n++] = (struct CMUnitTest){reals[i].path, real_test, NULL, NULL, (void *)(uintptr_t)&reals[i]};
	/* The rows beyond are empty. */
	return _cmocka_run_group_tests("dump", tests, n, NULL, NULL) ? 1 : 0;
}
