#!/bin/sh
# The check of the night simulation: checks-at-night.sh FOLDER TASK, in the repo. It holds the locks of the task and
# its repo as the agent does.
set -eu
exec 8>> "$1/ledger/repo-${PWD##*/}.lock" 9>> "$1/ledger/task-$2.lock"
flock -n 9 || echo "task $2: a check ran while another process was alive" >> "$1/ledger/violations"
flock -n 8 || echo "repo of $2: a check ran while another process was alive" >> "$1/ledger/violations"
if test -f "$2/broken.txt"; then cat "$2/broken.txt"; exit 1; fi
grep -q "^work of $2\$" "$2/work.txt"
