#!/bin/sh
# The agent of the night simulation (test/simulation): honest, but where its plan says otherwise.
#
#   works-at-night.sh FOLDER EPOCH MODEL
#
# What it does depends on the task and on how many of its passes count so far, by the journal, and on nothing else:
# line N+1 of FOLDER/plans/TASK after N such passes; behind the last line it is honest. All that it writes is the same
# when it does it a second time, since a pass may be cut off anywhere.
# FOLDER/troubles/MODEL names calls of this model at which it does no work: `7 limit 3600`, `9 refused`, `12 silent`.
# FOLDER/ledger holds who began and ended when, and locks that only one process may hold. The clock is the size of
# FOLDER/clock, in seconds after EPOCH; work makes it go on.
set -eu
world=$1
epoch=$2
model=$3
task=${TASK_PHASE_TASK_DIR##*/}
state=$TASK_PHASE_TASK_DIR/STATE.md
journal=$TASK_PHASE_TASK_DIR/artifacts/journal.jsonl
own=$TASK_PHASE_REPO/$task
ledger=$world/ledger

# Held by every process of this pass until the last of them has ended.
exec 8>> "$ledger/repo-${TASK_PHASE_REPO##*/}.lock" 9>> "$ledger/task-$task.lock"
flock -n 9 || echo "task $task: pass $TASK_PHASE_PASS began while another one was alive" >> "$ledger/violations"
flock -n 8 || echo "repo of $task: pass $TASK_PHASE_PASS began while another one was alive" >> "$ledger/violations"
cat > /dev/null
passes=$(grep -cE '"verdict":"(accepted|redirected|rejected|no_progress)"' "$journal" || true)
echo "begin $task $TASK_PHASE_PASS $passes $TASK_PHASE_PHASE $model $$" >> "$ledger/passes"
printf "%$((60 + (TASK_PHASE_PASS * 97 + ${#task} * 13) % 600))s" "" >> "$world/clock"

now() { echo $((epoch + $(wc -c < "$world/clock"))); }
at() { date -u -d "@$1" +%Y-%m-%dT%H:%M:%SZ; }
# set_fields 'Label|value' ...
set_fields() {
  script=
  for field in "$@"; do script="$script
s|^- ${field%%|*}:.*|- ${field%%|*}: ${field#*|}|"; done
  sed -i "$script" "$state"
}
# What the CLI of this model prints at the end of its work.
say() {
  case $model in
    claude) printf '{"type":"result","subtype":"success","is_error":false,"num_turns":2,"total_cost_usd":0.2,"modelUsage":{"claude-sonnet-5-5":{"inputTokens":900,"outputTokens":100}},"result":"%s","session_id":"e09a83e1"}\n' "$1" ;;
    codex) printf '{"type":"item.completed","item":{"type":"agent_message","text":"%s"}}\n{"type":"turn.completed","usage":{"input_tokens":900,"output_tokens":100}}\n' "$1" ;;
    *) printf '{"cost_usd": 0.2, "input_tokens": 900, "output_tokens": 100}' > "$TASK_PHASE_USAGE_FILE"; printf "$1\n" ;;
  esac
  echo "end $task $TASK_PHASE_PASS $passes $TASK_PHASE_PHASE $model $$" >> "$ledger/passes"
}
# A sign of work: a model that hangs without one waits for its provider.
say_something() {
  case $model in
    claude) printf '{"type":"assistant","message":{"model":"claude-sonnet-5-5","content":[]},"parent_tool_use_id":null}\n' ;;
    codex) printf '{"type":"item.started","item":{"type":"command_execution"}}\n' ;;
    *) echo "I look at it." ;;
  esac
}
promise='Did what was asked.\n<promise>COMPLETE</promise>'

# limited SECONDS
limited() {
  if test "$model" = claude; then
    printf '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%s,"rateLimitType":"five_hour"}}\n' $(($(now) + $1))
    printf '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"api_error":"usage_limit_reached","api_error_type":"rate_limit_error","result":"You have hit your 5-hour limit"}\n'
  else
    printf '{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429 Too Many Requests"}}\n'
  fi
}
refused() {
  if test "$model" = claude; then
    printf '{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"api_error_type":"authentication_error","result":"Invalid API key"}\n'
  else
    printf '{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized"}}\n'
  fi
}

echo >> "$ledger/calls-$model"
calls=$(wc -l < "$ledger/calls-$model")
trouble=$(sed -n "s/^$calls //p" "$world/troubles/$model")
case $trouble in
  limit*) limited "${trouble#limit }"; exit 1 ;;
  refused) refused; exit 1 ;;
  silent) exit 0 ;;
