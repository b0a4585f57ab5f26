#!/bin/sh
# attach.sh BRIDGE INTERFACE PID ADDRESS POD-RANGE: gives the node whose pid 1 is PID its place in the
# network, and this machine a way to its pods.
set -eu
bridge=$1
interface=$2
pid=$3
address=$4
pod_range=$5

in_node() {
  nsenter --target "$pid" --net "$@"
}

ip link add "$interface" type veth peer name eth0 netns "$pid"
ip link set "$interface" master "$bridge" up
in_node sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'
in_node ip link set lo up
in_node ip link set eth0 up
in_node ip address add "$address/24" dev eth0
in_node ip route replace default via "${address%.*}.1"
ip route replace "$pod_range" via "$address"
