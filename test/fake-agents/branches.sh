#!/bin/sh
# Does a task in a clone: a file of the task's own name, from implement to done.
#
#   branches.sh FOLDER
#
# FOLDER/<task folder's name>.plan holds one line of shell for each call on that task, which runs before the work.
# Each call leaves a line in FOLDER/calls: task, pass, phase, and where it worked.
set -eu
call_word=$TASK_PHASE_REPO
. "$(dirname "$0")/planned.sh"
eval "$line"
case $TASK_PHASE_PHASE in
  implement | repair)
    echo "work of $task" > "$TASK_PHASE_REPO/$task.txt"
    mkdir -p "$TASK_PHASE_TASK_DIR/artifacts"
    echo "It works." > "$TASK_PHASE_TASK_DIR/artifacts/report.md"
    set_field "Current result" "The file is written"
    set_field Phase verify ;;
  review)
    set_field "Candidate done" yes
    set_field Phase 'done' ;;
esac
echo "<promise>COMPLETE</promise>"
