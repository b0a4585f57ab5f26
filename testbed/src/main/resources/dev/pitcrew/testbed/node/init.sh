#!/bin/sh
# init.sh: pid 1 of a node. Starts containerd and the kubelet, starts them again when they end, and
# reaps what has lost its parent. /node/etc/node says what this node is.
set -u
. /node/etc/node
export PATH=/node/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# NAME PROGRAM ARGUMENT...
keep_running() {
  name=$1
  shift
  while :; do
    # A shell leaves SIGINT ignored in what it starts in the background, and containers inherit it.
    env --default-signal "$@" >> "/node/log/$name.log" 2>&1 &
    echo $! > "/run/$name.pid"
    wait $!
    sleep 0.2
  done
}

until ip -4 -oneline address show dev eth0 2> /dev/null | grep -q inet; do
  sleep 0.02
done

# What kube-proxy would do for the one service that every pod needs.
for chain in PREROUTING OUTPUT; do
  iptables -w -t nat -A "$chain" -d "$SERVICE_ADDRESS/32" -p tcp --dport 443 \
    -j DNAT --to-destination "$API_SERVER"
done

# Each container has a sysfs of its own, with the PCI bus of the machine, which is simulated here. Its
# limits are those of containerd, as without a base (containerd, WithoutDefaultSecuritySettings).
ctr oci spec | awk '
  /"rlimits": \[/ { is_limit = 1 }
  !is_limit { print }
  is_limit && /^ *\],$/ { is_limit = 0 }
  /"destination": "\/sys",/ { is_sysfs = 1 }
  is_sysfs && /^ *},$/ {
    bus = "/sys/bus/pci/devices"
    printf "{\"destination\": \"%s\", \"type\": \"bind\", \"source\": \"%s\", ", bus, bus
    print "\"options\": [\"rbind\", \"ro\"]},"
    is_sysfs = 0
  }' > /run/base-spec.json

keep_running containerd containerd &
until ctr version > /dev/null 2>&1; do
  sleep 0.1
done
for image in /node/images/*.tar; do
  [ ! -e "$image" ] || { ctr -n k8s.io images import "$image" && rm "$image"; }
done
keep_running kubelet kubelet --config /node/etc/kubelet.yaml --kubeconfig /node/etc/kubeconfig \
  --hostname-override "$NAME" --node-ip "$ADDRESS" &

while :; do
  wait
done
