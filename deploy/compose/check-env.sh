#!/bin/sh
# Fails where .env sets a name that docker-compose.yml does not use, since Compose ignores such a line: PERCH_SIGNUP=closed would leave sign-up open.
# It prints names and never values. Names of Docker's own (COMPOSE_, DOCKER_, BUILDKIT_, BUILDX_) and of docker-compose.override.yml are accepted.
set -eu
cd "${PROJECT_FOLDER:-/project}"
# COMPOSE_ENV_FILES is a list of files, separated by commas.
IFS=,
for file in ${COMPOSE_ENV_FILES:-.env}; do
  [ -e "$file" ] || continue
  [ -r "$file" ] || { echo "$file: the check of its names may not read it" >&2; exit 1; }
  set -- "$@" "$file"
done
[ $# -gt 0 ] || exit 0
for file in docker-compose.override.yml docker-compose.override.yaml docker-compose.yml; do
  [ ! -e "$file" ] || set -- "$file" "$@"
done

exec awk '
FILENAME ~ /\.ya?ml$/ { learn($0); next }
{ line = $0; sub(/\r$/, "", line); read_line() }
END { exit failed }

# Names that a compose file interpolates (${NAME…} or $NAME), or passes on (NAME: without a value, or - NAME).
function learn(text) {
  if (match(text, /^ *(- *)?[A-Z][A-Z0-9_]*:? *$/)) { gsub(/[- :]/, "", text); known[text]; return }
  while (match(text, /\$\{?[A-Z][A-Z0-9_]*/)) {
    name = substr(text, RSTART, RLENGTH); text = substr(text, RSTART + RLENGTH)
    gsub(/[${]/, "", name); known[name]
  }
}

# A line as Compose reads it: NAME=value or NAME: value, also after "export". A value in quotes may go on in the next lines.
function read_line(   at, name, value) {
  for (;;) {
    if (quote != "") {
      at = closing(line)
      if (at == 0) return
      line = substr(line, at + 1); quote = ""
    }
    sub(/^[ \t]+/, "", line)
    if (line == "" || line ~ /^#/) return
    sub(/^export[ \t]+/, "", line)
    at = match(line, /[=:]/)
    name = at ? substr(line, 1, at - 1) : line
    value = at ? substr(line, at + 1) : ""
    sub(/[ \t]+$/, "", name); sub(/^[ \t]+/, "", value)
    check(name)
    quote = substr(value, 1, 1)
    if (quote != "\"" && quote != "\047") { quote = ""; return }
    line = substr(value, 2)
  }
}
function closing(text,   i) {
  for (i = 1; i <= length(text); i++) if (substr(text, i, 1) == quote && (i == 1 || substr(text, i - 1, 1) != "\\")) return i
  return 0
}

function check(name,   one, steps, least, nearest, shown) {
  if (name in known || name ~ /^(COMPOSE|DOCKER|BUILDKIT|BUILDX)_/) return
  failed = 1
  # Anything else might be a part of a value.
  shown = name ~ /^[A-Za-z][A-Z0-9a-z_]*_[A-Z0-9a-z_]*$/ && length(name) < 60 ? name " (line " FNR ")" : "the name in line " FNR
  least = 0.4 * length(name)
  for (one in known) { steps = index(one, toupper(name)) == 1 ? 1 : distance(toupper(name), one); if (steps < least || (steps == least && one < nearest)) { least = steps; nearest = one } }
  printf "%s: %s is not a variable of docker-compose.yml%s\n", FILENAME, shown, nearest == "" ? "; .env.example lists them" : ". Did you mean " nearest "?" > "/dev/stderr"
}

# Characters to add, remove or replace (Levenshtein).
function distance(a, b,   i, j, row, diagonal, above) {
  for (j = 0; j <= length(b); j++) row[j] = j
  for (i = 1; i <= length(a); i++) {
    diagonal = row[0]; row[0] = i
    for (j = 1; j <= length(b); j++) {
      above = row[j]
      row[j] = diagonal + (substr(a, i, 1) != substr(b, j, 1))
      if (above + 1 < row[j]) row[j] = above + 1
      if (row[j - 1] + 1 < row[j]) row[j] = row[j - 1] + 1
      diagonal = above
    }
  }
  return row[length(b)]
}' "$@"
