#!/bin/sh
# Runs HAProxy in its container, so that a stop waits for calls in flight alone. The sockets of robots never end by themselves, and robots connect
# again by themselves: they are closed at once.
#   USR1 (docker compose stop, down, up)   closes both ports and the sockets of robots, and ends with the last call in flight; the second time at once
#   USR2                                   reads the configuration and the certificate again, without closing a port
signal=USR1

stop() {
  if [ "$signal" = USR1 ]; then
    echo 'shutdown frontend robots; shutdown sessions server robot_links/robot-link-1; shutdown sessions server robot_links/robot-link-2' | nc 127.0.0.1 9999
  fi
  kill -"$signal" $!
  signal=TERM
}
# Before HAProxy runs: otherwise a signal that comes meanwhile is lost, or ends this shell alone. $! is HAProxy.
trap stop USR1
trap 'kill -USR2 $!' USR2
trap 'kill -TERM $!' TERM INT
haproxy -W -db -f /usr/local/etc/haproxy/perch.cfg &

# A signal ends `wait` without ending HAProxy.
while wait $!; status=$?; kill -0 $! 2>/dev/null; do :; done
exit "$status"
