#!/bin/sh
# A script whose child holds its output open, and writes to the file for as long as it lives.
while :; do
  echo >> "$1"
  sleep 0.1
done &
wait
