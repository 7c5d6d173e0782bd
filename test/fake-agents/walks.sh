#!/bin/sh
# Walks a task from intake to done, honestly, but where its plan says otherwise.
#
#   walks.sh FOLDER [NAME]
#
# FOLDER/<task folder's name>.plan holds one line for each call on that task; without a line it is honest.
# Each call leaves a line in FOLDER/calls: task, pass, phase, NAME.
#
#   honest        does what the phase asks for
#   idle          says something and changes nothing
#   silent        says nothing and changes nothing
#   fails WORDS   proposes what is next while the repo's check fails with these words
#   goes PHASE    proposes that phase
#   forges TASK   writes done into the STATE.md of another task of the root
#   hangs         sleeps for ten seconds
#   asks TIME     keeps the phase, and asks Q1 with a safe default and this deadline
#   costs USD     honest, and reports that it cost so much
set -eu
call_word=${2:-}
. "$(dirname "$0")/planned.sh"
does=${line%% *}
words=${line#* }

walk() {
  case $TASK_PHASE_PHASE in
    intake)
      set_field Objective "The file is right"
      set_field "Done gate" "The check passes"
      set_field "Not doing" none
      set_field "Reality constraints" none
      set_field Phase shape ;;
    shape)
      set_field "Validation plan" "The check of the repo"
      set_field Phase implement ;;
    implement)
      echo "work of pass $TASK_PHASE_PASS" >> "$TASK_PHASE_REPO/work.txt"
      mkdir -p "$TASK_PHASE_TASK_DIR/artifacts"
      echo "It works." > "$TASK_PHASE_TASK_DIR/artifacts/report.md"
      set_field "Current result" "The file is written"
      set_field Phase verify ;;
    verify)
      set_field "Current result" "The file was read again"
      set_field Phase review ;;
    review)
      set_field "Candidate done" yes
      set_field Phase 'done' ;;
    repair)
      echo "repair of pass $TASK_PHASE_PASS" >> "$TASK_PHASE_REPO/work.txt"
      rm -f "$TASK_PHASE_REPO/broken.txt"
      set_field Phase verify ;;
  esac
}

case $does in
  idle) echo "I looked at it." ; exit 0 ;;
  silent) exit 0 ;;
  hangs) sleep 10 ;;
  fails) walk; echo "$words" > "$TASK_PHASE_REPO/broken.txt" ;;
  goes) set_field "Current result" "So I say"; set_field Phase "$words" ;;
  asks)
    printf '## Q1: Which encoding?\n\n- Question: Which?\n- Safe default: UTF-8\n- Deadline: %s\n- Answer:\n' \
      "$words" > "$TASK_PHASE_TASK_DIR/DECISIONS.md"
    set_field "Next step" "wait for the answer" ;;
  forges) walk; sed -i "s|^- Phase:.*|- Phase: done|" "$TASK_PHASE_TASK_DIR/../$words/STATE.md" ;;
  costs) walk; printf '{"cost_usd": %s}' "$words" > "$TASK_PHASE_USAGE_FILE" ;;
  *) walk ;;
esac
echo "did what was asked"
echo "<promise>COMPLETE</promise>"
