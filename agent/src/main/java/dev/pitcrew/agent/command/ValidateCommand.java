package dev.pitcrew.agent.command;

import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.host.NodePlaces;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.plugin.KubeletCheckpoint;
import dev.pitcrew.agent.validation.Check;
import dev.pitcrew.agent.validation.Component;
import dev.pitcrew.agent.validation.DriverReader;
import dev.pitcrew.agent.validation.HostReader;
import dev.pitcrew.agent.validation.HostReader.Expected;
import dev.pitcrew.agent.validation.StatusFiles;
import dev.pitcrew.agent.validation.Validation;
import dev.pitcrew.agent.validation.ValidationFacts;
import dev.pitcrew.agent.validation.ValidationFacts.Cuda;
import dev.pitcrew.agent.validation.ValidationFacts.Plugin;
import dev.pitcrew.api.node.ValidationState;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DriverRootFinder;
import dev.pitcrew.hardware.pci.PciDevices;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "validate",
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Reports whether this node works, part by part, and what to do where it does not.",
      "No GPU is claimed and nothing of the node is changed."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:all that is wanted works", "1:something does not", "2:wrong usage"})
final class ValidateCommand implements Callable<Integer> {
  private final Surroundings surroundings;

  @Spec CommandSpec spec = CommandSpec.create();
  @Mixin NodeOptions node = new NodeOptions();
  @Mixin OutputFormat format = new OutputFormat();
  @Mixin ValidateFlags flags = new ValidateFlags();

  ValidateCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  /// What was found, of the parts that were asked for.
  private record Outcome(ValidationFacts facts, Validation validation, List<Check> asked) {}

  @Override
  public Integer call() throws InterruptedException {
    Optional<String> refusal =
        flags.refusal().or(() -> Optional.of(format.refusal()).filter(_ -> !format.isValid()));
    if (refusal.isPresent()) {
      spec.commandLine().getErr().println(refusal.get());
      return PitcrewCommand.FAILED;
    }
    var host = new HostRoot(node.hostRoot);
    var reader = new HostReader(host, flags.cdiFolder(node.hostRoot));
    Outcome outcome = look(host, reader);
    while (flags.waits && !isGood(outcome) && goesOn()) {
      outcome = look(host, reader);
    }
    print(outcome);
    return isGood(outcome) ? PitcrewCommand.DONE : PitcrewCommand.FAILED;
  }

  private boolean goesOn() throws InterruptedException {
    return surroundings.stop().passes(Optional.of(Duration.ofSeconds(flags.intervalSeconds)));
  }

  private Outcome look(HostRoot host, HostReader reader) {
    DriverRootFinder driver = NodePlaces.finder(host, flags.driverFolder);
    var places =
        new NodePlaces(host, driver, Optional.of(node.nvml).filter(path -> !path.isEmpty()));
    var context =
        new DriverReader.Context(
            new PciDevices(host).all(),
            Optional.of(snapshot(places)),
            List.of(),
            Optional.empty(),
            false);
    var expected =
        new Expected(flags.wanted(), flags.isAsked(Component.CDI), Cuda.NOT_WANTED, plugin(host));
    ValidationFacts facts = reader.all(driver.now(), context, expected);
    Validation validation = Validation.of(facts);
    List<Check> asked =
        validation.table().orElse(List.of()).stream()
            .filter(check -> flags.asked().filter(it -> it != check.component()).isEmpty())
            .toList();
    return new Outcome(facts, validation, asked);
  }

  private NodeSnapshot snapshot(NodePlaces places) {
    return switch (surroundings.reader().read(places)) {
      case NodeReader.Reading.Read(var inventory) ->
          new NodeSnapshot.WithDriver(KnownGpus.first(inventory), UnhealthyDevices.NONE);
      case NodeReader.Reading.NoDriver(var reason) ->
          new NodeSnapshot.WithoutDriver(reason, Optional.empty());
    };
  }

  /// Without an API server the kubelet's own file shows what the node has.
  private static Plugin plugin(HostRoot host) {
    return new Plugin(
        false, Optional.empty(), 0, List.of(), KubeletCheckpoint.registered(host), false);
  }

  /// An unknown result is a failure only if parts were asked for.
  private boolean isGood(Outcome outcome) {
    return outcome.asked().stream()
        .allMatch(check ->
            check.isSettled()
                || (check.state() == ValidationState.UNKNOWN && flags.asked().isEmpty()));
  }

  private void print(Outcome outcome) {
    if (!flags.statusFolder.isEmpty()) {
      new StatusFiles(Path.of(flags.statusFolder))
          .keep(outcome.asked(), outcome.facts().driver().files())
          .forEach(spec.commandLine().getErr()::println);
    }
    boolean isGood = isGood(outcome);
    String text =
        format.isJson()
            ? Json.of(ValidationText.view(outcome.validation(), outcome.asked(), isGood))
            : ValidationText.of(outcome.asked(), isGood);
    spec.commandLine().getOut().print(text);
    spec.commandLine().getOut().flush();
  }
}
