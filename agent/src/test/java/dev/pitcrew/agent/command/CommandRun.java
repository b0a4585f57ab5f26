package dev.pitcrew.agent.command;

import dev.pitcrew.testbed.gpu.SimulatedNode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// One command line, carried out in this process.
public record CommandRun(int exitCode, String output, String errors) {
  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.ofEpochSecond(1_700_000_000));

  /// On a simulated node, through the real reading of NVML.
  public static CommandRun of(SimulatedNode node, String... arguments) {
    List<String> all = new ArrayList<>(Arrays.asList(arguments));
    all.add("--host-root=" + node.hostRoot());
    all.add("--driver-root=" + node.options().driverRoot());
    return of(new NvmlReader(), Map.of(), all.toArray(String[]::new));
  }

  public static CommandRun of(
      NodeReader reader, Map<String, String> environment, String... arguments) {
    var output = new StringWriter();
    var errors = new StringWriter();
    var surroundings = new Surroundings(reader, environment, CLOCK, new StopSignal());
    int exitCode =
        PitcrewCommand.create(surroundings)
            .setOut(new PrintWriter(output, true))
            .setErr(new PrintWriter(errors, true))
            .execute(ReferenceFlags.withTwoDashes(arguments));
    return new CommandRun(exitCode, output.toString(), errors.toString());
  }
}
