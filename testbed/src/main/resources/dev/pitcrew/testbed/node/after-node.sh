# CGROUP=…, written in front of this text: waits until the last process of a node has gone and
# removes its cgroups. The kernel removes the rest, mounts and network, with the namespaces.
left() {
  for hierarchy in $(awk '$3 == "cgroup" || $3 == "cgroup2" { print $2 }' /proc/mounts | sort -u); do
    if [ -d "$hierarchy/$CGROUP" ]; then
      find "$hierarchy/$CGROUP" -depth -type d -exec rmdir {} \; 2> /dev/null
      [ ! -d "$hierarchy/$CGROUP" ] || return 0
    fi
  done
  return 1
}

attempts=160
while left && [ "$attempts" -gt 0 ]; do
  attempts=$((attempts - 1))
  sleep 0.05
done
