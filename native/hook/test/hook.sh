#!/bin/sh
# The hook as a runtime starts it, on a container's root that tries to lead it out. $HOOK is the program, $CONFINED
# starts it as some hosts do; the arguments are for that.
set -u
HOOK=$(cd "$(dirname "$HOOK")" && pwd)/$(basename "$HOOK")
CONFINED=$(cd "$(dirname "$CONFINED")" && pwd)/$(basename "$CONFINED")
CONFINEMENT=$*
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
FAILED=0
ROOT=$WORK/bundle/rootfs

fail() { echo "FAIL: $*" >&2; FAILED=1; }
fresh() {
  rm -rf "$WORK/bundle" "$WORK/outside"
  mkdir -p "$ROOT/usr/lib" "$WORK/outside"
  echo '{"ociVersion":"1.2.0","root":{"path":"rootfs","readonly":true}}' > "$WORK/bundle/config.json"
}
# shellcheck disable=SC2086
hook() { printf '{"ociVersion":"1.2.0","id":"x","bundle":"%s"}' "$WORK/bundle" | "$CONFINED" $CONFINEMENT "$HOOK" "$@" 2> "$WORK/stderr"; }
link_is() { [ "$(readlink "$1")" = "$2" ] || fail "$1 leads to '$(readlink "$1")', not to $2"; }
untouched() { [ -z "$(ls -A "$WORK/outside")" ] || fail "written outside of the container: $(ls -A "$WORK/outside")"; }

fresh
hook create-symlinks --link libcuda.so.1::/usr/lib/libcuda.so --link=../a.so::/usr/lib/gbm/b.so || fail "create-symlinks: $(cat "$WORK/stderr")"
link_is "$ROOT/usr/lib/libcuda.so" libcuda.so.1
link_is "$ROOT/usr/lib/gbm/b.so" ../a.so
hook create-symlinks --link libcuda.so.1::/usr/lib/libcuda.so || fail "a link that is there is no fault"
hook create-symlinks --link other::/usr/lib/libcuda.so || fail "a link is replaced"
link_is "$ROOT/usr/lib/libcuda.so" other
echo stub > "$ROOT/usr/lib/file.so"
hook hook create-symlinks --link real::/usr/lib/file.so || fail "a file is replaced"
link_is "$ROOT/usr/lib/file.so" real
[ -z "$(find "$ROOT" -name '.pitcrew*')" ] || fail "something unfinished was left"
mkdir "$ROOT/usr/lib/folder.so"
hook create-symlinks --link real::/usr/lib/folder.so && fail "a folder is not replaced"
hook create-symlinks --link nothing && fail "a link without its border is an error"

fresh
ln -s "$WORK/outside" "$ROOT/absolute"
ln -s ../../outside "$ROOT/relative"
hook create-symlinks --link a::/absolute/x
hook create-symlinks --link a::/relative/y
hook create-symlinks --link a::/../../outside/z
hook create-symlinks --link a::/..
ln -s "/proc/self/root$WORK/outside" "$ROOT/magic"
hook create-symlinks --link a::/magic/x
ln -s loop "$ROOT/loop"
hook create-symlinks --link a::/loop/x && fail "a link that leads to itself leads to nothing"
untouched

fresh
mkdir -p "$ROOT/dev/dri"
chmod 700 "$ROOT/dev/dri" "$WORK/outside"
ln -s "$WORK/outside" "$ROOT/dev/out"
hook chmod --mode 755 --path /dev/dri --path /dev/out --path /nothing || fail "chmod: $(cat "$WORK/stderr")"
[ "$(stat -c %a "$ROOT/dev/dri")" = 755 ] || fail "chmod did nothing"
[ "$(stat -c %a "$WORK/outside")" = 700 ] || fail "chmod outside of the container"
hook chmod --mode 75x --path /dev/dri && fail "a bad mode is an error"

fresh
mkdir -p "$ROOT/usr/local/cuda/compat"
touch "$ROOT/usr/local/cuda/compat/libcuda.so.1" "$ROOT/usr/local/cuda/compat/libcuda.so.560.35.05"
hook enable-cuda-compat --host-driver-version=560.1.1 || fail "enable-cuda-compat: $(cat "$WORK/stderr")"
[ -e "$ROOT/etc/ld.so.conf.d/00-compat-pitcrew.conf" ] && fail "the same branch needs no compatibility"
hook enable-cuda-compat --host-driver-version=550.163.01 || fail "enable-cuda-compat: $(cat "$WORK/stderr")"
[ "$(cat "$ROOT/etc/ld.so.conf.d/00-compat-pitcrew.conf")" = /usr/local/cuda/compat ] || fail "the newer libcuda is not preferred"

