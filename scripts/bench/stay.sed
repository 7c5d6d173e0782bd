# An agent that stays in its phase: its result goes to and fro between two words.
s/^- Current result: one$/- Current result: other/
t
s/^- Current result:.*/- Current result: one/
