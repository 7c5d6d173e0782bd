#!/bin/sh
# Checks the signature of a task's attestation without task-phase; it needs jq and ssh-keygen.
set -eu
cd tasks/T-1/artifacts
jq -r '.signatures[0].sig' attestation.json | base64 -d > statement.sig
jq -r .payload attestation.json | base64 -d > statement.json
{ printf 'DSSEv1 28 application/vnd.in-toto+json %s ' "$(wc -c < statement.json | tr -d ' ')"; cat statement.json; } |
  ssh-keygen -Y verify -n task-phase -f ~/allowed_signers -I runner@example.org -s statement.sig
