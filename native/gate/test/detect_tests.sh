# The GPU detector of nodes that are not known to have a GPU. Sourced by run.

# In the background, with a scan that no test waits for unless it says so.
detect() {
  HOST_ROOT="$work/root" "$GATE" detect-gpu "$work/report" "${1:-10m}" 2>"$work/log" &
  gate=$!
  processes="$processes $gate"
}

test_detectorEndsWithTheAddressOfAGpuThatIsThere() {
  rm "$PITCREW_HOME/etc/programs"
  device 0000:05:00.0 0x10de 0x068000
  device 0000:3b:00.0 0x10de 0x030200
  detect
  ends_with 0
  is "$(cat "$work/report")" "NVIDIA GPU at 0000:3b:00.0"
}

test_detectorWaitsAndFindsAGpuThatComes() {
  rm -f "$work/report"
  device 0000:00:1f.0 0x8086 0x030000
  device 0000:05:00.0 0x10de 0x068000
  detect 20ms
  await says 'waiting for one'
  [ ! -e "$work/report" ] || fail "reports a GPU where there is none"
  device 0000:3b:00.0 0x10de 0x120000
  ends_with 0
  is "$(cat "$work/report")" "NVIDIA GPU at 0000:3b:00.0"
}

test_detectorThatIsAskedToEndReportsNoGpu() {
  rm -f "$work/report"
  detect
  await says 'waiting for one'
  kill -s TERM "$gate"
  ends_with 143
  [ ! -e "$work/report" ] || fail "reports a GPU where there is none"
}

test_detectorThatCannotReadTheBusReportsNoGpu() {
  rm -rf "$work/report" "$work/root/sys"
  detect
  ends_with 71
  says 'cannot be read' || fail "does not say why"
  [ ! -e "$work/report" ] || fail "reports a GPU that it has not seen"
}

test_detectorOfAMachineWithoutPciWaits() {
  rm -r "$work/root/sys/bus/pci"
  detect
  await says 'waiting for one'
}

test_detectorIsSmall() {
  detect
  await says 'waiting for one'
  is_small
}

test_detectorRefusesAWrongScan() {
  code_of "$GATE" detect-gpu "$work/report" often
  is "$code" 64
}
