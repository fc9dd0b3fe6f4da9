#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# ftcheck --status: reports of a daemon that answers well, and what is said of all that answers badly.
set -u
export LC_ALL=C

src=${FT_SRCDIR:?} build=${FT_BUILDDIR:?}
ftcheck=$build/ftcheck ftplan=$build/ftplan
sample=$src/etc/examples/sample.json
failed=0 passed=0

command -v python3 >/dev/null || { echo 'skipped: no python3'; exit 77; }
work=$(mktemp -d) || exit 99
server=
cleanup()
{
	exec 3>&-
	[ -z "$server" ] || kill "$server" 2>/dev/null
	wait
	rm -rf "$work"
}
trap cleanup EXIT
cd "$work" || exit 99

ok()
{
	printf 'ok - %s\n' "$1"
	passed=$((passed + 1))
}

not_ok()
{
	printf 'not ok - %s\n' "$1"
	shift
	printf '  %s\n' "$@"
	failed=$((failed + 1))
}

# check WHAT FILE...: whether the command before it succeeded; if not, with these files.
check()
{
	local status=$? what=$1

	shift
	if [ $status = 0 ]; then
		ok "$what"
	else
		not_ok "$what" "$(cat -v "$@")"
	fi
}

# ---- the reports, and the answers made of them ----

"$ftplan" --format ibsim "$sample" >healthy.net || exit 99
awk '
	/^Switch/ { node = $3 }
	node ~ /100001"/ && /^\[19\]/ || node ~ /100005"/ && /^\[1\]/ { next }
	{ print }
