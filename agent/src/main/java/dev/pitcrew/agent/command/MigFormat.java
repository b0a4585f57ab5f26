package dev.pitcrew.agent.command;

import dev.pitcrew.agent.mig.config.MigConfig;
import dev.pitcrew.agent.mig.config.MigConfigText;
import dev.pitcrew.agent.mig.config.MigConfigText.SingleFilter;
import java.util.Optional;
import picocli.CommandLine.Option;

/// In which form a configuration is written.
final class MigFormat {
  @Option(
      names = {"-o", "--output-format"},
      paramLabel = "yaml|json",
      defaultValue = "${env:MIG_PARTED_OUTPUT_FORMAT:-yaml}",
      description = "The form (MIG_PARTED_OUTPUT_FORMAT; default: yaml).")
  String format = "yaml";

  /// Why it cannot be written so; empty if it can.
  Optional<String> problem() {
    return format.equals("yaml") || format.equals("json")
        ? Optional.empty()
        : Optional.of("unrecognized 'output-format': %s; give yaml or json".formatted(format));
  }

  String text(MigConfig config, SingleFilter single) {
    return format.equals("json")
        ? MigConfigText.json(config, single)
        : MigConfigText.yaml(config, single);
  }
}
