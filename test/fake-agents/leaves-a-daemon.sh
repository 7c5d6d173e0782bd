#!/bin/sh
# Leaves a process of another session behind: forked twice, with an empty environment. It writes its number to $1, and has
# become `sleep` when this ends. With `bare` it holds no descriptor of ours either, and is known only to who saw it start.
if [ "$2" = bare ]; then
  setsid env -i sh -c 'exec 3>&- </dev/null >/dev/null 2>&1
    sh -c "echo \$\$ > $1; exec sleep 60" daemon "$1" &
    until [ "$(cat "/proc/$(cat "$1")/comm")" = sleep ]; do sleep 0.01; done
    sleep 0.3' daemon "$1" &
else
  setsid env -i sh -c 'sh -c "echo \$\$ > $1; exec sleep 60" daemon "$1" </dev/null >/dev/null 2>&1 &' daemon "$1" &
fi
wait
until [ "$(cat "/proc/$(cat "$1")/comm")" = sleep ]; do sleep 0.01; done 2>/dev/null
echo "daemon left"
