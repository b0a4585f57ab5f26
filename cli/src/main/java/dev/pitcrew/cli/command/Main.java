package dev.pitcrew.cli.command;

import java.io.PrintStream;
import java.time.InstantSource;

/// Entry point of the plugin.
public final class Main {
  private Main() {}

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
