#!/bin/sh
# start.sh FOLDER NAME CGROUP: makes the node's folder in every cgroup hierarchy of this machine and
# starts the node in namespaces of its own, which end when this process is killed.
set -eu
folder=$1
name=$2
cgroup=$3

unified() {
  mkdir -p "/sys/fs/cgroup/$cgroup"
  for parent in /sys/fs/cgroup "/sys/fs/cgroup/$cgroup"; do
    for controller in $(cat "$parent/cgroup.controllers"); do
      echo "+$controller" > "$parent/cgroup.subtree_control"
    done
  done
  mkdir -p "/sys/fs/cgroup/$cgroup/node"
}

one_for_each_controller() {
  for hierarchy in $(awk '$3 == "cgroup" { print $2 }' /proc/mounts | sort -u); do
    mkdir -p "$hierarchy/$cgroup"
    # A new cpuset is empty, and an empty one takes no process.
    for file in cpuset.cpus cpuset.mems; do
      [ ! -e "$hierarchy/$file" ] || cat "$hierarchy/$file" > "$hierarchy/$cgroup/$file"
    done
  done
  mkdir -p "/sys/fs/cgroup/pids/$cgroup/node"
}

if [ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ]; then
  unified
else
  one_for_each_controller
fi
# The guard ignores the signals of a terminal, and what it starts inherits that down to containers.
exec env --default-signal unshare --mount --uts --ipc --net --pid --fork --kill-child \
  --propagation private /bin/sh "$folder/etc/enter.sh" "$folder" "$name" "$cgroup"
