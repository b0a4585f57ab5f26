#!/bin/sh
# network.sh BRIDGE OWNER ADDRESS PREFIX...: makes the bridge that nodes are attached to, if neither
# the bridge nor a network within one of the address ranges is there yet, and stays.
set -eu
bridge=$1
owner=$2
address=$3
shift 3

for prefix in "$@"; do
  if [ -n "$(ip -4 route show root "$prefix")" ]; then
    echo "network: $prefix is in use"
    exit 1
  fi
done
# Of two test beds that start at once one finds the bridge in use.
ip link add "$bridge" type bridge || { echo "network: $bridge is in use"; exit 1; }
ip link set "$bridge" alias "$owner"
ip address add "$address/24" dev "$bridge"
ip link set "$bridge" up
echo "network: $bridge is up"
exec sleep infinity
