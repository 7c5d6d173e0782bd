#!/bin/sh
# Copies what was prepared for it, so that a test says to the byte what a pass leaves behind.
#
#   lays-over.sh FOLDER
#
# FOLDER/<pass>, or FOLDER/any where there is none: task/ is laid over the task folder, repo/ over the repo, and
# usage.json is what it reports to have spent, and
# output.txt is said. With a file named waits it works until there is FOLDER/go. Each call leaves a line in FOLDER/calls, so that a test sees whether the model ran at all.
echo "$TASK_PHASE_PASS" >> "$1/calls"
from="$1/$TASK_PHASE_PASS"
test -d "$from" || from="$1/any"
test -d "$from" || exit 0
if test -d "$from/task"; then cp -R "$from/task/." "$TASK_PHASE_TASK_DIR"; fi
if test -d "$from/repo"; then cp -R "$from/repo/." "$TASK_PHASE_REPO"; fi
if test -f "$from/usage.json"; then cp "$from/usage.json" "$TASK_PHASE_USAGE_FILE"; fi
# A sign of work: one that sleeps without any waits for its provider.
if test -f "$from/sleep.txt"; then echo "At work." >&2; sleep "$(cat "$from/sleep.txt")"; fi
if test -f "$from/waits"; then echo "At work." >&2; until test -e "$1/go"; do sleep 0.02; done; fi
if test -f "$from/output.txt"; then cat "$from/output.txt"; fi
