# What the tests of test/run share. Sourced.

LIMIT_KB=2048

# A new home folder with a stand-in for the JVM, and a table line that tests add to.
fresh() {
  note=
  processes=
  export PITCREW_HOME="$work/home" FAKE="$work/fake"
  rm -rf "$PITCREW_HOME" "$FAKE" "$work/root"
  mkdir -p "$PITCREW_HOME/etc" "$PITCREW_HOME/jre/bin" "$PITCREW_HOME/lib" "$FAKE" "$work/root/sys/bus/pci/devices"
  cp "$here/java" "$PITCREW_HOME/jre/bin/java"
  echo 'JAVA_VERSION="25.0.3"' >"$PITCREW_HOME/jre/release"
  echo one >"$PITCREW_HOME/lib/b.jar"
  echo two >"$PITCREW_HOME/lib/a.jar"
  echo '-Xmx64m' >"$PITCREW_HOME/etc/fake.jvm"
  program backoff=20ms backoff-cap=160ms
}

# The table: one program `fake` with the settings given.
program() { echo "fake dev.Main jars=lib $*" >"$PITCREW_HOME/etc/programs"; }

# Starts the gate in the background: $gate is its process, $work/log its standard error.
start() {
  "$GATE" fake "$@" 2>"$work/log" &
  gate=$!
  processes="$processes $gate"
}

# Also the JVM of a gate that should have ended it.
end_all() {
  [ ! -e "$FAKE/pid" ] || is_over "$(cat "$FAKE/pid")" || processes="${processes:-} $(cat "$FAKE/pid")"
  for process in ${processes:-}; do kill -KILL "$process" 2>/dev/null || true; done
  for process in ${processes:-}; do wait "$process" 2>/dev/null || true; done
  processes=
}

fail() {
  echo "FAILED: ${test:-}: $*" >&2
  for file in "$work/log" "$FAKE/starts" "$FAKE/arguments" "$FAKE/signals"; do
    [ ! -e "$file" ] || { echo "--- $file" >&2; tail -n 20 "$file" >&2; }
  done
  exit 1
}

# Leaves a test out, aloud.
skip() {
  "$here/../../skipped" "gate/${test#test_}" "$*" || exit 1
  note=skipped
}

# Polls until the command holds, 15 s at most.
await() {
  tries=0
  until "$@" 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 1500 ] || fail "never held: $*"
    sleep 0.01
  done
}

# Waits for the gate's end and expects its code.
ends_with() {
  await is_over "$gate"
  code=0
  wait "$gate" || code=$?
  [ $code -eq "$1" ] || fail "the gate ended with $code, not $1"
}

# What a process that only waits may take: the resident memory of $gate.
is_small() {
  rss=$(sed -n 's/^VmRSS:[[:space:]]*\([0-9]*\) kB$/\1/p' "/proc/$gate/status")
  note="VmRSS $rss kB, target below $LIMIT_KB kB"
  if grep -q libasan "/proc/$gate/maps"; then
    note="$note, not compared with sanitizers"
  else
    [ "$rss" -lt "$LIMIT_KB" ] || fail "$note"
  fi
}

code_of() {
  code=0
  "$@" >"$work/out" 2>"$work/err" || code=$?
}

is() { [ "$1" = "$2" ] || fail "'$1' is not '$2'"; }
lines() { wc -l <"$1" | tr -d ' '; }
has_started() { [ -e "$FAKE/starts" ] && [ "$(lines "$FAKE/starts")" -ge "$1" ]; }
says() { grep -q -- "$1" "$work/log"; }
# Gone, or only kept for its parent to ask how it ended.
is_over() { is_gone "$1" || grep -q "^State:[[:space:]]*Z" "/proc/$1/status"; }
is_gone() { [ ! -e "/proc/$1" ]; }
