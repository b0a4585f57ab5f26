#!/bin/sh
# Starts the MIG manager once the driver of this node is validated. It stops the host's own GPU clients only where
# the driver is the host's too.
set -e

settings=/run/nvidia/validations/driver-ready
while [ ! -f "$settings" ]; do
  echo "waiting for the driver to be validated ($settings)"
  sleep 5
done

set -o allexport
. "$settings"
WITH_SHUTDOWN_HOST_GPU_CLIENTS="${IS_HOST_DRIVER:-}"
set +o allexport

exec nvidia-mig-manager
