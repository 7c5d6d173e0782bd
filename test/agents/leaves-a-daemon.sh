#!/bin/sh
# Leaves a process of another session behind: forked twice, with an empty environment. It writes its number to $1.
# With `bare` it holds no descriptor of ours either, and is known only to who saw it start.
if [ "$2" = bare ]; then
  setsid env -i sh -c 'exec 3>&- </dev/null >/dev/null 2>&1; sh -c "echo \$\$ > $1; exec sleep 60" daemon "$1" & sleep 0.3' daemon "$1" &
  sleep 0.5
else
  setsid env -i sh -c '(echo $$ > "$1"; exec sleep 60) </dev/null >/dev/null 2>&1 &' daemon "$1"
  sleep 0.1
fi
echo "daemon left"
