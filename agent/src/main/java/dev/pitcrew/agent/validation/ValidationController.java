package dev.pitcrew.agent.validation;

import dev.pitcrew.agent.config.DeviceListStrategy;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.DriverPaths;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.control.ProblemLog;
import dev.pitcrew.agent.cuda.CudaVerdict;
import dev.pitcrew.agent.node.DriverSigns;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.offer.OfferReport;
import dev.pitcrew.agent.runtime.RuntimeState;
import dev.pitcrew.agent.settings.FunctionState;
import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.hardware.driver.DriverRoot;
import dev.pitcrew.hardware.linux.FolderEvents.Names;
import dev.pitcrew.hardware.pci.PciDevices;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks what keeps the driver from working, and where the agent is to validate, at all parts of
/// the node; keeps the status files as the checks say. It reports what it finds.
public final class ValidationController implements Controller<ValidationController.Input> {
  private static final Logger LOG = LoggerFactory.getLogger(ValidationController.class);

  /// While something is wrong that no event may announce the end of.
  private static final Duration UNTIL_LOOKED_AT_AGAIN = Duration.ofSeconds(5);

  /// Nodes have it for `nvidia.com/gpu.workload.config=vm-passthrough`, or the policy's default. It
  /// is `false` where the node binds its GPUs itself.
  public static final String FOR_PASSTHROUGH = NodeLabels.DEPLOY_PREFIX + "vfio-manager";

  private final AgentContext place;
  private final Consumer<Validation> validations;
  private final HostReader host;
  private final StatusFiles files;
  private final PluginObservation plugin;
  private final ProblemLog unwritten = new ProblemLog(LOG);

  public ValidationController(AgentContext place, Consumer<Validation> validations) {
    this.place = place;
    this.validations = validations;
    this.host = new HostReader(place.host(), place.folders().cdi());
    this.files = new StatusFiles(place.folders().validations());
    this.plugin = new PluginObservation(place.clock());
  }

  /// What announces a change of what it looks at.
  public static DriverSigns signs(AgentContext place, Runnable onSign) {
    var cdi = new Names(place.folders().cdi().toAbsolutePath().normalize(), "");
    var names = Stream.concat(HostReader.signs(place.host()).stream(), Stream.of(cdi)).toList();
    return DriverSigns.watch(place.host(), names, onSign);
  }

  /// @param nodeProblems why device nodes are missing
  /// @param pause what pauses an operand on this node
  /// @param isForPassthrough whether the node is for virtual machines
  /// @param allocatable the resources of the Node; empty until the Node was seen
  /// @param runtime how the container runtime is set up, whose files are validated
  public record Input(
      Settings settings,
      NodeSnapshot snapshot,
      List<String> nodeProblems,
      Optional<String> pause,
      boolean isForPassthrough,
      Optional<CudaVerdict> cuda,
      Optional<OfferReport> offered,
      Optional<Map<String, Integer>> allocatable,
      Optional<RuntimeState> runtime) {}

  @Override
  public Duration reconcile(Input input) {
    Validation validation = validation(input);
    validations.accept(validation);
    return validation.isSettled() ? RESYNC : UNTIL_LOOKED_AT_AGAIN;
  }

  private Validation validation(Input input) {
    Settings settings = input.settings();
    DriverRoot root = DriverPaths.finder(place, settings.driverFolder()).now();
    var context =
        new DriverReader.Context(
            new PciDevices(place.host()).all(),
            Optional.of(input.snapshot()),
            input.nodeProblems(),
            input.pause(),
            input.isForPassthrough());
    return switch (settings.state(NodeFunction.VALIDATION)) {
      // Another program owns the files then.
      case FunctionState.Off(_) -> Validation.ofDriver(host.driver(root, context));
      case FunctionState.On(), FunctionState.Paused(_) -> {
        ValidationFacts facts = host.all(root, context, expected(input));
        Validation validation = Validation.of(facts);
        List<String> problems =
            files.keep(validation.table().orElse(List.of()), facts.driver().files());
        unwritten.lines(problems);
        yield validation;
      }
    };
  }

  private HostReader.Expected expected(Input input) {
    Settings settings = input.settings();
    return new HostReader.Expected(
        settings.wanted(),
        usesCdi(settings),
        new ValidationFacts.Cuda(settings.checksCuda(), input.cuda()),
        plugin.of(input));
  }

  private static boolean usesCdi(Settings settings) {
    boolean isOffered =
        settings.isOn(NodeFunction.DEVICE_PLUGIN)
            && settings
                .plugin()
                .map(Settings.InForce::config)
                .filter(config ->
                    config.plugin().deviceListStrategies().stream()
                        .anyMatch(DeviceListStrategy::isCdi))
                .isPresent();
    return isOffered || settings.isOn(NodeFunction.CDI);
  }
}
