#!/bin/sh
# Applies changed settings (.env) and new images one instance after the other, so that no call fails: sh deploy/compose/apply.sh
# `docker compose up` would stop both instances of a service before it starts their successors. Arguments are options of docker compose, such as
# --file. It ends at the first instance that does not become ready; the other instance of its service still runs as before.
set -eu
cd "$(dirname "$0")/../.."

docker compose "$@" run --rm --no-TTY check-env
# An interrupted `up` leaves the successor of a container that it did not start, at which Compose 2.26 fails: "name is already in use".
docker compose "$@" rm --force
# Redis and the services read passwords at their start. With a changed one each instance fails until all have it, so all are recreated at once.
users() { docker compose "$@" exec --no-TTY redis grep -o '^user [a-z]* on #[0-9a-f]*' /run/redis/users.acl 2>/dev/null || true; }
others() { echo "$1" | sed '/^user operator /d'; }
before=$(users "$@")
docker compose "$@" run --rm --no-TTY secrets
after=$(users "$@")
if [ -n "$before" ] && [ "$(others "$before")" != "$(others "$after")" ]; then
  echo 'The password of Redis has changed: all containers are recreated at once, and calls are 503 meanwhile.' >&2
  exec docker compose "$@" up --detach --wait --force-recreate
fi
if [ -n "$before" ] && [ "$before" != "$after" ]; then
  echo 'The user operator of Redis has changed: Redis is restarted, and calls are 503 meanwhile.' >&2
  docker compose "$@" restart redis
fi
# With what Redis depends on, and without what depends on Redis, which Compose would stop. HAProxy is recreated only if its own settings changed, and is
# early so that an interrupted `up` leaves its ports closed no longer than necessary.
docker compose "$@" up --detach --wait redis haproxy
# In the order of an upgrade (docs/operate/upgrade.md). An instance is healthy once it is ready. Without --no-deps, with which Compose forgets `depends_on`,
# takes that for a change, and would recreate the instance once more below.
for instance in renderer-1 renderer-2 webhooks-1 webhooks-2 robot-link-1 robot-link-2 gateway-1 gateway-2; do
  docker compose "$@" up --detach --wait "$instance"
done
docker compose "$@" up --detach --wait
# They read rules and configuration again: Compose recreates no container for a changed file that it mounts. Who runs others has neither.
docker compose "$@" kill --signal SIGHUP prometheus alertmanager || true
