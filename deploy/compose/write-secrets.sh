#!/bin/sh
# Writes the passwords of Redis into the volumes of docker-compose.yml, once: a later start keeps what is there.
#   /secrets/services/redis-url         for the services and perch
#   /secrets/redis/users.acl            for Redis, with hashes; exporter-password for its health check
#   /secrets/exporter/passwords.json    for redis_exporter
# PERCH_REDIS_PASSWORD gives the services' password; if unset, a random one is made. OPERATOR_PASSWORD gives that of the user `operator`; if unset, there
# is no such user. Each volume is mounted by its readers alone, which run as different users, so the files are readable for all of them.
set -eu
umask 022
users=${REDIS_USERS_SCRIPT:-/redis/write-users.sh}
secrets=${SECRETS_FOLDER:-/secrets}
address=redis:6379

random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
# $1 file, $2 password: replaces the file at once, so that no reader finds half of it.
keep() { printf '%s' "$2" >"$1.new" && mv "$1.new" "$1"; }

mkdir -p "$secrets/services" "$secrets/redis" "$secrets/exporter"
# $1 name of the variable, $2 its value
check() {
  case $2 in
    *[!A-Za-z0-9_-]*) echo "$1: takes letters, digits, - and _ only" >&2; exit 1 ;;
  esac
  if [ -n "$2" ] && [ "${#2}" -lt 16 ]; then echo "$1: takes at least 16 characters" >&2; exit 1; fi
}
check PERCH_REDIS_PASSWORD "${PERCH_REDIS_PASSWORD:-}"
check OPERATOR_PASSWORD "${OPERATOR_PASSWORD:-}"

perch=${PERCH_REDIS_PASSWORD:-}
[ -n "$perch" ] || perch=$(sed -n 's,^redis://perch:\(.*\)@.*$,\1,p' "$secrets/services/redis-url" 2>/dev/null || true)
[ -n "$perch" ] || perch=$(random)
exporter=$(cat "$secrets/redis/exporter-password" 2>/dev/null || true)
[ -n "$exporter" ] || exporter=$(random)

(
  unset PERCH_REDIS_PASSWORD_FILE EXPORTER_PASSWORD_FILE OPERATOR_PASSWORD_FILE
  PERCH_REDIS_PASSWORD=$perch EXPORTER_PASSWORD=$exporter sh "$users" "$secrets/redis/users.acl.new"
)
chmod 444 "$secrets/redis/users.acl.new"
mv "$secrets/redis/users.acl.new" "$secrets/redis/users.acl"
keep "$secrets/redis/exporter-password" "$exporter"
keep "$secrets/services/redis-url" "redis://perch:$perch@$address"
keep "$secrets/exporter/passwords.json" "{\"redis://exporter@$address\":\"$exporter\",\"redis://$address\":\"$exporter\"}"
