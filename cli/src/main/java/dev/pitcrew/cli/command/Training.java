package dev.pitcrew.cli.command;

import java.time.InstantSource;
import java.util.List;

/// Runs the commands once, for the JVM to record what they need in an AOT cache.
final class Training {
  private static final List<String> LINES =
      List.of(
          "status",
          "nodes -o wide",
          "explain node gpu-1",
          "explain pod train -n ml",
          "explain policy",
          "who",
          "health list",
          "status -o json",
          "statsu",
          "--help");

  private Training() {}

  public static void main(String[] args) {
    var session = new Session(System.getenv(), System.out, System.err, InstantSource.system());
    LINES.forEach(line -> GpuCommand.execute(session, line.split(" ", -1)));
  }
}
