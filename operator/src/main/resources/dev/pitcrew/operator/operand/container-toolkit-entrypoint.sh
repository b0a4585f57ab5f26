#!/bin/sh
# Starts the container toolkit once the driver of this node is validated, with the settings that the validation found.
set -e

settings=/run/nvidia/validations/driver-ready
while [ ! -f "$settings" ]; do
  echo "waiting for the driver to be validated ($settings)"
  sleep 5
done

set -o allexport
. "$settings"
set +o allexport

# containerd 1.6.9 and newer may still be restarting from an earlier configuration change.
sleep 5

exec nvidia-toolkit "$@"
