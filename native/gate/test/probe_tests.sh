# The probe, against a small server. Sourced by run.

serve() {
  rm -f "$work/port"
  "$SERVE" "$work/port" "$1" &
  processes="$processes $!"
  await test -e "$work/port"
  port=$(cat "$work/port")
  program "health=$port" backoff=10m backoff-cap=10m
}

now_ms() { echo $(($(date +%s%N) / 1000000)); }

# A probe has one line to say and little more than a second to say it.
probe() {
  began=$(now_ms)
  code_of timeout 10 "$GATE" probe "$1" fake
  took=$(($(now_ms) - began))
  [ $took -lt 3000 ] || fail "took $took ms"
  is "$(cat "$work/out" "$work/err" | wc -l | tr -d ' ')" 1
}

test_aHealthyJvmIsLiveAndReady() {
  serve ok
  for kind in live ready; do
    probe $kind
    is $code 0
    is "$(cat "$work/out")" "fake: ok"
  done
}

test_theReasonOfTheJvmIsQuoted() {
  serve bad
  probe live
  is $code 1
  is "$(cat "$work/err")" "fake: 127.0.0.1:$port/healthz answered 503: no inventory for 90 s"
  probe ready
  is $code 1
  is "$(cat "$work/err")" "fake: 127.0.0.1:$port/readyz answered 503: caches: not synced NVML: ?[31mhung"
}

test_aHungJvmIsFoundWithinItsDeadline() {
  for mode in silent slow; do
    serve $mode
    probe live
    is $code 1
    is "$(cat "$work/err")" "fake: 127.0.0.1:$port/healthz: no answer in time"
    note="$note$mode $took ms "
  done
}

test_whatIsNoHttpFails() {
  serve garbage
  probe live
  is $code 1
  is "$(cat "$work/err")" "fake: 127.0.0.1:$port/healthz answered 0: "
  serve close
  probe live
  is $code 1
}

test_noListener() {
  serve ok
  end_all
  probe live
  is $code 1
  is "$(cat "$work/err")" "fake: 127.0.0.1:$port/healthz: Connection refused"
}

test_aRunningGateAsksItsJvm() {
  serve bad
  start
  await has_started 1
  probe live
  is $code 1
  grep -q 'answered 503' "$work/err" || fail "$(cat "$work/err")"
}

test_whileBackingOffTheContainerLivesButIsNotReady() {
  serve ok
  echo 'exit 3' >"$FAKE/script"
  start
  await says nextStartMs
  probe live
  is $code 0
  probe ready
  is $code 1
  grep -q 'fake: the JVM ended with exit code 3 after [0-9]* ms; started again 600000 ms later' "$work/err" || fail "$(cat "$work/err")"
}

test_probesAreSpelledRight() {
  code_of "$GATE" probe
  is $code 64
  code_of "$GATE" probe alive fake
  is $code 64
  code_of "$GATE" probe live absent
  is $code 64
}
