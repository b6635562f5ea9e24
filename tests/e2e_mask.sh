#!/usr/bin/env bash
# What is masked of an answer, over every framing and every edge: the credential in each form, whole, and not a
# byte besides it.
. "$(dirname "$0")/lib.sh"

# with what base64, percent-encoding and JSON change, and with what a chunk's size may be taken for
for key in 'sk-canary/7f3a+Zq9=wV:0001~tokentape' 'deadbeef0123456789abcdef'; do
    export TOKENTAPE_TEST_KEY=$key
    "$PYTHON" tests/check_mask.py script >"$T/mask.mock" || exit 1
    requests=$(grep -c '^answer .* requests ' "$T/mask.mock")
    mock_start "$T/mask.mock" || exit 1
    rm -rf "$T/left"
    mkdir "$T/left"
    "$RECORD" capacity --base-url "$URL" --model mock --requests "$requests" --concurrency 1 --ctx-tokens 64 --timeout 10 \
        --prompt-cache-mode unique --api-key-env TOKENTAPE_TEST_KEY -v --output "$T/left/run.json" \
        >"$T/left/stdout" 2>"$T/left/stderr"
    [ $? -eq 1 ]
    ok "${key:0:8}...: $requests answers are recorded" || tail -n 20 "$T/left/stderr"
    mock_stop
    "$PYTHON" tests/check_mask.py check "$T/left/run.tape" 2>"$T/err"
    ok "${key:0:8}...: each form is masked, nothing else is" || tail -n 3 "$T/err" | cut -c1-2000
    zstd -dcq "$T/left/run.tape" >"$T/left/records"
    for command in summary dump "dump --text"; do
        read -ra words <<<"$command"
        "$ANALYZE" "${words[@]}" "$T/left/run.tape" >>"$T/left/said" 2>&1
    done
    ! grep -raFl -e "$key" "$T/left" && [ "$(grep -c . "$T/left/said")" -gt 100 ]
    ok "${key:0:8}...: and it is in nothing that is left"
done

# given by mistake where a name belongs: refused without repeating it
for flags in "--api-key-env $key/x" "--base-url http://user:$key@127.0.0.1:1/v1"; do
    # shellcheck disable=SC2086
    "$RECORD" capacity --base-url http://127.0.0.1:1/v1 --model m --tape "$T/never.tape" $flags >"$T/out" 2>&1
    [ $? -eq 2 ] && ! grep -F "$key" "$T/out" && [ ! -e "$T/never.tape" ]
    ok "a key given in ${flags%% *} is not said back"
done
finish
