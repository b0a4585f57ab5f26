#!/bin/sh
# Compares our table with the recorded one, and with tables made from NVIDIA's own headers.
set -eu
build=$1
cc=${CC:-gcc}
$cc -std=c17 -Wall -Wextra -Werror -o "$build/layout" sim/test/layout.c
"$build/layout" >"$build/layout.txt"
diff -u sim/layout.txt "$build/layout.txt"
echo "layout: $(wc -l <"$build/layout.txt") facts as recorded"

compare() { # package name
  folder=$(vendor/fetch "$1") || {
    [ $? = 3 ] || exit 1
    ./skipped "layout/$1" "$folder"
    return
  }
  header=$(dirname "$(find "$folder" -name nvml.h | head -n 1)")
  $cc -std=c17 -DVENDOR_HEADER -I"$header" -o "$build/layout-$1" sim/test/layout.c
  "$build/layout-$1" | sort >"$build/layout-$1.txt"
  sort "$build/layout.txt" | comm -13 - "$build/layout-$1.txt" >"$build/layout-$1.differences"
  if [ -s "$build/layout-$1.differences" ]; then
    echo "layout: $1 has other values than ours:" >&2
    cat "$build/layout-$1.differences" >&2
    exit 1
  fi
  echo "layout: $(wc -l <"$build/layout-$1.txt") facts equal to those of NVIDIA's header ($(ls "$folder" | grep dist-info))"
}
compare nvidia-nvml-dev-cu12
compare nvidia-nvml-dev