' healthy.net >pulled.net
# An edge switch is gone, and the hosts behind it.
awk '
	/^Switch/ { node = $3 }
	/^(Switch|Hca)/ { gone = $3 ~ /100002"/ }
	gone || /S-0000000000100002"/ { next }
	{ print }
' healthy.net >dead.net
for net in healthy pulled dead; do
	"$ftcheck" --plan "$sample" --from $net.net --format json >$net.json
	echo $? >$net.status
done
[ "$(cat healthy.status pulled.status dead.status | tr -d '\n')" = 012 ] || not_ok 'the sample reports' "$(cat ./*.status)"

mkdir answers
# http FILE [HEADER...]: a whole answer with that body.
http()
{
	local body=$1 header

	shift
	printf 'HTTP/1.0 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n' "$(wc -c <"$body")"
	for header; do
		printf '%s\r\n' "$header"
	done
	printf '\r\n'
	cat "$body"
}

# head CODE-AND-TEXT [HEADER...]: only the head, without a length.
head_only()
{
	local header

	printf 'HTTP/1.1 %s\r\n' "$1"
	shift
	for header; do
		printf '%s\r\n' "$header"
	done
	printf '\r\n'
}

for net in healthy pulled dead; do
	http $net.json >answers/$net.raw
done
http healthy.json >answers/six.raw6
http healthy.json >answers/waits.keep
{ head_only '200 OK'; cat pulled.json; } >answers/lengthless.raw
sed 's/"verdict": "ok"/"verdict": "unknown"/' healthy.json >unknown.json
http unknown.json >answers/unknown.raw
http healthy.json $'X-Ftcheck-State:  polling: no SM \e[31manswers ' >answers/state.raw
sed 's/"time": "[^"]*"/"time": "2020-01-01T00:00:00Z"/' healthy.json >old.json
http old.json >answers/old.raw
sed 's/"time": "[^"]*"/"time": "9020-01-01T00:00:00Z"/' healthy.json >future.json
http future.json >answers/future.raw
sed 's/1 cable of 9/\\u001b[31m\\n\\u202e/; s/"name": "sample"/"name": "a\\u009bb"/' pulled.json >hostile.json
http hostile.json >answers/hostile.raw
{ http pulled.json; echo 'and more'; } >answers/surplus.raw

{ head_only '503 Service Unavailable'; printf 'the first \e[2Jsweep is under way\nsecond line\n'; } >answers/early.raw
head_only '503 Service Unavailable' >answers/mute.raw
: >answers/gone.closed
: >answers/reset.reset
: >answers/empty.raw
: >answers/hangs.keep
http healthy.json >answers/drips.drip
printf 'SSH-2.0-OpenSSH_9.2\r\n' >answers/ssh.keep
printf 'HTTP/1.0 200 OK\r\nContent-Ty' >answers/halfhead.raw
printf 'HTTP/1.0 2x0 OK\r\n\r\n{}' >answers/oddcode.raw
printf 'HTTP/1.0 200 OK\r\nX: x' >answers/endlesshead.endless
printf 'HTTP/1.1 200 OK\r\r\n\r\n' >answers/crcr.raw
printf 'HTTP/1.1 200 OK\nX: y\r\n\r\n{}' >answers/lf.raw
printf 'HTTP/1.1 200 \0\r\n\r\n{}' >answers/nulhead.raw
printf 'HTTP/1.1 2000 OK\r\n\r\n{}' >answers/longcode.raw
{ head_only '200 OK'; printf '{"a": "'; } >answers/endlessbody.endless
head_only '200 OK' 'Content-Length: 67108865' >answers/long.keep
head_only '200 OK' 'Content-Length: 99999999999999999999999999' >answers/verylong.keep
head_only '200 OK' 'Content-Length: -1' >answers/negative.raw
{ head_only '200 OK' 'Content-Length: 2' 'Content-Length: 3'; echo '{}'; } >answers/lengths.raw
{ head_only '200 OK' 'Transfer-Encoding: chunked'; printf '2\r\n{}\r\n0\r\n\r\n'; } >answers/chunked.raw
{ head_only '200 OK' 'Content-Type: text/html'; echo '<html>It works!</html>'; } >answers/web.raw
{ head_only '404 Not Found'; echo '{}'; } >answers/notfound.raw
{ head_only '302 Found' 'Location: http://127.0.0.1/report'; } >answers/elsewhere.raw
{ head_only '200 OK'; echo '{"status": "ok"}'; } >answers/otherjson.raw
{ head_only '200 OK'; head -c 300 pulled.json; } >answers/cut.raw
{ head_only '200 OK' 'Content-Length: 1000'; head -c 300 pulled.json; } >answers/short.raw
{ head_only '200 OK'; printf '{"ftcheck_report": 1,\n "plan": "\xff"}'; } >answers/bytes.raw
{ head_only '200 OK'; printf '{"ftcheck_report": 1,\n "plan\0": 1}'; } >answers/nul.raw
{ head_only '200 OK'; python3 -c 'print("{\"a\":" * 100000)'; } >answers/deep.raw
{ head_only '200 OK'; sed 's/"evidence": "absent"/"evidence": "hearsay"/' pulled.json; } >answers/typed.raw
{ head_only '200 OK'; sed 's/"cable-missing"/"cable-haunted"/' pulled.json; } >answers/newcode.raw
{ head_only '200 OK'; sed 's/"ftcheck_report": 1/"ftcheck_report": 2/' pulled.json; } >answers/newer.raw

# Standard input stays open until the end: it is what keeps the servers running.
mkfifo hold || exit 99
python3 "$src/tests/answer.py" "$work/answers" <hold 2>server.err &
server=$!
exec 3>hold
deadline=$((SECONDS + 60))
until [ -e answers.ports ]; do
	if [ $SECONDS -ge $deadline ] || ! kill -0 $server 2>/dev/null; then
		cat server.err
		exit 99
	fi
	sleep 0.05
done

address()
{
	awk -v name="$1" '$1 == name { print "127.0.0.1:" $2 }' answers.ports
}

# ---- good answers ----

# like WHAT NET NAME OPTION...: what --status prints is what ftcheck printed, but for the time.
like()
{
	local what=$1 net=$2 name=$3 status expected

	shift 3
	"$ftcheck" --status="$(address "$name")" "$@" >out 2>err
	status=$?
	"$ftcheck" --plan "$sample" --from "$net.net" "$@" >expected
	expected=$(cat "$net.status")
	sed -E 's/ [(]as of [0-9TZ:-]+, [0-9]+ s ago[)]//' out >plain
	if [ "$status" != "$expected" ]; then
		not_ok "$what" "exit status $status, expected $expected" "$(cat err)"
	elif [ -s err ]; then
		not_ok "$what" "$(cat err)"
	elif ! cmp -s plain expected; then
		not_ok "$what" "$(diff plain expected)"
	elif cmp -s plain out; then
		not_ok "$what" 'it does not say of when it is'
	else
		ok "$what"
	fi
}

for net in healthy pulled dead; do
	like "$net as text" $net $net
	like "$net as verbose text" $net $net -v
	like "$net for Nagios" $net $net --format nagios
	"$ftcheck" --status="$(address $net)" --format json >out 2>err
	if [ $? = "$(cat $net.status)" ] && cmp -s out $net.json && [ ! -s err ]; then
		ok "$net as JSON, byte for byte"
	else
		not_ok "$net as JSON, byte for byte" "$(cat err)" "$(diff out $net.json)"
	fi
done
like 'an answer without a length' pulled lengthless -v
like 'bytes behind the answer' pulled surplus -v
like 'a server that does not hang up' healthy waits

if grep -q '^six ' answers.ports; then
	port=$(awk '$1 == "six" { print $2 }' answers.ports)
	"$ftcheck" "--status=[::1]:$port" --format=json >out 2>err && cmp -s out healthy.json
	check 'IPv6' err
else
	echo 'note: no IPv6 here'
fi
port=$(address healthy)
"$ftcheck" --status="${port##*:}" --format json >out 2>err && cmp -s out healthy.json
check 'a port alone' err
tr -d '\r' <answers.healthy.request >request
[ "$(sed -n 1p request)" = 'GET /report HTTP/1.0' ] && grep -qx "Host: $port" request
check 'the request' request

"$ftcheck" --status="$(address unknown)" >out 2>err
[ $? = 3 ] && [ ! -s err ] && grep -q '^UNKNOWN sample: ' out
check 'a report whose verdict is unknown' out err

# ---- the age ----

# age WHAT NAME SIGN WORDS...: the seconds that the first line tells lie between those of before and after.
age()
{
	local what=$1 name=$2 then=$3 words=$4 before after told

	before=$(($(date +%s) - then))
	"$ftcheck" --status="$(address "$name")" "${@:5}" >out 2>err
	after=$(($(date +%s) - then))
	told=$(sed -nE "1s/.* [(]as of [0-9]+-01-01T00:00:00Z, ([0-9]+) s ${words}[)].*/\1/p" out)
	[ "$words" = ago ] || told=-$told
	if [[ $told =~ ^-?[0-9]+$ ]] && [ "$told" -ge $before ] && [ "$told" -le $after ]; then
		ok "$what"
	else
		not_ok "$what" "$(cat out err)"
	fi
}

age 'an old report, as text' old "$(date -u -d 2020-01-01 +%s)" ago
age 'an old report, for Nagios' old "$(date -u -d 2020-01-01 +%s)" ago --format nagios
age 'a report of the future' future "$(date -u -d 9020-01-01 +%s)" 'ahead of this clock'

"$ftcheck" --status="$(address state)" -v >out 2>err
[ "$(sed -n 2p out)" = '    ftcheckd: polling: no SM \x1b[31manswers' ]
check "the daemon's state" out err
"$ftcheck" --status="$(address state)" >out 2>err
[ -s out ] && ! grep -q polling out
check 'the state only where asked' out

for format in text nagios json; do
	"$ftcheck" --status="$(address hostile)" -v --format $format >out 2>err
	# In JSON, the backslash of the safe form is doubled.
	[ $? = 1 ] && ! grep -q $'[\x01-\x09\x0b-\x1f\x7f-\xff]' out && grep -qE '[\]{1,2}x1b[[]31m' out
	check "a hostile text as $format" out err
done

# ---- bad answers ----

# bad WHAT NAME REGEX: exit status 3, nothing printed, and one line on standard error that is REGEX after the address.
bad()
{
	local what=$1 name=$2 regex=$3 where status

	where=$(address "$name")
	timeout 60 "$ftcheck" --status="$where" >"$name.out" 2>"$name.err"
	status=$?
	if [ $status != 3 ]; then
		not_ok "$what" "exit status $status" "$(cat "$name.out" "$name.err")"
	elif [ -s "$name.out" ]; then
		not_ok "$what" 'something was printed' "$(cat "$name.out")"
	elif [ "$(wc -l <"$name.err")" != 1 ] || ! sed "s/$where/HERE/" "$name.err" | grep -qxE "$regex"; then
		not_ok "$what" "says: $(cat -v "$name.err")" "expected: $regex"
	else
		ok "$what"
	fi
}

# These take their time, so they take it together.
{ bad 'nothing comes' hangs 'ftcheckd does not answer on HERE: nothing came within 5 s'; } >hangs.result &
slow=$!
{ bad 'a byte now and then' drips \
	'ftcheckd does not answer on HERE: (only a part|nothing) came within 5 s'; } >drips.result &
slow="$slow $!"

stranger='what answers on HERE is not ftcheckd:'
damaged='what ftcheckd on HERE sends is damaged:'
bad 'nobody listens' gone 'ftcheckd does not answer on HERE: Connection refused'
bad 'a reset' reset 'ftcheckd does not answer on HERE: Connection reset by peer'
bad 'no report yet' early 'ftcheckd on HERE has no report yet: the first \\x1b\[2Jsweep is under way'
bad 'no report yet, and no reason' mute 'ftcheckd on HERE has no report yet'
bad 'no word' empty "$stranger it hangs up without a word"
bad 'another protocol' ssh "$stranger it does not speak HTTP"
bad 'half a head' halfhead "$stranger it hangs up amid the head of its answer"
bad 'an odd code' oddcode "$stranger it does not speak HTTP"
bad 'one CR too many' crcr "$stranger it does not speak HTTP"
bad 'LF alone ends a line' lf "$stranger it does not speak HTTP"
bad 'a NUL in the head' nulhead "$stranger it does not speak HTTP"
bad 'a code of four digits' longcode "$stranger it does not speak HTTP"
bad 'two lengths that differ' lengths "$stranger it does not speak HTTP"
bad 'an endless head' endlesshead "$stranger it does not speak HTTP"
bad 'an endless body' endlessbody \
	"($damaged it is longer than 64 MiB|ftcheckd does not answer on HERE: only a part came within 5 s)"
bad 'a length of too much' long "$damaged it is longer than 64 MiB"
bad 'a length beyond all numbers' verylong "$damaged it is longer than 64 MiB"
bad 'a negative length' negative "$stranger it does not speak HTTP"
bad 'chunks' chunked "$stranger its answer is encoded in a way that was not asked for"
bad 'a web page' web "$stranger it sends no JSON object"
bad 'not found' notfound "$stranger to a question for /report it answers with HTTP status 404"
bad 'a redirection, which is not followed' elsewhere "$stranger to a question for /report it answers with HTTP status 302"
bad 'the JSON of something else' otherjson "$stranger this JSON is no report of ftcheck"
bad 'cut short' cut "$damaged [0-9]+:[0-9]+: .*"
bad 'shorter than announced' short "$damaged it ends after 300 of 1000 bytes"
bad 'bytes that are no UTF-8' bytes "$damaged 2:[0-9]+: .*"
bad 'a NUL' nul "$damaged 2:7: a NUL byte is no part of JSON"
bad 'deep nesting' deep "$damaged 1:[0-9]+: maximum parsing depth reached.*"
bad 'a wrong value' typed "$damaged [0-9]+:[0-9]+: \"evidence\" is to be \"absent\", \"mute\", \"unreached\" or \"seen\""
bad 'a code of a newer daemon' newcode \
	'the report of ftcheckd on HERE cannot be shown: the code "cable-haunted" is not known to this ftcheck: is ftcheckd newer\?'
bad 'a newer format' newer \
	'the report of ftcheckd on HERE cannot be shown: version 2 of the report is newer than this ftcheck understands'

# ---- the options ----

# usage WHAT STDERR OPTION...
usage()
{
	local what=$1 line=$2 status

	shift 2
	"$ftcheck" "$@" >out 2>err </dev/null
	status=$?
	if [ $status = 3 ] && [ ! -s out ] && [ "$(cat err)" = "ftcheck: $line; try 'ftcheck --help'" ]; then
		ok "$what"
	else
		not_ok "$what" "exit status $status, says: $(cat out err)" "expected: $line"
	fi
}

for argument in '' 0 65536 x 127.0.0.1 127.0.0.1: :9683 localhost:9683 '[::1]' '::1:9683' '[::1:9683' '[127.0.0.1]:9683' \
	'127.0.0.1:+1' '127.1:9683' '[::1]:9683 ' http://127.0.0.1:9683; do
	usage "no address: '$argument'" "--status takes a port, 127.0.0.1:9683 or [::1]:9683, not \"$argument\"" \
		--status="$argument"
done
for argument in 192.0.2.1:9683 0.0.0.0:9683 '[::]:9683' '[::2]:9683' '[::ffff:127.0.0.1]:9683'; do
	usage "not this machine: $argument" "--status asks this machine only, and $argument is no loopback address" \
		--status="$argument"
done
for option in --plan=x --from=x --save=x; do
	usage "$option" "--status prints the report of ftcheckd; ${option%=x} does not go with it" --status $option
done
for option in '-C mlx5_0' '-P 1' '-t 5' '-o 5' '--retries 5' '--deadline 5'; do
	# shellcheck disable=SC2086 # an option and its value
	usage "$option" "--status prints the report of ftcheckd; ${option%% *} does not go with it" $option --status
done
usage 'the address as an argument' \
	'"127.0.0.1:9683" belongs to no option; write --status=127.0.0.1:9683' --status 127.0.0.1:9683

# shellcheck disable=SC2086 # two numbers
wait $slow
for result in hangs drips; do
	cat $result.result
	if grep -q '^ok' $result.result; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
done

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
