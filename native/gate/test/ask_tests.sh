# Commands that a running agent carries out, and those for which a JVM is started after all. Sourced by run.

# An agent that answers so.
agent() {
  rm -f "$work/agent.sock" "$work/request" "$FAKE/starts"
  "$ANSWER" "$work/agent.sock" "$work/request" "$1" &
  processes="$processes $!"
  await test -S "$work/agent.sock"
  program restart=no arg=labels "asks=$work/agent.sock"
  echo 'echo jvm; exit 7' >"$FAKE/script"
}

test_aRunningAgentCarriesOutACommand() {
  agent done
  code_of "$GATE" fake --oneshot 'two words'
  is $code 3
  is "$(cat "$work/out")" one
  is "$(cat "$work/err")" warns
  is "$(tr '\n' ' ' <"$work/request")" "labels --oneshot two words "
  [ ! -e "$FAKE/starts" ] || fail "a JVM was started"
}

test_aLongAnswerArrivesWhole() {
  agent large
  code_of "$GATE" fake
  is $code 0
  is "$(tr -d x <"$work/out" | wc -c)" 0
  is "$(wc -c <"$work/out" | tr -d ' ')" 1048576
  # A reader that has enough ends it, as any program.
  "$GATE" fake | head -c 1 >"$work/out"
  is "$(cat "$work/out")" x
  [ ! -e "$FAKE/starts" ] || fail "a JVM was started"
}

starts_a_jvm() {
  rm -f "$FAKE/starts"
  code_of timeout 30 "$GATE" fake "$@"
  is $code 7
  is "$(cat "$work/out" "$work/err")" jvm
}

test_withoutAWholeAnswerAJvmIsStarted() {
  for mode in declines dies breaks too-large garbage; do
    agent $mode
    starts_a_jvm
    note="$note$mode "
  done
}

test_anAgentThatHangsIsNotWaitedFor() {
  agent silent
  began=$(now_ms)
  starts_a_jvm
  note="$(($(now_ms) - began)) ms"
}

test_whereNoAgentListensAJvmIsStarted() {
  agent done
  end_all
  [ -S "$work/agent.sock" ] || fail "no stale socket"
  starts_a_jvm
  rm "$work/agent.sock"
  starts_a_jvm
  program restart=no "asks=$(printf '%0200d' 0)"
  starts_a_jvm
}

test_whatDoesNotFitIntoARequestIsNotAsked() {
  agent done
  starts_a_jvm ''
  starts_a_jvm "$(printf '%09000d' 0)"
  [ ! -e "$work/request" ] || fail "asked: $(wc -c <"$work/request")"
  code_of "$GATE" fake "$(printf '%08000d' 0)"
  is $code 3
}
