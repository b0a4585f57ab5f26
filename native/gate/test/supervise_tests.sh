# The supervisor. Sourced by run.

test_endsWithTheJvmWhenItIsDone() {
  echo 'exit 0' >"$FAKE/script"
  start
  ends_with 0
  says '"msg":"the JVM ended","program":"fake","reason":"exit code 0"' || fail "not said"
}

test_restartsAfterACrashWithGrowingWaits() {
  echo '[ $(wc -l <"$FAKE/starts") -gt 6 ] && exit 0; exit 3' >"$FAKE/script"
  start
  ends_with 0
  is "$(lines "$FAKE/starts")" 7
  is "$(sed -n 's/.*"reason":"exit code 3","ranMs":[0-9]*,"nextStartMs":\([0-9]*\)}$/\1/p' "$work/log" | tr '\n' ' ')" "20 40 80 160 160 160 "
}

test_afterALongRunItIsStartedAtOnce() {
  program backoff=20ms backoff-reset=1ms
  echo '[ $(wc -l <"$FAKE/starts") -gt 3 ] && exit 0; exit 3' >"$FAKE/script"
  start
  ends_with 0
  is "$(sed -n 's/.*"nextStartMs":\([0-9]*\)}$/\1/p' "$work/log" | tr '\n' ' ')" "0 0 0 "
}

test_saysTheSignalThatKilledTheJvm() {
  echo '[ $(wc -l <"$FAKE/starts") -gt 1 ] && exit 0; kill -KILL $$' >"$FAKE/script"
  start
  ends_with 0
  says '"reason":"signal 9 (Killed)"' || fail "not said"
}

test_usageErrorsAreNotTriedAgain() {
  for final in 2 64 78; do
    echo "exit $final" >"$FAKE/script"
    rm -f "$FAKE/starts"
    start
    ends_with $final
    is "$(lines "$FAKE/starts")" 1
  done
}

stops_with() {
  rm -f "$FAKE/starts" "$FAKE/signals"
  start
  await has_started 1
  kill -s "$1" "$gate"
  ends_with "$2"
  is "$(cat "$FAKE/signals")" "$1"
}

test_forwardsTheOrderToEnd() {
  stops_with TERM 143
  stops_with INT 130
  stops_with HUP 129
}

test_forwardsQuitAndGoesOn() {
  start
  await has_started 1
  kill -s QUIT "$gate"
  await grep -q QUIT "$FAKE/signals"
  kill -s TERM "$gate"
  ends_with 143
}

test_otherSignalsDoNotEndTheGate() {
  start
  await has_started 1
  kill -s USR1 "$gate"
  kill -s PIPE "$gate"
  kill -s ALRM "$gate"
  kill -s TERM "$gate"
  ends_with 143
  is "$(cat "$FAKE/signals")" TERM
}

test_killsWhatDoesNotEndInItsGracePeriod() {
  program grace=50ms
  : >"$FAKE/stubborn"
  start
  await has_started 1
  kill -s TERM "$gate"
  ends_with 137
  says 'did not end in its grace period' || fail "not said"
}

test_termDuringBackOffEndsAtOnce() {
  program backoff=10m backoff-cap=10m
  echo 'exit 3' >"$FAKE/script"
  start
  await says '"nextStartMs":600000'
  kill -s TERM "$gate"
  ends_with 143
  is "$(lines "$FAKE/starts")" 1
}

# A child of the JVM that outlives its parent, and ends on request.
test_reapsOrphans() {
  echo '(sh -c '\''echo $$ >"$FAKE/orphan.draft"; mv "$FAKE/orphan.draft" "$FAKE/orphan"; while [ -e "$FAKE" ] && [ ! -e "$FAKE/end-orphan" ]; do sleep 0.01; done'\'' &)' >"$FAKE/script"
  start
  await test -e "$FAKE/orphan"
  orphan=$(cat "$FAKE/orphan")
  await grep -q "^PPid:[[:space:]]*$gate$" "/proc/$orphan/status"
  : >"$FAKE/end-orphan"
  await is_gone "$orphan"
  kill -s TERM "$gate"
  ends_with 143
}

test_theJvmEndsWithAKilledGate() {
  start
  await has_started 1
  kill -s KILL "$gate"
  await grep -q TERM "$FAKE/signals"
  await is_gone "$(cat "$FAKE/pid")"
}

test_theJvmGetsNoDescriptorOfTheGate() {
  echo 'ls -l /proc/self/fd >"$FAKE/fds"; exit 0' >"$FAKE/script"
  start
  ends_with 0
  ! grep -Eq 'signalfd|socket' "$FAKE/fds" || fail "$(cat "$FAKE/fds")"
}

# Read by the shell itself before it starts its first command: then it would clear the mask.
test_theJvmGetsNoSignalMaskOfTheGate() {
  cat >"$PITCREW_HOME/jre/bin/java" <<'JAVA'
#!/bin/sh
while read -r key value; do
  [ "$key" != SigBlk: ] || echo "$value" >"$FAKE/mask"
done </proc/self/status
JAVA
  start
  ends_with 0
  is "$(cat "$FAKE/mask")" 0000000000000000
}

test_worksAsPid1() {
  if ! unshare --user --map-root-user --pid --fork --mount-proc true 2>/dev/null; then
    skip "no user namespaces here"
    return
  fi
  echo '(sh -c "exit 0" &); [ $(wc -l <"$FAKE/starts") -gt 2 ] && { cat /proc/1/comm >"$FAKE/first"; exit 64; }; exit 3' >"$FAKE/script"
  unshare --user --map-root-user --pid --fork --mount-proc "$GATE" fake 2>"$work/log" &
  gate=$!
  processes="$processes $gate"
  ends_with 64
  is "$(lines "$FAKE/starts")" 3
  is "$(cat "$FAKE/first")" pitcrew-gate
}

test_worksWithoutRoot() {
  if [ "$(id -u)" -ne 0 ]; then
    note="this is the test of all the others"
    return
  fi
  if ! command -v setpriv >/dev/null; then
    skip "no setpriv here"
    return
  fi
  echo 'id -u >"$FAKE/user"; exit 0' >"$FAKE/script"
  chmod 755 "$work" && chmod 777 "$FAKE"
  cp "$GATE" "$work/pitcrew-gate"
  setpriv --reuid 65532 --regid 65532 --clear-groups "$work/pitcrew-gate" fake 2>"$work/log" &
  gate=$!
  ends_with 0
  is "$(cat "$FAKE/user")" 65532
}