# The note as `readelf -p .note.cuda.fwd_compatibility` shows it in NVIDIA's libraries.
noted() {
  fresh
  mkdir -p "$ROOT/usr/local/cuda/compat"
  printf '.section .note.cuda.fwd_compatibility,"a",@note\n.balign 4\n.long 19, 2f - 1f, 1\n.asciz "NVIDIA Corporation"\n.balign 4\n1: .ascii "%s"\n2:\n.balign 4\n' \
    '{\"Format\":1,\"CUDA Version\":\"12.9\",\"Driver\":[535, 570, 575],\"Device\":[1, 590]}' > "$WORK/note.s"
  gcc -shared -nostdlib -o "$ROOT/usr/local/cuda/compat/libcuda.so.575.57.08" "$WORK/note.s"
  hook enable-cuda-compat --host-driver-version="$1" || fail "enable-cuda-compat: $(cat "$WORK/stderr")"
  [ -e "$ROOT/etc/ld.so.conf.d/00-compat-pitcrew.conf" ]
}
noted 570.211.01 || fail "a branch that the note names is not supported"
noted 575.10.10 || fail "a newer libcuda of the same branch is not preferred"
noted 575.57.08 && fail "the same libcuda is preferred"
noted 575.99.99 && fail "an older libcuda is preferred"
noted 565.57.01 && fail "a branch is supported that the note does not name"
fresh
mkdir -p "$ROOT/usr/local/cuda/compat"
touch "$ROOT/usr/local/cuda/compat/libcuda.so.570.1.1" "$ROOT/usr/local/cuda/compat/libcuda.so.575.1.1"
hook enable-cuda-compat --host-driver-version=535.1.1 || fail "enable-cuda-compat: $(cat "$WORK/stderr")"
[ -e "$ROOT/etc/ld.so.conf.d/00-compat-pitcrew.conf" ] && fail "one of several libcudas is preferred"

for words in "noop" "update-application-profile" "from-the-future --flag x" "" "noop --flag" "create-symlinks --unknown x"; do
  # shellcheck disable=SC2086
  hook $words || fail "'$words' ended with $?"
done
hook from-the-future; grep -q "unknown hook is ignored: from-the-future" "$WORK/stderr" || fail "no warning for an unknown hook"
echo '{"bundle":"/nowhere"}' | "$HOOK" create-symlinks --link a::/b 2> /dev/null && fail "a bundle that is not there is an error"
echo 'no JSON' | "$HOOK" create-symlinks --link a::/b 2> /dev/null && fail "a state that cannot be read is an error"

if [ "$(id -u)" = 0 ]; then
  fresh
  mkdir -p "$ROOT/etc" "$ROOT/opt/driver" "$ROOT/var/cache/ldconfig"
  gcc -shared -o "$ROOT/opt/driver/libx.so.1.2" -Wl,-soname,libx.so.1 -xc /dev/null
  echo /usr/lib > "$ROOT/etc/ld.so.conf"
  chown -R 1000:1000 "$ROOT"
  hook update-ldcache --folder /opt/driver || fail "update-ldcache: $(cat "$WORK/stderr")"
  link_is "$ROOT/opt/driver/libx.so.1" libx.so.1.2
  grep -q /opt/driver/libx.so.1 "$ROOT/etc/ld.so.cache" || fail "the linker does not find the library"
  # A host without ldconfig: none of its places has a program.
  cat > "$WORK/bare" <<'END'
#!/bin/sh
for path in /sbin/ldconfig /usr/sbin/ldconfig /sbin/ldconfig.real /usr/sbin/ldconfig.real; do
  [ ! -e "$path" ] || mount --bind /dev/null "$path" || exit 97
