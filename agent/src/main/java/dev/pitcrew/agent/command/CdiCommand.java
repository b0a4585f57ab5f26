package dev.pitcrew.agent.command;

import dev.pitcrew.agent.cdi.CdiClass;
import dev.pitcrew.agent.cdi.CdiDevice;
import dev.pitcrew.agent.cdi.CdiDocument;
import dev.pitcrew.agent.cdi.CdiInput;
import dev.pitcrew.agent.cdi.CdiKind;
import dev.pitcrew.agent.cdi.CdiOptions;
import dev.pitcrew.agent.cdi.CdiSpecification;
import dev.pitcrew.agent.cdi.CdiSpecifications;
import dev.pitcrew.agent.cdi.DeviceNaming;
import dev.pitcrew.agent.cdi.Feature;
import dev.pitcrew.agent.cdi.HookName;
import dev.pitcrew.agent.command.NodeReader.Reading;
import dev.pitcrew.device.inventory.DriverVersion;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Topology;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "cdi",
    sortOptions = false,
    description =
        "Makes once the CDI specification of this node, as 'nvidia-ctk cdi generate' does.")
final class CdiCommand implements Callable<Integer> {
  private static final String NONE = "";

  private final Surroundings surroundings;

  @Spec CommandSpec spec = CommandSpec.create();
  @Mixin NodeOptions node = new NodeOptions();
  @Mixin CdiFlags flags = new CdiFlags();

  private CdiCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  static CommandLine in(Surroundings surroundings) {
    return new CommandLine(new CdiCommand(surroundings))
        .setDefaultValueProvider(CdiFlags.variables(surroundings.environment()));
  }

  @Override
  public Integer call() throws IOException {
    Optional<CdiClass> type = CdiClass.ofMode(flags.mode);
    Optional<CdiDocument> document = flags.document();
    List<DeviceNaming> namings =
        flags.namings.stream().flatMap(naming -> DeviceNaming.of(naming).stream()).toList();
    if (type.isEmpty()) {
      return refuse(
          "--mode is '%s': give one of auto, nvml, management, gds, mofed, gdrcopy, nvswitch, imex"
              .formatted(flags.mode));
    }
    if (document.isEmpty()) {
      return refuse(
          "--format is '%s': give one of yaml, json (a file is named by --output)"
              .formatted(flags.format));
    }
    if (namings.size() != flags.namings.size()) {
      return refuse(
          "--device-name-strategy is '%s': give any of index, uuid, type-index"
              .formatted(String.join(",", flags.namings)));
    }
    Optional<String> refusal = flags.refusal();
    if (refusal.isPresent()) {
      return refuse(refusal.get());
    }
    return generate(type.get(), document.get(), namings);
  }

  private int generate(CdiClass type, CdiDocument document, List<DeviceNaming> namings)
      throws IOException {
    var roots = flags.roots();
    var places = node.places(roots);
    Inventory inventory;
    switch (surroundings.reader().read(places)) {
      case Reading.Read(var read) -> inventory = read;
      case Reading.NoDriver(var reason) when type == CdiClass.GPU -> {
        return refuse(
            "no GPU can be read: " + reason + "; check the driver, --driver-root and --nvml");
      }
      case Reading.NoDriver _ -> inventory = withoutGpus();
    }
    CdiSelection selection = CdiSelection.of(flags.deviceIds, inventory);
    if (type == CdiClass.GPU && !selection.unknown().isEmpty()) {
      return refuse(selection.words());
    }
    var input = CdiInput.read(selection.inventory(), places.driver().now(), places.host());
    var generated = CdiSpecifications.generate(input, options(type, namings));
    generated.omissions().forEach(omission -> warn(omission.text()));
    Optional<CdiSpecification> made =
        generated.specifications().stream()
            .findFirst()
            .map(it -> type == CdiClass.GPU && selection.isNone() ? withoutGpu(it) : it);
    if (made.isEmpty()) {
      return refuse(
          "no specification was made: the node has no such devices, or no driver was found below "
              + roots.driver());
    }
    if (!flags.ofExtension().orElse(document).equals(document)) {
      warn(
          "--output is '%s', and is written as %s, as --format says"
              .formatted(flags.output, flags.format));
    }
    Output.write(flags.output, text(document, named(made.get())), spec.commandLine().getOut());
    return PitcrewCommand.DONE;
  }

  private void warn(String what) {
    spec.commandLine().getErr().println("warning: " + what);
  }

  private static CdiSpecification withoutGpu(CdiSpecification made) {
    return new CdiSpecification(made.kind(), List.of(CdiDevice.NONE), made.common());
  }

  private CdiSpecification named(CdiSpecification made) {
    String name = flags.deviceClass.isEmpty() ? made.kind().deviceClass() : flags.deviceClass;
    var kind = new CdiKind(made.kind().vendor(), name);
    return new CdiSpecification(kind, made.devices(), made.common());
  }

  private static String text(CdiDocument document, CdiSpecification specification) {
    String text = document.text(specification);
    return text.endsWith("\n") ? text : text + "\n";
  }

  private CdiOptions options(CdiClass type, List<DeviceNaming> namings) {
    return CdiOptions.ofToolkit()
        .only(type)
        .withVendor(flags.vendor)
        .withNamings(namings)
        .withAllDevice(!flags.isWithoutAll)
        .withHooks(flags.hookPath, HookName.switched(flags.disabledHooks, flags.enabledHooks))
        .withFeatures(Feature.of(flags.features))
        .withImexChannels(flags.imexChannels);
  }

  private static Inventory withoutGpus() {
    return new Inventory(new DriverVersion(NONE, 0, 0), List.of(), List.of(), Topology.UNKNOWN);
  }

  private int refuse(String reason) {
    spec.commandLine().getErr().println(reason);
    return PitcrewCommand.FAILED;
  }
}
