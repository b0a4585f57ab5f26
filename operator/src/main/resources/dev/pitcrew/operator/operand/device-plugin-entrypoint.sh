#!/bin/sh
# Starts the device plugin once the driver of this node is validated, and switches on the features whose kernel
# modules are loaded unless the user has set them.
set -e

settings=/run/nvidia/validations/driver-ready
while [ ! -f "$settings" ]; do
  echo "waiting for the driver to be validated ($settings)"
  sleep 5
done

set -o allexport
. "$settings"

loaded() {
  grep -q "^$1 " /proc/modules
}

flags=feature-flags.env
: > "$flags"
if loaded gdrdrv && [ -z "${GDRCOPY_ENABLED:-}" ]; then
  echo "GDRCOPY_ENABLED=true" >> "$flags"
fi
if loaded nvidia_fs; then
  if [ -z "${GDS_ENABLED:-}" ]; then
    echo "GDS_ENABLED=true" >> "$flags"
  fi
  if [ -z "${MOFED_ENABLED:-}" ]; then
    echo "MOFED_ENABLED=true" >> "$flags"
  fi
fi
. "./$flags"
set +o allexport

exec nvidia-device-plugin
