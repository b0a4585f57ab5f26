#!/bin/sh
# attach.sh BRIDGE OWNER INTERFACE PID ADDRESS POD-RANGE: gives the node whose pid 1 is PID its place in the
# network, and this machine a way to its pods.
set -eu
bridge=$1
owner=$2
interface=$3
pid=$4
address=$5
pod_range=$6

in_node() {
  nsenter --target "$pid" --net "$@"
}

ip link add "$interface" type veth peer name eth0 netns "$pid"
ip link set "$interface" alias "$owner"
ip link set "$interface" master "$bridge" up
in_node sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'
in_node ip link set lo up
in_node ip link set eth0 up
in_node ip address add "$address/24" dev eth0
in_node ip route replace default via "${address%.*}.1"
ip route replace "$pod_range" via "$address"
