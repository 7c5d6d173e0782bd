# An agent that walks a task from intake to review: it proposes the next phase and fills what its gates ask for.
/^- Phase:/ {
  s/intake$/shape/
  t result
  s/shape$/implement/
  t result
  s/implement$/verify/
  t result
  s/verify$/review/
}
:result
s/^- Objective:.*/- Objective: every file is right/
s/^- Done gate:.*/- Done gate: the check passes/
s/^- Not doing:.*/- Not doing: none/
s/^- Reality constraints:.*/- Reality constraints: none/
s/^- Validation plan:.*/- Validation plan: the check of the repo/
s/^- Current result: one$/- Current result: other/
t
s/^- Current result:.*/- Current result: one/
