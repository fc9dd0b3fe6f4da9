# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The completion of a program for zsh or fish, from its man page, so that it knows the options of the page and no others.
#
#   awk -v shell=zsh -v program=ftcheck -f completion.awk ftcheck.1
#
# Options are the lines ".It Fl o Ar FILE , Fl -output Ar FILE" and "... , Fl -format Cm text | json | Ar FILE" of mdoc(7).
# What stands behind an option's name says what is completed: words (Cm) and, by the placeholder (Ar), files, directories,
# adapters or ports. Behind "Op" a value may be left out, and behind "Ns Op =" it stands in the same word. The first words
# of the text below are the description.

BEGIN {
	# Placeholders that are no plain words.
	kind["FILE"] = kind["DESIGN.json"] = kind["CATALOG"] = kind["PATH"] = "files"
	kind["DIR"] = "directories"
	kind["CA"] = "adapters"
	kind["PORT"] = "ports"
	# The one argument that is no option's.
	argument["ftplan"] = "files"
}

/^\.It Fl / { option_begin(); next }
reading && /^\.(It|El|Bl|Pp|Bd|Sh|Ss)/ { reading = 0 }
# What is in brackets is no part of a description.
/^\.Po/ { bracket = 1 }
/^\.Pc/ { bracket = 0; next }
reading && !bracket && !/^\.Pq/ { describe(plain($0)) }

END {
	if (shell == "zsh")
		zsh_write()
	else
		fish_write()
}

function option_begin(    i, word, flag)
{
	count++
	reading = 1
	for (i = 2; i <= NF; i++) {
		word = $i
		if (word == "Fl" || word == "Ar" || word == "Cm") {
			flag = word
		} else if (word == "Ns" && $(i + 1) == "Op" && $(i + 2) == "=") {
			optional[count] = "joined"
		} else if (word == "Op") {
			if (!(count in optional) && !(count in value))
				optional[count] = "apart"
		} else if (word == "Ns") {
			continue
		} else if (flag == "Fl" && word ~ /[A-Za-z]/) {
			name_add(word)
		} else if (flag == "Cm" && word ~ /^[A-Za-z0-9]/) {
			words[count] = words[count] (words[count] == "" ? "" : " ") word
			value[count] = "VALUE"
		} else if (flag == "Ar" && word ~ /[A-Za-z]/) {
			if (word in kind)
				completes[count] = kind[word]
			if (!(count in value) || value[count] == "VALUE")
				value[count] = word
		}
	}
	# An address is no port of an adapter.
	if (count in optional && optional[count] == "joined")
		delete completes[count]
}

# The page says -o for a letter and --output for a word, which there begins with a dash.
function name_add(word)
{
	if (word ~ /^-/)
		long[count] = substr(word, 2)
	else
		letter[count] = word
}

# A line of mdoc as text.
function plain(line,    word)
{
	if (line ~ /^\.Xr /) {
		split(line, word, " ")
		line = word[2] "(" word[3] ")" word[4]
	}
	gsub(/^\.Fl -| Fl -/, " --", line)
	sub(/^ /, "", line)
	gsub(/^\.[A-Z][a-z] |\\&| Ns /, "", line)
	gsub(/ (Ar|Cm|Fl|Op|Pq|Ns) /, " ", line)
	while (match(line, / [.,;:)]/))
		line = substr(line, 1, RSTART - 1) substr(line, RSTART + 1)
	return line
}

# Up to the end of the first sentence, or of its part that stands by itself.
function describe(line,    end)
{
	text[count] = text[count] (text[count] == "" ? "" : " ") line
	if (match(text[count], /[.;:]( |$)|, (for|such as|in|which) /)) {
		text[count] = substr(text[count], 1, RSTART - 1)
		reading = 0
	}
}

function quoted(string)
{
	gsub(/'/, "'\\''", string)
	return "'" string "'"
}

# ---- zsh ----

function zsh_action(i)
{
	if (completes[i] == "files")
		return words[i] == "" ? "_files" : " _ftcheck_words_or_files " words[i]
	if (completes[i] == "directories")
		return "_files -/"
	if (completes[i] != "")
		return "_ftcheck_" completes[i]
	return words[i] == "" ? "" : "(" words[i] ")"
}

# zsh_option NAME, "-o" or "--output", JOINED to its value by this: what _arguments calls an optspec.
function zsh_option(i, name, joined, others,    spec, description)
{
	description = text[i]
	gsub(/[\[\]:\\]/, "\\\\&", description)
	spec = others name
	if (i in value && !(i in optional))
		spec = spec joined
	else if (i in optional && optional[i] == "joined")
		spec = spec joined "-"
	spec = spec "[" description "]"
	if (i in value)
		spec = spec (i in optional ? "::" : ":") tolower(value[i]) ":" zsh_action(i)
	return "\t\t" quoted(spec)
}

function zsh_write(    i, others, lines)
{
	print "#compdef " program
	print "# Made of the man page by completion.awk."
	print ""
	print "(( $+functions[_ftcheck_adapters] )) || _ftcheck_adapters()\n{\n\tcompadd -- /sys/class/infiniband/*(N:t)\n}\n"
	print "(( $+functions[_ftcheck_ports] )) || _ftcheck_ports()\n{\n\tcompadd -- /sys/class/infiniband/*/ports/*(N:t)\n}\n"
	print "(( $+functions[_ftcheck_words_or_files] )) || _ftcheck_words_or_files()\n{\n\tcompadd -- \"$@\"\n\t_files\n}\n"
	print "_" program "()\n{\n\t_arguments -s -S \\"
	for (i = 1; i <= count; i++) {
		others = i in long && i in letter ? "(-" letter[i] " --" long[i] ")" : ""
		if (i in letter)
			lines = lines zsh_option(i, "-" letter[i], "+", others) " \\\n"
		if (i in long)
			lines = lines zsh_option(i, "--" long[i], "=", others) " \\\n"
	}
	if (program in argument)
		lines = lines "\t\t'*:file:_files' \\\n"
	sub(/ \\\n$/, "", lines)
	print lines
	print "}\n"
	print "_" program " \"$@\""
}

# ---- fish ----

function fish_values(i,    list)
{
	list = words[i]
	if (completes[i] == "adapters")
		list = "(for path in /sys/class/infiniband/*; string replace -r '.*/' '' -- $path; end)"
	if (completes[i] == "ports")
		list = "(for path in /sys/class/infiniband/*/ports/*; string replace -r '.*/' '' -- $path; end)"
	if (completes[i] == "directories")
		list = "(__fish_complete_directories)"
	if (list == "")
		return ""
	gsub(/\\/, "\\\\", list)
	gsub(/'/, "\\'", list)
	return " -a '" list "'"
}

function fish_write(    i, line, description)
{
	print "# Made of the man page by completion.awk."
	# By themselves, files are proposed everywhere.
	if (!(program in argument))
		print "complete -c " program " -f"
	for (i = 1; i <= count; i++) {
		line = "complete -c " program
		if (i in letter)
			line = line " -s " letter[i]
		if (i in long)
			line = line " -l " long[i]
		if (i in value && !(i in optional))
			line = line (completes[i] == "files" ? " -rF" : " -x") fish_values(i)
		description = text[i]
		gsub(/\\/, "\\\\", description)
		gsub(/'/, "\\'", description)
		print line " -d '" description "'"
		if (i in optional && optional[i] == "apart" && completes[i] == "files")
			print "complete -c " program " -n '__fish_contains_opt " long[i] "' -F"
	}
}
