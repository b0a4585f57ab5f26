# The launcher: what the JVM is started with. Sourced by run.

arguments() { tr '\n' ' ' <"$FAKE/arguments"; }

test_startsTheJvmWithFlagsAndSortedJars() {
  program restart=no flags=etc/fake.jvm arg=serve
  echo 'exit 7' >"$FAKE/script"
  code_of "$GATE" fake --one 'two words'
  is $code 7
  is "$(cat "$work/err")" ""
  is "$(arguments)" "@$PITCREW_HOME/etc/fake.jvm -cp $PITCREW_HOME/lib/a.jar:$PITCREW_HOME/lib/b.jar dev.Main serve --one two words "
}

test_takesItsNameFromTheLink() {
  program restart=no
  echo 'exit 0' >"$FAKE/script"
  ln -s "$GATE" "$work/fake-link" && mkdir -p "$work/bin" && mv "$work/fake-link" "$work/bin/fake"
  code_of "$work/bin/fake" probe
  is $code 0
  is "$(arguments)" "-cp $PITCREW_HOME/lib/a.jar:$PITCREW_HOME/lib/b.jar dev.Main probe "
}

test_namesThePrograms() {
  code_of "$GATE" absent
  is $code 64
  grep -q "there is no program 'absent'" "$work/err" || fail "no reason"
  grep -q '^  fake$' "$work/err" || fail "no list"
  code_of "$GATE"
  is $code 64
  code_of "$GATE" --help
  is $code 0
}

test_wrongSettingsAreSaid() {
  echo 'fake dev.Main jars=lib colour=red' >"$PITCREW_HOME/etc/programs"
  code_of "$GATE" fake
  is $code 78
  grep -q '"line":1,.*colour=red' "$work/err" || fail "$(cat "$work/err")"
  program jars=nowhere
  code_of "$GATE" fake
  is $code 78
  program flags=etc/nowhere
  code_of "$GATE" fake
  is $code 78
  rm "$PITCREW_HOME/etc/programs"
  code_of "$GATE" fake
  is $code 78
  grep -q 'No such file' "$work/err" || fail "$(cat "$work/err")"
}

test_helpIsNotSupervised() {
  program wait=gpu clear=--clear
  echo 'exit 0' >"$FAKE/script"
  code_of env HOST_ROOT="$work/root" "$GATE" fake --help
  is $code 0
  is "$(tail -n 1 "$FAKE/arguments")" --help
}

test_closedStandardStreamsAreOpened() {
  echo 'for stream in 0 1 2; do streams="$streams$(readlink /proc/$$/fd/$stream) "; done; echo "$streams" >"$FAKE/streams"; exit 0' >"$FAKE/script"
  "$GATE" fake <&- >&- 2>&- || fail "ended with $?"
  is "$(cat "$FAKE/streams")" "/dev/null /dev/null /dev/null "
}

test_aCacheIsTakenUnderItsDigestOnly() {
  program restart=no flags=etc/fake.jvm aot=aot
  echo 'exit 0' >"$FAKE/script"
  mkdir "$PITCREW_HOME/aot"
  path=$("$GATE" aot-path fake)
  echo "$path" | grep -Eq "^$PITCREW_HOME/aot/fake-[0-9a-f]{64}\.aot$" || fail "$path"
  takes_cache no "before there is one"
  : >"$path"
  takes_cache yes "the right one is there"
  is "$(sed -n 2p "$FAKE/arguments")" "-XX:AOTCache=$path"
  changes "a jar of the same size and time" changed_jar
  changes "one more jar" sh -c 'echo >"$PITCREW_HOME/lib/c.jar"'
  changes "a jar with another name" mv "$PITCREW_HOME/lib/a.jar" "$PITCREW_HOME/lib/aa.jar"
  changes "a jar less" rm "$PITCREW_HOME/lib/b.jar"
  changes "other flags" sh -c 'echo -Xmx65m >"$PITCREW_HOME/etc/fake.jvm"'
  changes "another JDK" sh -c 'echo >>"$PITCREW_HOME/jre/release"'
}

takes_cache() {
  "$GATE" fake || fail "ended with $?"
  taken=no
  ! grep -q '^-XX:AOTCache=' "$FAKE/arguments" || taken=yes
  [ $taken = "$1" ] || fail "cache taken: $taken ($2)"
}

changed_jar() {
  touch -r "$PITCREW_HOME/lib/a.jar" "$work/stamp"
  echo TWO >"$PITCREW_HOME/lib/a.jar.new"
  touch -r "$work/stamp" "$PITCREW_HOME/lib/a.jar.new"
  mv "$PITCREW_HOME/lib/a.jar.new" "$PITCREW_HOME/lib/a.jar"
}

# After the change the old cache is not taken; then there is a new one for the next change.
changes() {
  what=$1
  shift
  "$@"
  takes_cache no "$what"
  : >"$("$GATE" aot-path fake)"
  takes_cache yes "created again after: $what"
}

test_trainingWritesTheCacheUnderItsName() {
  program aot=aot
  echo 'exit 0' >"$FAKE/script"
  mkdir "$PITCREW_HOME/aot"
  "$GATE" train fake --once
  is "$(arguments)" "-XX:AOTCacheOutput=$("$GATE" aot-path fake) -cp $PITCREW_HOME/lib/a.jar:$PITCREW_HOME/lib/b.jar dev.Main --once "
}

# Needs root: elsewhere the change of the root itself is refused, which is said.
test_runsAProgramOfAnotherRoot() {
  code_of "$GATE" in-root /
  is $code 64
  code_of "$GATE" in-root "$work/nowhere" true
  is $code 71
  grep -q 'the root cannot be changed' "$work/err" || fail "no reason"
  if [ "$(id -u)" = 0 ]; then
    code_of "$GATE" in-root / sh -c 'echo "$PWD $1"; exit 3' sh 'two words'
    is $code 3
    is "$(cat "$work/out")" "/ two words"
    code_of "$GATE" in-root / no-such-program
    is $code 127
  fi
}

adjustment_of() {
  echo 'cp /proc/$$/oom_score_adj "$FAKE/adjustment"; exit 0' >"$FAKE/script"
  "$GATE" fake "$@" 2>"$work/log" || fail "ended with $?"
  cat "$FAKE/adjustment"
}

test_theKernelEndsACommandFirst() {
  own=$(cat /proc/self/oom_score_adj)
  program restart=no oom=first
  is "$(adjustment_of)" 1000
  program restart=no oom=oneshot
  is "$(adjustment_of --oneshot)" 1000
  is "$(adjustment_of --oneshot=true)" 1000
  is "$(adjustment_of --oneshot=false)" "$own"
  is "$(adjustment_of)" "$own"
  program restart=no
  is "$(adjustment_of)" "$own"
  program
  is "$(adjustment_of)" "$own"
}
