# BRIDGE=… and OWNER=…, written in front of this text: removes the bridge, if it is ours.
if [ "$(cat "/sys/class/net/$BRIDGE/ifalias" 2> /dev/null)" = "$OWNER" ]; then
  ip link delete "$BRIDGE"
fi
