#!/bin/sh
# trial.sh: does in namespaces of its own what a node needs of the kernel, and fails with a word on
# the first thing that is refused. Nothing of it is left.
set -u

need() {
  what=$1
  shift
  "$@" > /tmp/trial.log 2>&1 || { echo "$what ($(tail -n 1 /tmp/trial.log))"; exit 1; }
}

mount -t tmpfs trial /tmp || { echo "no right to mount"; exit 1; }
mkdir /tmp/upper /tmp/work /tmp/root
need "no overlay file system" \
  mount -t overlay trial -o lowerdir=/,upperdir=/tmp/upper,workdir=/tmp/work /tmp/root
need "no right to make device nodes" mknod /tmp/null c 1 3
need "device nodes are refused" sh -c 'echo > /tmp/null'
need "no network bridges" ip link add trial0 type bridge
need "no veth pairs" ip link add trial1 type veth peer name trial2
need "no address translation in the kernel" iptables -w -t nat -A OUTPUT -d 10.96.0.1/32 -p tcp \
  --dport 443 -j DNAT --to-destination 10.89.0.1:6443
case $(stat -fc %T /sys/fs/cgroup) in
  cgroup2fs) need "no right to make cgroups" test -w /sys/fs/cgroup/cgroup.subtree_control ;;
  *) need "no right to make cgroups" test -w /sys/fs/cgroup/pids/cgroup.procs ;;
esac
