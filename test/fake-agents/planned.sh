# For agents that follow a plan: sourced, with the folder of the plans and the word that their line in FOLDER/calls ends with.
# Gives $task, $state, set_field, and in $line the line of FOLDER/TASK.plan for this call; empty without one.
plans=$1
task=$(basename "$TASK_PHASE_TASK_DIR")
state="$TASK_PHASE_TASK_DIR/STATE.md"
cat > /dev/null
count=$(grep -c "^$task " "$plans/calls" 2> /dev/null || true)
echo "$task $TASK_PHASE_PASS $TASK_PHASE_PHASE $call_word" >> "$plans/calls"
line=
if test -f "$plans/$task.plan"; then line=$(sed -n "$((${count:-0} + 1))p" "$plans/$task.plan"); fi
set_field() { sed -i "s|^- $1:.*|- $1: $2|" "$state"; }
