#!/usr/bin/env bash
# A run from end to end: the bundled mock server plays a reasoning model, the recorder
# measures it, the analyzer makes the result. usage: demo.sh BUILD
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${1:?usage: demo.sh BUILD}
mkdir -p build/demo || exit 1
stamp=$(date -u +%Y%m%dT%H%M%SZ)
name=build/demo/demo-$stamp
for k in 2 3 4 5 6 7 8 9; do
    [ -e "$name.tape" ] || break
    name=build/demo/demo-$stamp-$k
done
port_file=$(mktemp -u) || exit 1
"$BUILD/tests/mock_server" --script tests/scripts/demo.mock --port 0 --port-file "$port_file" --model mock-reasoner \
    --max-model-len 327680 --die-with-parent >/dev/null &
mock=$!
trap 'kill "$mock" 2>/dev/null; wait "$mock" 2>/dev/null; rm -f "$port_file"' EXIT
for _ in $(seq 1 100); do
    [ -s "$port_file" ] && break
    sleep 0.05
done
[ -s "$port_file" ] || { echo "demo: the mock server did not start" >&2; exit 1; }

run=("$BUILD/tokentape-record" capacity --base-url "http://127.0.0.1:$(cat "$port_file")/v1" --model mock-reasoner
    --requests 8 --concurrency 4 --ctx-tokens 8192 --max-tokens 2048 --prompt-cache-mode unique --request-canaries
    --response-words 16 --controlled-output-policy strict --output "$name.json")
echo "+ ${run[*]}"
"${run[@]}"
status=$?
[ $status -eq 0 ] || { echo "demo: the recorder ended with status $status" >&2; exit $status; }
echo "+ $BUILD/tokentape-analyze verify $name.tape"
"$BUILD/tokentape-analyze" verify "$name.tape"
