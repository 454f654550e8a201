#!/usr/bin/env bash
# The middle step of action.yml: lint, annotate, count, and keep the findings as SARIF. Runs with the bash 3.2 of macOS too.
set -euo pipefail
scripts="$RUNNER_TEMP/looplint/bin"
[ -d "$scripts" ] || scripts="$RUNNER_TEMP/looplint/Scripts"
looplint="$scripts/looplint"

arguments=(check --quiet)
set -f # blanks separate options; a * in one is meant for looplint
# shellcheck disable=SC2206
[ -z "${LOOPLINT_ARGS:-}" ] || arguments+=($LOOPLINT_ARGS)
set +f
if [ -n "${LOOPLINT_BASE:-}" ]; then
  git cat-file -e "$LOOPLINT_BASE^{commit}" 2>/dev/null || git fetch --quiet --no-tags --depth=1 origin "$LOOPLINT_BASE"
  arguments+=(--since "$LOOPLINT_BASE")
fi
paths=(--)
while IFS= read -r path; do
  [ -z "$path" ] || paths+=("$path")
done <<<"${LOOPLINT_PATHS:-.}"

# What the first run found is kept in the cache: the others only write it in other forms.
run() { "$looplint" "${arguments[@]}" "$@" "${paths[@]}"; }
status=0
run --output-format github || status=$?
statistics="$RUNNER_TEMP/looplint.json"
rm -f "$statistics"
run --output-format json --output-file "$statistics" 2>/dev/null || true
count=0
[ ! -s "$statistics" ] || count=$("$scripts/python" -c 'import json, sys; print(sum(f["severity"] != "advice" for f in json.load(open(sys.argv[1]))))' "$statistics")
echo "findings=$count" >>"$GITHUB_OUTPUT"
if [ -n "${LOOPLINT_SARIF:-}" ]; then
  run --output-format sarif --output-file "$LOOPLINT_SARIF" 2>/dev/null || true
  [ ! -s "$LOOPLINT_SARIF" ] || echo "sarif-file=$LOOPLINT_SARIF" >>"$GITHUB_OUTPUT"
fi
if [ "$status" -eq 1 ] && [ "${LOOPLINT_FAIL:-true}" != true ]; then
  status=0
fi
exit "$status"
