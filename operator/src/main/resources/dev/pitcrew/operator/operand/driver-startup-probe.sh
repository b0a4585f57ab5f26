#!/bin/sh
# Startup probe of the driver container: succeeds once the kernel module is loaded, the container's daemons
# are up and nvidia-smi answers, and then tells the other operands which features the driver was built with.
set -eu

validations=/run/nvidia/validations
ready="$validations/.driver-ctr-ready"
daemons="$validations/.driver-daemons-status"

mkdir -p "$validations"

if [ ! -e /sys/module/nvidia/refcnt ]; then
  echo "the nvidia kernel module is not loaded yet"
  exit 1
fi

if [ -e "$daemons" ] && [ "$(cat "$daemons")" != "Ready" ]; then
  echo "the driver's daemons are not ready: $(cat "$daemons")"
  exit 1
fi

if ! nvidia-smi; then
  echo "nvidia-smi failed"
  exit 1
fi

# Readers must never see half a file, so it is renamed into place.
{
  echo "GDRCOPY_ENABLED: ${GDRCOPY_ENABLED:-false}"
  echo "GDS_ENABLED: ${GDS_ENABLED:-false}"
  echo "GPU_DIRECT_RDMA_ENABLED: ${GPU_DIRECT_RDMA_ENABLED:-false}"
} > "$ready.tmp"
mv "$ready.tmp" "$ready"
