#!/bin/sh
# enter.sh FOLDER NAME CGROUP
#
# Runs in fresh namespaces, makes the node's root folder out of this machine's own one, and becomes
# the node's pid 1. FOLDER is the node's folder on this machine; inside the node it is /node.
set -eu
folder=$1
name=$2
cgroup=$3
root=$folder/root

echo "$name" > /proc/sys/kernel/hostname

# The clean-up script knows by this cgroup that every process of the node has ended.
if [ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ]; then
  echo $$ > "/sys/fs/cgroup/$cgroup/node/cgroup.procs"
else
  echo $$ > "/sys/fs/cgroup/pids/$cgroup/node/cgroup.procs"
fi

# What the node writes outside of its disks is kept in memory.
mount -t tmpfs -o mode=755 node "$folder/overlay"
mkdir "$folder/overlay/upper" "$folder/overlay/work"
mount -t overlay node "$root" \
  -o "lowerdir=/,upperdir=$folder/overlay/upper,workdir=$folder/overlay/work"

mount -t proc proc "$root/proc"
# These are the machine's own. The kubelet sets them if they are not as it wants them, so it is
# shown what it wants.
mkdir "$folder/overlay/sys"
while read -r setting value; do
  echo "$value" > "$folder/overlay/sys/$setting"
  mount --bind "$folder/overlay/sys/$setting" "$root/proc/sys/$(echo "$setting" | tr . /)"
done << SETTINGS
vm.overcommit_memory 1
vm.panic_on_oom 0
kernel.panic 10
kernel.panic_on_oops 1
kernel.keys.root_maxkeys 1000000
kernel.keys.root_maxbytes 25000000
SETTINGS
# A fresh sysfs shows the network of the node.
mount -t sysfs sysfs "$root/sys"
mount --rbind /sys/fs/cgroup "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 run "$root/run"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
# A pod in a user namespace gets a procfs and a sysfs of its own only where the node sees one whole, and
# simulated hardware is mounted over parts of those at /proc and /sys (mount_too_revealing in the kernel's
# fs/namespace.c).
mkdir "$root/run/whole-proc" "$root/run/whole-sys"
mount -t proc proc "$root/run/whole-proc"
mount -t sysfs sysfs "$root/run/whole-sys"

mount -t tmpfs -o mode=755 dev "$root/dev"
while read -r device major minor; do
  mknod -m 666 "$root/dev/$device" c "$major" "$minor"
done << DEVICES
null 1 3
zero 1 5
full 1 7
random 1 8
urandom 1 9
kmsg 1 11
tty 5 0
DEVICES
ln -s /proc/self/fd "$root/dev/fd"
ln -s pts/ptmx "$root/dev/ptmx"
mkdir "$root/dev/pts" "$root/dev/shm" "$root/dev/mqueue"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
mount -t mqueue mqueue "$root/dev/mqueue"

# SOURCE TARGET, with directories and files made where the target is missing.
over() {
  if [ -d "$1" ]; then
    mkdir -p "$root$2"
  elif [ ! -e "$root$2" ]; then
    mkdir -p "$(dirname "$root$2")"
    : > "$root$2"
  fi
  mount --bind "$1" "$root$2"
}

over "$folder" /node
over "$folder/disk/kubelet" /var/lib/kubelet
over "$folder/disk/containerd" /var/lib/containerd
over "$folder/disk/pods" /var/log/pods
over "$folder/disk/cdi" /etc/cdi
over "$folder/disk/containerd-config" /etc/containerd
over "$folder/etc/cni" /etc/cni/net.d
mkdir "$root/run/cdi"

tab=$(printf '\t')
while IFS="$tab" read -r source target; do
  over "$source" "$target"
done < "$folder/etc/mounts"
while IFS="$tab" read -r path major minor; do
  mkdir -p "$(dirname "$root$path")"
  mknod -m 666 "$root$path" c "$major" "$minor"
done < "$folder/etc/devices"

cd "$root"
mkdir -p .machine
pivot_root . .machine
umount -l .machine
rmdir .machine
# Pods with Bidirectional mounts need it; nothing leaves this mount namespace, which is private.
mount --make-rshared /
exec chroot . /bin/sh /node/etc/init.sh
