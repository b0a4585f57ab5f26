package dev.pitcrew.testbed.node;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/// A program that real nodes take from the system.
enum SystemProgram {
  UNSHARE("unshare", "util-linux"),
  NSENTER("nsenter", "util-linux"),
  PIVOT_ROOT("pivot_root", "util-linux"),
  IP("ip", "iproute2"),
  IPTABLES("iptables", "iptables"),
  /// For the two programs that images of the test bed consist of.
  GCC("gcc", "gcc libc6-dev");

  private final String command;
  private final String packages;

  SystemProgram(String command, String packages) {
    this.command = command;
    this.packages = packages;
  }

  String command() {
    return command;
  }

  /// The packages of Debian and Ubuntu that have it.
  List<String> packages() {
    return List.of(packages.split(" ", -1));
  }

  static List<SystemProgram> missing() {
    return Stream.of(values()).filter(program -> !program.isInstalled()).toList();
  }

  private boolean isInstalled() {
    var path = System.getenv().getOrDefault("PATH", "") + ":/usr/sbin:/sbin";
    return Arrays.stream(path.split(":", -1))
        .filter(folder -> !folder.isBlank())
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, command)));
  }
}
