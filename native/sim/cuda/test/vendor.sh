#!/bin/sh
# Compares our constants and functions with the recorded ones and with NVIDIA's own header, and has NVIDIA's compiler take
# the kernel for old and new boards.
set -eu
build=$1
cc=${CC:-gcc}
kernel=../hardware/src/main/resources/dev/pitcrew/hardware/cuda/vector_sum.ptx
$cc -std=c17 -Wall -Wextra -Werror -o "$build/cuda-constants" sim/cuda/test/constants.c
"$build/cuda-constants" >"$build/cuda-constants.txt"
diff -u sim/cuda/constants.txt "$build/cuda-constants.txt"
echo "cuda: $(wc -l <sim/cuda/constants.txt) constants as recorded"

# Sets $folder; false if the package is skipped.
fetch() { # package name
  folder=$(vendor/fetch "$1") && return
  [ $? = 3 ] || exit 1
  ./skipped "cuda/$1" "$folder" || exit 1
  return 1
}

if fetch nvidia-cuda-runtime-cu12; then
  header=$(dirname "$(find "$folder" -name cuda.h | head -n 1)")
  $cc -std=c17 -DVENDOR_HEADER -I"$header" -o "$build/cuda-constants-vendor" sim/cuda/test/constants.c
  "$build/cuda-constants-vendor" | diff -u sim/cuda/constants.txt -
  echo "cuda: constants and functions equal to those of NVIDIA's header ($(ls "$folder" | grep dist-info))"
fi
if fetch nvidia-cuda-nvcc-cu12; then
  # The package's file is not executable, and is shared with other checkouts: a copy of ours is made so.
  cp "$(find "$folder" -name ptxas | head -n 1)" "$build/ptxas"
  chmod +x "$build/ptxas"
  for board in sm_52 sm_70 sm_75 sm_80 sm_90 sm_100 sm_120; do
    "$build/ptxas" -arch=$board -o "$build/vector_sum.cubin" "$kernel"
  done
  echo "cuda: NVIDIA's compiler takes the kernel for Maxwell to Blackwell ($(ls "$folder" | grep dist-info))"
fi
