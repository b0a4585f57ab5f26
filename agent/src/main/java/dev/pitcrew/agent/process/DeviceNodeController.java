package dev.pitcrew.agent.process;

import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.offer.Told;
import dev.pitcrew.agent.settings.DeviceNodeSettings;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.MigCapabilities;
import dev.pitcrew.hardware.driver.DeviceNodeMaker;
import dev.pitcrew.hardware.driver.DriverRoot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes the device nodes that containers are given, at each load of the driver and whenever GPUs
/// or MIG devices come. GPUs are not offered before: a container without `/dev/nvidia-uvm` starts,
/// and no CUDA program in it does.
final class DeviceNodeController implements Controller {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceNodeController.class);

  /// A module may be loaded, a folder that was full may have room.
  private static final Duration UNTIL_TRIED_AGAIN = Duration.ofSeconds(5);

  private final AgentContext place;
  private final StateStore board;
  private final Told problems = new Told(LOG);

  DeviceNodeController(AgentContext place, StateStore board) {
    this.place = place;
    this.board = board;
  }

  /// How the nodes of an inventory stand.
  ///
  /// @param problems why a node is not there, a line for each
  record View(Inventory inventory, List<String> problems) {}

  @Override
  public Duration act(NodeState situation) {
    Optional<Inventory> inventory = loaded(situation.snapshot());
    if (situation.settings().isEmpty() || inventory.isEmpty()) {
      return SETTLED;
    }
    Settings settings = situation.settings().get();
    List<String> found = make(settings, inventory.get());
    problems.lines(found);
    board.change(now -> now.with(new View(inventory.get(), found)));
    return found.isEmpty() ? SETTLED : UNTIL_TRIED_AGAIN;
  }

  private List<String> make(Settings settings, Inventory inventory) {
    DeviceNodeMaker maker = maker(settings);
    DeviceNodeSettings wanted = settings.deviceNodes();
    var found = new ArrayList<String>();
    if (wanted.makesNodes()) {
      found.addAll(maker.makeNodes(minors(inventory), capabilities(inventory)));
      found.addAll(maker.linkIntoHost());
    }
    if (wanted.linksNodes()) {
      found.addAll(maker.linkNodes());
    }
    return List.copyOf(found);
  }

  private DeviceNodeMaker maker(Settings settings) {
    DriverRoot root = DriverPaths.finder(place, settings.driverFolder()).now();
    return new DeviceNodeMaker(root, place.host());
  }

  /// Takes away what the agent has made outside of the driver's root.
  void leave() {
    board.now().settings().map(this::maker).ifPresent(DeviceNodeMaker::unlinkFromHost);
  }

  static Optional<Inventory> loaded(Optional<NodeSnapshot> snapshot) {
    return snapshot
        .filter(NodeSnapshot.WithDriver.class::isInstance)
        .flatMap(NodeSnapshot::inventory);
  }

  private static Set<Integer> minors(Inventory inventory) {
    return inventory.gpus().stream().map(Gpu::minor).collect(Collectors.toSet());
  }

  private static Set<Integer> capabilities(Inventory inventory) {
    return inventory.gpus().stream()
        .flatMap(gpu -> gpu.mig().migDevices().stream())
        .flatMap(device -> device.capabilities().stream())
        .flatMap(DeviceNodeController::minors)
        .collect(Collectors.toSet());
  }

  private static Stream<Integer> minors(MigCapabilities it) {
    return Stream.of(it.gpuInstanceMinor(), it.computeInstanceMinor());
  }
}
