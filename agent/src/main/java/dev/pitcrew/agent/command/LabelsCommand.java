package dev.pitcrew.agent.command;

import dev.pitcrew.agent.command.NodeReader.Reading;
import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.config.EffectiveConfig;
import dev.pitcrew.agent.config.Program;
import dev.pitcrew.agent.config.SleepInterval;
import dev.pitcrew.agent.host.HostFacts;
import dev.pitcrew.agent.labels.plan.GpuLabels;
import dev.pitcrew.agent.labels.plan.Labelling;
import dev.pitcrew.device.inventory.DriverVersion;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Topology;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "labels",
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Reports the labels of this node's GPUs, as GPU feature discovery does.",
      "Without --oneshot it reports them again after each sleep interval."
    })
final class LabelsCommand implements Callable<Integer> {
  private static final Inventory NO_GPUS =
      new Inventory(new DriverVersion("", 0, 0), List.of(), List.of(), Topology.UNKNOWN);

  private final Surroundings surroundings;

  @Spec CommandSpec spec = CommandSpec.create();
  @Mixin NodeOptions node = new NodeOptions();
  @Mixin OutputFormat format = new OutputFormat();

  LabelsCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!format.isValid()) {
      return refuse(format.refusal());
    }
    var loader = new ConfigLoader(Program.LABELS, surroundings.environment());
    var config = loader.load(spec.commandLine().getParseResult(), errors());
    return config.isPresent() ? run(config.get()) : PitcrewCommand.FAILED;
  }

  /// The timestamp is that of the start, as in GPU feature discovery: when the node was labelled
  /// again, not when it was last checked.
  private int run(AgentConfig config) throws IOException, InterruptedException {
    if (!config.labels().oneshot()) {
      errors().print(Json.of(EffectiveConfig.of(Program.LABELS, config)));
    }
    InstantSource started = InstantSource.fixed(surroundings.clock().instant());
    int exitCode = round(config, started);
    while (exitCode == PitcrewCommand.DONE && isRepeated(config)) {
      exitCode = round(config, started);
    }
    return exitCode;
  }

  private boolean isRepeated(AgentConfig config) throws InterruptedException {
    if (config.labels().oneshot()) {
      return false;
    }
    return switch (config.labels().sleepInterval()) {
      case SleepInterval.Infinite() -> surroundings.stop().passes(Optional.empty());
      case SleepInterval.Every(var duration) -> surroundings.stop().passes(Optional.of(duration));
    };
  }

  private int round(AgentConfig config, InstantSource started) throws IOException {
    var places = node.places(config.roots());
    return switch (surroundings.reader().read(places)) {
      case Reading.Read(var inventory) -> label(inventory, config, started);
      case Reading.NoDriver(var reason) -> withoutDriver(reason, config, started);
    };
  }

  private int withoutDriver(String reason, AgentConfig config, InstantSource started)
      throws IOException {
    String line = "no GPU can be read: " + reason;
    if (config.failOnInitError()) {
      return refuse(line + "; check the driver, --driver-root and --nvml");
    }
    errors().println("warning: " + line);
    return label(NO_GPUS, config, started);
  }

  private int label(Inventory inventory, AgentConfig config, InstantSource started)
      throws IOException {
    var host = node.places(config.roots()).host();
    var machine = HostFacts.machine(host, config.labels().machineTypeFile());
    return switch (GpuLabels.of(inventory, machine, config, started)) {
      case Labelling.Labels(var labels, var warnings) -> {
        warnings.forEach(warning -> errors().println("warning: " + warning));
        Output.write(
            config.labels().outputFile(),
            LabelText.of(labels, format),
            spec.commandLine().getOut());
        yield PitcrewCommand.DONE;
      }
      case Labelling.Refused(var reason) -> refuse(reason);
    };
  }

  private int refuse(String reason) {
    errors().println(reason);
    return PitcrewCommand.FAILED;
  }

  private PrintWriter errors() {
    return spec.commandLine().getErr();
  }
}
