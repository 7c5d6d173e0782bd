#!/bin/sh
# As lays-over.sh where it does a pass. As a reviewer it says what was prepared for its role.
#
#   reviews.sh FOLDER
#
# FOLDER/reviews/<role>.sh is run where it is there, else FOLDER/reviews/<role>.md is said. Each call leaves a line with
# role, phase and pass in FOLDER/reviews/calls.
test -n "$TASK_PHASE_ROLE" || exec /bin/sh "$(dirname "$0")/lays-over.sh" "$1"
reviews="$1/reviews"
echo "$TASK_PHASE_ROLE $TASK_PHASE_PHASE $TASK_PHASE_PASS" >> "$reviews/calls"
export reviews
if test -f "$reviews/$TASK_PHASE_ROLE.sh"; then exec /bin/sh "$reviews/$TASK_PHASE_ROLE.sh"; fi
if test -f "$reviews/$TASK_PHASE_ROLE.json"; then cp "$reviews/$TASK_PHASE_ROLE.json" "$TASK_PHASE_USAGE_FILE"; fi
if test -f "$reviews/$TASK_PHASE_ROLE.md"; then cat "$reviews/$TASK_PHASE_ROLE.md"; fi
