package dev.pitcrew.testbed.bench;

import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/// What both benches take.
final class BenchOptions {
  @Option(
      names = "--operator",
      paramLabel = "FOLDER",
      defaultValue = "operator/target",
      description = "The built operator: its jar, and lib/. Default: ${DEFAULT-VALUE}")
  private Path operator = Path.of("");

  @Option(
      names = "--policy",
      paramLabel = "FILE",
      defaultValue = "parity/scenarios/default-one-gpu-node/cr.yaml",
      description = "The ClusterPolicy. Default: ${DEFAULT-VALUE}")
  private Path policy = Path.of("");

  @Option(
      names = "--jvm-flags",
      paramLabel = "FLAGS",
      split = " ",
      defaultValue =
          "-XX:+UseSerialGC -Xms16m -Xmx128m -XX:+UseCompactObjectHeaders -XX:TieredStopAtLevel=1",
      description = "Flags of the operator's JVM. Default: ${DEFAULT-VALUE}")
  private List<String> jvmFlags = List.of();

  /// @param trials how often each change is made
  Setting setting(int trials) {
    var program = new OperatorProgram(operator, jvmFlags);
    program.requireBuilt();
    return new Setting(program, policy.toAbsolutePath(), trials);
  }
}
