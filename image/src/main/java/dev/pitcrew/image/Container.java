package dev.pitcrew.image;

import dev.pitcrew.testbed.binaries.CommandRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// A process that sees the root file system of the image as its own, and this machine's network:
/// enough to train and to try the programs, without a container runtime.
///
/// @param rootfs an absolute path
/// @param mounts path below the container's `/run` to a folder of this machine
/// @param environment all its variables but those that the image sets
record Container(
    Path rootfs,
    String user,
    SortedMap<String, Path> mounts,
    SortedMap<String, String> environment) {
  // Everything happens in a mount namespace of its own, so nothing is left to undo. Users other
  // than root cannot write to the root file system. $1 is the root, $2 the user; then come pairs of
  // mounts up to "--".
  private static final String SCRIPT =
      """
      set -e
      root=$1
      user=$2
      shift 2
      mount --bind "$root" "$root"
      for kernel in proc dev; do mount --rbind "/$kernel" "$root/$kernel"; done
      for scratch in tmp run; do mount -t tmpfs -o mode=1777 tmpfs "$root/$scratch"; done
      while [ "$1" != -- ]; do
        mkdir -p "$root$1"
        mount --rbind "$2" "$root$1"
        shift 2
      done
      shift
      [ "$user" = 0:0 ] || mount -o remount,bind,ro "$root"
      exec chroot --userspec="$user" "$root" "$@"
      """;

  /// A container of root, whose root file system can be written to.
  static Container of(Path rootfs) {
    return new Container(rootfs, "0:0", new TreeMap<>(), new TreeMap<>());
  }

  /// As restricted Pod Security has it: no root, and a root file system that is read-only.
  Container restricted() {
    return new Container(rootfs, "65532:65532", mounts, environment);
  }

  Container withMount(String target, Path folder) {
    var more = new TreeMap<>(mounts);
    more.put(target, folder);
    return new Container(rootfs, user, more, environment);
  }

  Container withVariable(String name, String value) {
    var more = new TreeMap<>(environment);
    more.put(name, value);
    return new Container(rootfs, user, mounts, more);
  }

  /// Whether this user may make one here.
  boolean isPossible() {
    return run("--help").succeeded();
  }

  /// Runs `pitcrew` with `arguments` to its end.
  CommandRun run(String... arguments) {
    return CommandRun.of(command(List.of(arguments)), rootfs);
  }

  /// The words that start `pitcrew` with `arguments`; the process that they start becomes it.
  List<String> command(List<String> arguments) {
    var words = new ArrayList<>(List.of("unshare", "--mount"));
    if (!"root".equals(System.getProperty("user.name"))) {
      words.add("--map-root-user");
    }
    words.addAll(List.of("sh", "-c", SCRIPT, "sh", rootfs.toString(), user));
    mounts.forEach((target, folder) -> words.addAll(List.of(target, folder.toString())));
    words.add("--");
    words.add(Rootfs.LAUNCHER);
    words.addAll(arguments);
    var all = new ArrayList<>(List.of("env", "-i"));
    var variables = new TreeMap<>(environment);
    // What the script itself needs of the machine; the launcher gives the JVM no path.
    variables.put("PATH", "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin");
    variables.put("LANG", "C.UTF-8");
    variables.forEach((name, value) -> all.add(name + "=" + value));
    all.addAll(words);
    return all;
  }
}
