# ci/passed.sh: whether the host's CI passed on the commit that is checked out. Here for GitHub, with a gh that is logged in.
# A clean copy of the proof has no remote, and there is nothing to ask.
git remote get-url origin > /dev/null 2>&1 || exit 0
git diff --quiet HEAD -- . ":!tasks" || { echo "CI has not seen the changes that are not committed"; exit 1; }
sha=$(git rev-parse HEAD)
ask() { gh run list --commit "$sha" --json status,conclusion --jq '.[] | .status + " " + .conclusion'; }
until runs=$(ask) && test -n "$runs" && ! echo "$runs" | grep -qv "^completed "; do sleep 20; done
if echo "$runs" | grep -Ev " (success|skipped|neutral)$"; then echo "CI did not pass on $sha"; exit 1; fi