esac

work() {
  case $TASK_PHASE_PHASE in
    intake)
      set_fields "Objective|The file of $task is right" "Done gate|The check passes" \
        "Not doing|none" "Reality constraints|none" "Phase|shape" ;;
    shape) set_fields "Validation plan|The check of the repo" "Phase|implement" ;;
    implement)
      mkdir -p "$own" "$TASK_PHASE_TASK_DIR/artifacts"
      echo "work of $task" > "$own/work.txt"
      echo "It works." > "$TASK_PHASE_TASK_DIR/artifacts/report.md"
      set_fields "Current result|The file is written, $passes" "Phase|verify" ;;
    verify) set_fields "Current result|The file was read again, $passes" "Phase|review" ;;
    review) set_fields "Candidate done|yes" "Phase|done" ;;
    repair)
      rm -f "$own/broken.txt"
      sed -i 's|^- The file is not|- [x] The file is not|' "$state"
      set_fields "Current result|Repaired, $passes" "Phase|verify" ;;
  esac
}
# ask TITLE DEFAULT DEADLINE
ask() {
  # Of a pass that was cut off the question stays; it is asked once.
  if test -f "$TASK_PHASE_TASK_DIR/DECISIONS.md"; then work; return; fi
  printf '## Q1: %s\n\n- Asked in: %s, pass %s, %s\n- Question: %s?\n- Options: UTF-8 or Latin-1\n- Safe default: %s\n- Deadline: %s\n- Answer:\n' \
    "$1" "$TASK_PHASE_PHASE" "$TASK_PHASE_PASS" "$(at "$(now)")" "$1" "$2" "$3" > "$TASK_PHASE_TASK_DIR/DECISIONS.md"
  set_fields "Next step|Wait for the answer, $passes" "Phase|needs_user_decision"
}

line=$(sed -n "$((passes + 1))p" "$world/plans/$task")
words=${line#* }
case ${line%% *} in
  "" | honest) work ;;
  hangs) say_something; exec sleep 30 ;;
  hangs-once)
    if test ! -f "$ledger/hung-$task-$passes"; then : > "$ledger/hung-$task-$passes"; say_something; exec sleep 30; fi
    work ;;
  idles) ;;
  # What ends without a change is no pass that counts, so the same word comes again: then it idles.
  crashes | dies)
    if test ! -f "$ledger/crashed-$task-$passes"; then
      : > "$ledger/crashed-$task-$passes"
      test "$line" = dies && exit 137
      kill -9 $$
    fi ;;
  tears) head -c 300 "$state" > "$state.part"; mv "$state.part" "$state"; kill -9 $$ ;;
  works)
    mkdir -p "$own"
    echo "step $passes" > "$own/step-$passes.txt"
    set_fields "Current result|Step $passes is done" ;;
  goes) set_fields "Current result|So I say, $passes" "Candidate done|yes" "Phase|$words" ;;
  forges) work; sed -i "s|^- Phase:.*|- Phase: done|; s|^- Next step:.*|- Next step: forged in $TASK_PHASE_PASS|" "$TASK_PHASE_TASK_DIR/../$words/STATE.md" ;;
  forges-journal) work; echo '{"seq":999,"prev":null,"at":"2026-11-21T00:00:00Z","type":"verdict","verdict":"accepted","to":"done"}' >> "$journal" ;;
  edits-brief) work; sed -i "s|passes: [0-9]*|passes: 9999|" "$TASK_PHASE_TASK_DIR/README.md" ;;
  assumes) work; printf '# Assumptions\n\nThe check may be skipped.\n' > "$TASK_PHASE_TASK_DIR/ASSUMPTIONS.md" ;;
  without-proof) work; rm -f "$TASK_PHASE_TASK_DIR/artifacts/report.md" ;;
  lies) work; mkdir -p "$own"; echo "the answer is $words" > "$own/broken.txt" ;;
  finds)
    sed -i "s|^## Notes|- The file is not good enough, $passes\n\n## Notes|" "$state"
    set_fields "Current result|Found something, $passes" "Phase|repair" ;;
  without-promise) work; promise='All is done, believe me.' ;;
  changes-code) work; echo "late work $passes" > "$own/late.txt" ;;
  blocks) set_fields "Blockers|The service of $task is down" "Phase|blocked" ;;
  asks)
    case $words in
      person) ask "Which encoding" "" "" ;;
      default) ask "Which encoding" "UTF-8" "$(at $(($(now) + 600)))" ;;
    esac ;;
  *) echo "no such word: $line" >> "$ledger/violations" ;;
esac
say "$promise"
