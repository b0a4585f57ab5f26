package dev.pitcrew.cli.command;

import java.io.PrintStream;
import java.time.InstantSource;
import java.util.Map;
import picocli.CommandLine;

/// Entry point of the plugin.
public final class Main {
  private Main() {}

  /// All commands and their flags, for what reads command lines without carrying them out.
  public static CommandLine commandLine() {
    return GpuCommand.create(new Session(Map.of(), System.out, System.err, InstantSource.system()));
  }

  public static void main(String[] args) {
    PrintStream out = System.out;
    int code =
        GpuCommand.execute(
            new Session(System.getenv(), out, System.err, InstantSource.system()), args);
    // A reader that has gone, such as head, has what it wanted.
    out.flush();
    Runtime.getRuntime().halt(code);
  }
}
