# BRIDGE=…, written in front of this text, which is called with the work directory: removes the
# bridge, if it is ours.
if [ "$(cat "/sys/class/net/$BRIDGE/ifalias" 2> /dev/null)" = "$1" ]; then
  ip link delete "$BRIDGE"
fi
