#!/bin/sh
# Leaves processes behind in the way that the words of AGENT_HOW name together, and ends, or goes on if it has the word
# `stays`. Each writes its number to AGENT_READY.pids; AGENT_READY is made once all are there.
pids="$AGENT_READY.pids"
: > "$pids"
has() { case " $AGENT_HOW " in *" $1 "*) ;; *) return 1 ;; esac; }
program=$(command -v sleep)
if has renamed || has removed; then
  cp "$program" "$AGENT_READY.program"
  program="$AGENT_READY.program"
fi
body='echo $$ >&9; exec 9>&-'
if has deaf; then body="trap '' HUP INT TERM; $body"; fi
if has closed; then body="$body; exec <&- >&- 2>&- 3>&- 4>&- 5>&- 6>&- 7>&- 8>&-"; fi
if has elsewhere; then body="cd /; $body"; fi
if has stopped; then body="$body; kill -STOP \$\$"; fi
body="$body; exec $program 600"
if has parent; then body="sh -c '$body' & wait"; fi
set -- sh -c "$body" "$pids"
if has bare; then set -- env -i "$@"; fi
if has stranger; then set -- setpriv --reuid 65534 --clear-groups "$@"; fi
if has session; then set -- setsid "$@"; fi
if has orphan; then set -- sh -c '"$@" &' orphan "$@"; fi
if has orphan && has session; then set -- setsid "$@"; fi
count=1
if has many; then count=20; fi
left=$count
while [ "$left" -gt 0 ]; do
  "$@" 9>> "$pids" &
  left=$((left - 1))
done
while [ "$(wc -l < "$pids")" -lt "$count" ]; do sleep 0.02; done
if has removed; then rm "$program"; fi
: > "$AGENT_READY"
if has stays; then exec sleep 600; fi
