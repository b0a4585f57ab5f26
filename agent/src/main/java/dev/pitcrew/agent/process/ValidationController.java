package dev.pitcrew.agent.process;

import dev.pitcrew.agent.config.DeviceListStrategy;
import dev.pitcrew.agent.node.DriverSigns;
import dev.pitcrew.agent.offer.Told;
import dev.pitcrew.agent.settings.FunctionState;
import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.agent.validation.DriverReader;
import dev.pitcrew.agent.validation.HostReader;
import dev.pitcrew.agent.validation.StatusFiles;
import dev.pitcrew.agent.validation.Validation;
import dev.pitcrew.agent.validation.ValidationFacts;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.hardware.driver.DriverRoot;
import dev.pitcrew.hardware.linux.FolderEvents.Names;
import dev.pitcrew.hardware.pci.PciDevices;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks what keeps the driver from working, and where the agent is to validate, at all parts of
/// the node; keeps the status files as the checks say. What it finds is on the board for the
/// report.
final class ValidationController implements Controller {
  private static final Logger LOG = LoggerFactory.getLogger(ValidationController.class);

  /// While something is wrong that no event may announce the end of.
  private static final Duration UNTIL_LOOKED_AT_AGAIN = Duration.ofSeconds(5);

  /// Nodes have it for `nvidia.com/gpu.workload.config=vm-passthrough`, or the policy's default. It
  /// is `false` where the node binds its GPUs itself.
  private static final String FOR_PASSTHROUGH = NodeLabels.DEPLOY_PREFIX + "vfio-manager";

  private final AgentContext place;
  private final StateStore board;
  private final HostReader host;
  private final StatusFiles files;
  private final PluginObservation plugin;
  private final Told unwritten = new Told(LOG);

  ValidationController(AgentContext place, StateStore board) {
    this.place = place;
    this.board = board;
    this.host = new HostReader(place.host(), place.folders().cdi());
    this.files = new StatusFiles(place.folders().validations());
    this.plugin = new PluginObservation(place.clock());
  }

  /// What announces a change of what it looks at.
  static DriverSigns signs(AgentContext place, Runnable onSign) {
    var cdi = new Names(place.folders().cdi().toAbsolutePath().normalize(), "");
    var names = Stream.concat(HostReader.signs(place.host()).stream(), Stream.of(cdi)).toList();
    return DriverSigns.watch(place.host(), names, onSign);
  }

  @Override
  public Duration act(NodeState situation) {
    if (situation.settings().isEmpty()
        || situation.snapshot().isEmpty()
        || situation.waitsForDeviceNodes()) {
      return SETTLED;
    }
    Settings settings = situation.settings().get();
    DriverRoot root = DriverPaths.finder(place, settings.driverFolder()).now();
    Validation validation = validation(situation, settings, root);
    board.change(now -> now.with(validation));
    return validation.isSettled() ? SETTLED : UNTIL_LOOKED_AT_AGAIN;
  }

  private Validation validation(NodeState situation, Settings settings, DriverRoot root) {
    var context =
        new DriverReader.Context(
            new PciDevices(place.host()).all(),
            situation.snapshot(),
            situation.nodesOfSnapshot().map(DeviceNodeController.View::problems).orElse(List.of()),
            PauseRequest.of(situation),
            PauseRequest.labels(situation).containsKey(FOR_PASSTHROUGH));
    return switch (settings.state(NodeFunction.VALIDATION)) {
      // Another program owns the files then.
      case FunctionState.Off(_) -> Validation.ofDriver(host.driver(root, context));
      case FunctionState.On(), FunctionState.Paused(_) -> {
        ValidationFacts facts = host.all(root, context, expected(situation, settings));
        Validation validation = Validation.of(facts);
        List<String> troubles =
            files.keep(validation.table().orElse(List.of()), facts.driver().files());
        unwritten.lines(troubles);
        yield validation;
      }
    };
  }

  private HostReader.Expected expected(NodeState situation, Settings settings) {
    return new HostReader.Expected(
        settings.wanted(),
        usesCdi(settings),
        new ValidationFacts.Cuda(settings.checksCuda(), situation.cuda()),
        plugin.of(situation, settings));
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

  /// Whether a report was made of what NVML says now.
  static boolean isOf(NodeState situation) {
    return situation.snapshot().isEmpty()
        || situation.validation().filter(it -> it.basis().equals(situation.snapshot())).isPresent();
  }
}
