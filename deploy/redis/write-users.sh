#!/bin/sh
# Writes Redis' ACL file: users.acl, which lies beside this script, with the SHA-256 of each password in the place of its name.
#   sh write-users.sh /data/users.acl && exec redis-server --aclfile /data/users.acl ...
# PERCH_REDIS_PASSWORD, EXPORTER_PASSWORD and OPERATOR_PASSWORD, or files named by the same names with _FILE, give the passwords. A user without a
# password is left out. Permissions that this machine's redis-server does not know yet (before 7.2) are left out, too, and a line on standard error
# says so: with them it would not start.
set -eu
target=$1

# Prints the SHA-256 of a password, or nothing where none is given.
hash_of() {
  eval "value=\${$1:-} file=\${$1_FILE:-}"
  if [ -n "$file" ]; then
    [ -z "$value" ] || { echo "$1 and $1_FILE are both set: unset one" >&2; return 1; }
    [ -r "$file" ] || { echo "$1_FILE: cannot be read" >&2; return 1; }
    value=$(cat "$file")
    [ -n "$value" ] || { echo "$1_FILE: the file is empty" >&2; return 1; }
  fi
  [ -z "$value" ] || printf %s "$value" | sha256sum | cut -d ' ' -f 1
}

perch=$(hash_of PERCH_REDIS_PASSWORD)
exporter=$(hash_of EXPORTER_PASSWORD)
operator=$(hash_of OPERATOR_PASSWORD)
[ -n "$perch" ] || { echo 'PERCH_REDIS_PASSWORD or PERCH_REDIS_PASSWORD_FILE must be set' >&2; exit 1; }

version=$(redis-server --version 2>/dev/null | sed -n 's/.* v=\([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
newer=
if [ "${version:-8 0}" = '7 0' ]; then
  newer='s/ +waitaof//; s/ +client|setinfo//;'
  echo "$target is for Redis 7.0, as $(command -v redis-server) is, and lacks +waitaof and +client|setinfo, which 7.0 does not know." \
    'For a newer Redis write it without that redis-server on PATH: without +waitaof nothing waits for the disk.' >&2
fi

umask 077
passwords="s/PERCH_REDIS_PASSWORD_SHA256/$perch/; s/EXPORTER_PASSWORD_SHA256/$exporter/; s/OPERATOR_PASSWORD_SHA256/$operator/"
sed "$newer $passwords; / on # /d" "$(dirname "$0")/users.acl" >"$target"