done
exec "$@"
END
  chmod 755 "$WORK/bare"
  bare() { printf '{"bundle":"%s"}' "$WORK/bundle" | unshare -m "$WORK/bare" "$CONFINED" $CONFINEMENT "$HOOK" "$@" 2> "$WORK/stderr"; }
  listed() { ldconfig -p -C "$ROOT/etc/ld.so.cache" | grep -qF "$1" || fail "ldconfig does not list '$1' in: $(ldconfig -p -C "$ROOT/etc/ld.so.cache" | head -20)"; }
  library() { gcc -shared -o "$ROOT$1" -Wl,-soname,"$2" -xc - << END
int answer(void) { return $3; }
END
  }
  image() {
    fresh
    mkdir -p "$ROOT/etc" "$ROOT/opt/driver" "$ROOT/opt/own" "$ROOT/bin"
    library /opt/own/libx.so.1 libx.so.1 1
    library /opt/own/libown10.so.2 libown10.so.2 2
    echo 'int answer(void); int main(void) { return answer(); }' | gcc -o "$ROOT/bin/program" -xc - -xnone "$ROOT/opt/own/libx.so.1"
    ldd "$ROOT/bin/program" | grep -o '/lib[^ ]*' | while read -r file; do mkdir -p "$ROOT$(dirname "$file")"; cp "$file" "$ROOT$file"; done
    echo /opt/own > "$ROOT/etc/ld.so.conf"
    ldconfig -r "$ROOT" -c "$1" -f /etc/ld.so.conf -C /etc/ld.so.cache
    library /opt/driver/libx.so.1.20.3 libx.so.1 42
    library /opt/driver/libx.so.1.9.3 libx.so.1 43
    ln -s libx.so.0 "$ROOT/opt/driver/libx.so.1"
    ln -s libx.so.1 "$ROOT/opt/driver/libx.so"
    echo text > "$ROOT/opt/driver/libtext.so.1"
    mkfifo "$ROOT/opt/driver/libfifo.so.1"
  }
  for format in new compat; do
    image $format
    [ "$(chroot "$ROOT" /bin/program; echo $?)" = 1 ] || fail "the image's own program does not run"
    bare update-ldcache --folder /opt/driver --folder /nothing || fail "update-ldcache without ldconfig: $(cat "$WORK/stderr")"
    [ "$(chroot "$ROOT" /bin/program; echo $?)" = 42 ] || fail "a program does not find the driver's library ($format)"
    link_is "$ROOT/opt/driver/libx.so.1" libx.so.1.20.3
    listed 'libx.so.1 (libc6,x86-64) => /opt/driver/libx.so.1.20.3'
    listed 'libx.so (libc6,x86-64) => /opt/driver/libx.so'
    listed 'libown10.so.2 (libc6,x86-64) => /opt/own/libown10.so.2'
    ldconfig -p -C "$ROOT/etc/ld.so.cache" | grep -E 'text|fifo' && fail "what is no library is listed"
    cp "$ROOT/etc/ld.so.cache" "$WORK/once"
    bare update-ldcache --folder /opt/driver || fail "update-ldcache twice: $(cat "$WORK/stderr")"
    [ "$(chroot "$ROOT" /bin/program; echo $?)" = 42 ] || fail "a program does not find the driver's library the second time"
  done
  # The image's newer libcuda, as enable-cuda-compat chose it, is found before the driver's.
  mkdir -p "$ROOT/usr/local/cuda/compat" "$ROOT/etc/ld.so.conf.d"
  library /usr/local/cuda/compat/libx.so.1.1 libx.so.1 44
  echo /usr/local/cuda/compat > "$ROOT/etc/ld.so.conf.d/00-compat-pitcrew.conf"
  bare update-ldcache --folder /opt/driver || fail "update-ldcache: $(cat "$WORK/stderr")"
  [ "$(chroot "$ROOT" /bin/program; echo $?)" = 44 ] || fail "the preferred library is not found first"
  # Whatever an image brings in the place of a cache or a library, the linker gets a cache that it can read.
  for size in 0 1 11 19 20 47 48 60 100 200; do
    image compat
    for file in etc/ld.so.cache opt/own/libown10.so.2; do
      head -c $size "$ROOT/$file" > "$WORK/short"
      cp "$WORK/short" "$ROOT/$file"
    done
    bare update-ldcache --folder /opt/driver --folder /opt/own || fail "update-ldcache with $size bytes: $(cat "$WORK/stderr")"
    listed 'libx.so.1 (libc6,x86-64) => /opt/driver/libx.so.1.20.3'
  done
  for offset in 12 16 20 24 28 32 48 52 56 60; do
    image new
    printf '\377\377\377\377' | dd of="$ROOT/etc/ld.so.cache" bs=1 seek=$offset conv=notrunc status=none
    bare update-ldcache --folder /opt/driver || fail "update-ldcache with a wrong number at $offset: $(cat "$WORK/stderr")"
    listed 'libx.so.1 (libc6,x86-64) => /opt/driver/libx.so.1.20.3'
  done
  fresh
  mkdir -p "$ROOT/lib"
  touch "$ROOT/lib/ld-musl-x86_64.so.1"
  for time in first second; do
    hook update-ldcache --folder /opt/driver --folder /usr/lib || fail "update-ldcache: $(cat "$WORK/stderr")"
    [ "$(cat "$ROOT/etc/ld-musl-x86_64.path")" = "$(printf '/lib\n/usr/local/lib\n/usr/lib\n/opt/driver')" ] || fail "musl does not search the folder ($time time)"
  done
  printf '/own:/opt/driver64' > "$ROOT/etc/ld-musl-x86_64.path"
  hook update-ldcache --folder /opt/driver || fail "update-ldcache: $(cat "$WORK/stderr")"
  [ "$(cat "$ROOT/etc/ld-musl-x86_64.path")" = "$(printf '/own:/opt/driver64\n/opt/driver')" ] || fail "the image's own list of folders is lost"
  [ -e "$ROOT/etc/ld-musl-aarch64.path" ] && fail "a list for a linker that is not there"
  fresh
  mkdir -p "$ROOT/proc"
  mount -t proc proc "$ROOT/proc"
  exec 9< /
  hook update-ldcache --folder /opt/driver --ldconfig-path "@$(dirname "$CONFINED")/ldconfig" || fail "update-ldcache: $(cat "$WORK/stderr")"
  exec 9<&-
  umount "$ROOT/proc"
  # CAP_DAC_OVERRIDE is bit 1.
  printf 'CapPrm:\t0000000000000002\nCapEff:\t0000000000000002\nNoNewPrivs:\t1\nexe /memfd:ldconfig (deleted)\n' | diff - "$ROOT/seen" || fail "ldconfig runs with other rights"
  # Debian's and Ubuntu's ldconfig is a script beside the program, also in the root of a driver container.
  fresh
  mkdir -p "$ROOT/proc" "$WORK/driver/sbin"
  echo '#!/bin/sh' > "$WORK/driver/sbin/ldconfig"
  cp "$(dirname "$CONFINED")/ldconfig" "$WORK/driver/sbin/ldconfig.real"
  mount -t proc proc "$ROOT/proc"
  hook update-ldcache --folder /opt/driver --ldconfig-path "@$WORK/driver/sbin/ldconfig" || fail "update-ldcache: $(cat "$WORK/stderr")"
  umount "$ROOT/proc"
  [ -e "$ROOT/seen" ] || fail "the program beside the script is not taken"
  fresh
  ln -s "$WORK/outside" "$ROOT/etc"
  hook update-ldcache --folder /opt/driver
  untouched
  fresh
  mkdir -p "$ROOT/etc" "$ROOT/proc/driver/nvidia"
  printf 'EnableMSI: 1\nModifyDeviceFiles: 1\nDeviceFileMode: 438\n' > "$ROOT/proc/driver/nvidia/params"
  # createContainer hooks run in the container's mount and user namespaces, before the root is changed (runc, rootfs_linux.go).
  export HOOK WORK ROOT
  chmod 755 "$WORK"
  chown -R 100000:100000 "$WORK/bundle"
  for place in "unshare -m" "$CONFINED $CONFINEMENT userns"; do
    # shellcheck disable=SC2086
    seen=$(printf '{"bundle":"%s"}' "$WORK/bundle" | $place /bin/sh -c '"$HOOK" disable-device-node-modification && cat "$ROOT/proc/driver/nvidia/params" && ls "$ROOT/proc/driver/nvidia" && grep -c "$ROOT" /proc/self/mountinfo' 2> "$WORK/stderr")
    [ "$seen" = "$(printf 'EnableMSI: 1\nModifyDeviceFiles: 0\nDeviceFileMode: 438\nparams\n1')" ] || fail "$place: params are '$seen': $(cat "$WORK/stderr")"
  done
  grep -q "ModifyDeviceFiles: 1" "$ROOT/proc/driver/nvidia/params" || fail "the driver's own file was written"
  rm "$ROOT/proc/driver/nvidia/params"
  hook disable-device-node-modification || fail "without a driver there is nothing to do"
else
  echo "update-ldcache and disable-device-node-modification: not tested, root only"
fi
[ $FAILED = 0 ] && echo "hook: ok ($HOOK) $CONFINEMENT"
exit $FAILED
