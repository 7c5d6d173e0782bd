#!/bin/sh
# Ends at once; its child in another session ignores TERM and holds standard output open. It writes its number to $1.
setsid sh -c 'trap "" TERM; echo $$ > "$1"; while :; do sleep 1; done' child "$1" &
while [ ! -s "$1" ]; do sleep 0.01; done
echo "child left"
