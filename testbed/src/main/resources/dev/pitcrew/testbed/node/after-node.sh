# CGROUP=… and INTERFACE=…, written in front of this text, which is called with the work directory:
# waits until the last process of a node has gone and removes its cgroups and its interface. The
# kernel removes the mounts with their namespace.
left() {
  for hierarchy in $(awk '$3 == "cgroup" || $3 == "cgroup2" { print $2 }' /proc/mounts | sort -u); do
    if [ -d "$hierarchy/$CGROUP" ]; then
      find "$hierarchy/$CGROUP" -depth -type d -exec rmdir {} \; 2> /dev/null
      [ ! -d "$hierarchy/$CGROUP" ] || return 0
    fi
  done
  return 1
}

# Connections that were not closed keep the network of a dead node for minutes.
if [ "$(cat "/sys/class/net/$INTERFACE/ifalias" 2> /dev/null)" = "$1" ]; then
  ip link delete "$INTERFACE"
fi

attempts=160
while left && [ "$attempts" -gt 0 ]; do
  attempts=$((attempts - 1))
  sleep 0.05
done
