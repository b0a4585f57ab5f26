package dev.pitcrew.agent.command;

import dev.pitcrew.agent.command.NodeReader.Reading;
import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.config.Program;
import dev.pitcrew.device.inventory.Inventory;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "inventory",
    abbreviateSynopsis = true,
    description = "Reports once which GPUs this node has.")
final class InventoryCommand implements Callable<Integer> {
  /// Of the flags for labels, those that have a meaning here.
  static final Set<String> FLAGS =
      Set.of("driver-root", "driver-root-ctr-path", "output-file", "oneshot", "config-file");

  private final Surroundings surroundings;

  @Spec CommandSpec spec = CommandSpec.create();
  @Mixin NodeOptions node = new NodeOptions();
  @Mixin OutputFormat format = new OutputFormat();

  InventoryCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws IOException {
    if (!format.isValid()) {
      return refuse(format.refusal());
    }
    var loader = new ConfigLoader(Program.LABELS, surroundings.environment());
    var config = loader.load(spec.commandLine().getParseResult(), spec.commandLine().getErr());
    return config.isPresent() ? run(config.get()) : PitcrewCommand.FAILED;
  }

  private int run(AgentConfig config) throws IOException {
    return switch (surroundings.reader().read(node.places(config.roots()))) {
      case Reading.Read(var inventory) -> {
        Output.write(config.labels().outputFile(), text(inventory), spec.commandLine().getOut());
        yield PitcrewCommand.DONE;
      }
      case Reading.NoDriver(var reason) ->
          refuse("no GPU can be read: " + reason + "; check the driver, --driver-root and --nvml");
    };
  }

  private String text(Inventory inventory) {
    return format.isJson() ? Json.of(InventoryView.of(inventory)) : InventoryText.of(inventory);
  }

  private int refuse(String reason) {
    spec.commandLine().getErr().println(reason);
    return PitcrewCommand.FAILED;
  }
}
