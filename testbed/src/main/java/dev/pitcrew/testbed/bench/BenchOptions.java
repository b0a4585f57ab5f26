package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.operator.OperatorOptions;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// What both benches take.
final class BenchOptions {
  @Mixin private OperatorOptions operator = new OperatorOptions();

  @Option(
      names = "--policy",
      paramLabel = "FILE",
      defaultValue = "parity/scenarios/default-one-gpu-node/cr.yaml",
      description = "The ClusterPolicy. Default: ${DEFAULT-VALUE}")
  private Path policy = Path.of("");

  /// @param trials how often each change is made
  Setting setting(int trials) {
    return new Setting(new BenchedOperator(operator.program()), policy.toAbsolutePath(), trials);
  }
}
