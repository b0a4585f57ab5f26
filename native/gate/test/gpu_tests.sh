# Waiting for a GPU. Sourced by run.

waiting_program() { program wait=gpu clear=--clear scan=50ms backoff=20ms health=$$ "$@"; }

# A PCI device below the host root, complete before its name appears.
device() {
  mkdir -p "$work/root/draft"
  echo "$2" >"$work/root/draft/vendor"
  echo "$3" >"$work/root/draft/class"
  mv "$work/root/draft" "$work/root/sys/bus/pci/devices/$1"
}

clears_then_waits() { says 'waiting for one' && has_started 1; }

test_clearsOnceThenWaitsThenStarts() {
  waiting_program
  echo 'for last; do :; done; [ "$last" = --clear ] && exit 0' >"$FAKE/script"
  device 0000:00:1f.0 0x8086 0x030000
  device 0000:05:00.0 0x10de 0x068000
  start --host-root "$work/root" --verbose
  await clears_then_waits
  is "$(lines "$FAKE/starts")" 1
  is "$(tail -n 1 "$FAKE/arguments")" --clear
  device 0000:3b:00.0 0x10de 0x030200
  await has_started 2
  is "$(tail -n 1 "$FAKE/arguments")" --verbose
  kill -s TERM "$gate"
  ends_with 143
}

test_withAGpuItStartsAtOnce() {
  waiting_program
  device 0000:3b:00.0 0x10de 0x120000
  HOST_ROOT="$work/root" start
  await has_started 1
  is "$(tail -n 1 "$FAKE/arguments")" dev.Main
  kill -s TERM "$gate"
  ends_with 143
}

test_aBusThatCannotBeReadMayHaveAGpu() {
  waiting_program
  start --host-root "$work/nowhere"
  await has_started 1
  is "$(tail -n 1 "$FAKE/arguments")" "$work/nowhere"
  kill -s TERM "$gate"
  ends_with 143
}

test_aFailedClearIsTriedAgain() {
  waiting_program
  echo '[ $(wc -l <"$FAKE/starts") -gt 2 ] && exit 0; exit 1' >"$FAKE/script"
  start "--host-root=$work/root"
  await says 'waiting for one'
  is "$(lines "$FAKE/starts")" 3
  kill -s TERM "$gate"
  ends_with 143
}

test_aGpuCutsTheBackOffOfAFailedClearShort() {
  waiting_program backoff=10m backoff-cap=10m
  echo 'for last; do :; done; [ "$last" = --clear ] && exit 1' >"$FAKE/script"
  start --host-root "$work/root"
  await says '"nextStartMs":600000'
  device 0000:3b:00.0 0x10de 0x030000
  await has_started 2
  is "$(tail -n 1 "$FAKE/arguments")" "$work/root"
}

test_aWaitingGateIsLiveAndReady() {
  waiting_program
  echo 'exit 0' >"$FAKE/script"
  start --host-root "$work/root"
  await says 'waiting for one'
  for kind in live ready; do
    await "$GATE" probe $kind fake >"$work/out"
    is "$(cat "$work/out")" "fake: waiting for an NVIDIA PCI device"
  done
}

test_aWaitingGateIsSmall() {
  waiting_program
  echo 'exit 0' >"$FAKE/script"
  start --host-root "$work/root"
  await says 'waiting for one'
  is_small
}

# The kernel is asked to announce a device of this machine once more: a real event, in time long before the next scan.
test_ueventIsHandledLongBeforeTheScan() {
  announcer=$(ls -d /sys/bus/pci/devices/*/uevent 2>/dev/null | head -n 1)
  if [ ! -w "${announcer:-/nowhere}" ]; then
    skip "no PCI device here that may be announced"
    return
  fi
  waiting_program scan=10m
  echo 'for last; do :; done; [ "$last" = --clear ] && exit 0' >"$FAKE/script"
  start --host-root "$work/root"
  await clears_then_waits
  device 0000:3b:00.0 0x10de 0x030200
  ! has_started 2 || fail "started without a hint"
  # Again and again: the line that it waits comes before the first look.
  await announced_and_started
  note="by ${announcer%/uevent}"
}

announced_and_started() {
  echo add >"$announcer"
  has_started 2
}

pages_of() { fincore --noheadings --output PAGES "$1" | tr -d ' '; }
has_no_pages() { [ "$(pages_of "$1")" -eq 0 ]; }

test_aWaitingGateGivesBackWhatTheJvmRead() {
  if ! command -v fincore >/dev/null || [ "$(stat -f -c %T "$PITCREW_HOME")" = tmpfs ]; then
    skip "needs fincore and a temporary folder on a disk"
    return
  fi
  waiting_program
  head -c 4000000 /dev/zero >"$PITCREW_HOME/lib/large.jar"
  sync -f "$PITCREW_HOME"
  echo 'cat "$PITCREW_HOME/lib/large.jar" >/dev/null; exit 0' >"$FAKE/script"
  cat "$PITCREW_HOME/lib/large.jar" >/dev/null
  note="$(pages_of "$PITCREW_HOME/lib/large.jar") pages before"
  start --host-root "$work/root"
  await has_no_pages "$PITCREW_HOME/lib/large.jar"
}
