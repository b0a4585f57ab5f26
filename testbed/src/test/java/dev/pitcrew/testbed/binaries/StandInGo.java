package dev.pitcrew.testbed.binaries;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/// A `go` that writes down how it is called. It builds empty programs at once, or what `onBuild`
/// says in shell.
record StandInGo(Path folder) {
  private static final String SCRIPT =
      """
      #!/bin/sh
      echo "$*" >> '%s'
      case $1 in
        version) echo go version go1.26.0 linux/amd64 ;;
        list) printf '%%s\\n' 'go: downloading an.example/module v1.0.0' first/package second/package ;;
        build)
          shift
          while [ $# -gt 0 ]; do
            case $1 in
              -o) target=$2; shift 2 ;;
              -ldflags) shift 2 ;;
              -*) shift ;;
              *) packages="$packages $1"; shift ;;
            esac
          done
          echo first/package
          %s
          for package in $packages; do
            case $target in
              */) : > "$target${package##*/}" ;;
              *) : > "$target" ;;
            esac
          done ;;
      esac
      """;

  static StandInGo in(Path folder, String onBuild) throws IOException {
    var go = new StandInGo(Files.createDirectories(folder));
    Files.writeString(go.program(), SCRIPT.formatted(go.log(), onBuild));
    Files.setPosixFilePermissions(go.program(), PosixFilePermissions.fromString("rwxr-xr-x"));
    return go;
  }

  Path program() {
    return folder.resolve("go");
  }

  List<String> builds() throws IOException {
    return Files.exists(log())
        ? Files.readAllLines(log()).stream().filter(line -> line.startsWith("build ")).toList()
        : List.of();
  }

  private Path log() {
    return folder.resolve("calls");
  }
}
