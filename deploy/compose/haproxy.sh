#!/bin/sh
# Runs HAProxy in its container, so that a stop waits for calls in flight alone. The sockets of robots never end by themselves, and robots connect
# again by themselves: they are closed at once.
#   USR1 (docker compose stop, down, up)   closes both ports and the sockets of robots, and ends with the last call in flight; the second time at once
#   USR2                                   reads the configuration and the certificate again, without closing a port
haproxy -W -db -f /usr/local/etc/haproxy/perch.cfg &
haproxy=$!
signal=USR1

stop() {
  if [ "$signal" = USR1 ]; then
    echo 'shutdown frontend robots; shutdown sessions server robot_links/robot-link-1; shutdown sessions server robot_links/robot-link-2' | nc 127.0.0.1 9999
  fi
  kill -"$signal" "$haproxy"
  signal=TERM
}
trap stop USR1
trap 'kill -USR2 "$haproxy"' USR2
trap 'kill -TERM "$haproxy"' TERM INT

# A signal ends `wait` without ending HAProxy.
while wait "$haproxy"; status=$?; kill -0 "$haproxy" 2>/dev/null; do :; done
exit "$status"
