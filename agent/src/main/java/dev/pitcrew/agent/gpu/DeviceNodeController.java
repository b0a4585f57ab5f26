package dev.pitcrew.agent.gpu;

import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.DriverPaths;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.control.ProblemLog;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.settings.DeviceNodeSettings;
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
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes the device nodes that containers are given, at each load of the driver and whenever GPUs
/// or MIG devices come. GPUs are not offered before: a container without `/dev/nvidia-uvm` starts,
/// and no CUDA program in it does.
public final class DeviceNodeController implements Controller<DeviceNodeController.Input> {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceNodeController.class);

  /// A module may be loaded, a folder that was full may have room.
  private static final Duration UNTIL_TRIED_AGAIN = Duration.ofSeconds(5);

  private final AgentContext context;
  private final Consumer<View> views;
  private final ProblemLog problems = new ProblemLog(LOG);

  /// @param inventory of the driver that is loaded
  /// @param driverLoad distinguishes one load of the driver from the next, which may have other
  ///   major numbers; empty where that is unknown
  public record Input(
      DeviceNodeSettings wanted,
      String driverFolder,
      Inventory inventory,
      Optional<String> driverLoad) {
    /// @param problems why a node is not there, a line for each
    public View view(List<String> problems) {
      return new View(inventory, driverLoad, problems);
    }
  }

  public DeviceNodeController(AgentContext context, Consumer<View> views) {
    this.context = context;
    this.views = views;
  }

  /// The nodes of an inventory, under one load of the driver.
  ///
  /// @param problems why a node is not there, a line for each
  public record View(Inventory inventory, Optional<String> driverLoad, List<String> problems) {
    /// Whether the nodes are those of the driver as it is loaded now.
    public boolean isOf(NodeSnapshot.WithDriver loaded) {
      return inventory.equals(loaded.gpus().inventory())
          && driverLoad.equals(loaded.unhealthy().driverLoad());
    }
  }

  @Override
  public Duration reconcile(Input input) {
    List<String> found = make(input);
    problems.lines(found);
    views.accept(input.view(found));
    return found.isEmpty() ? RESYNC : UNTIL_TRIED_AGAIN;
  }

  private List<String> make(Input input) {
    DeviceNodeMaker maker = maker(input.driverFolder());
    Inventory inventory = input.inventory();
    DeviceNodeSettings wanted = input.wanted();
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

  private DeviceNodeMaker maker(String driverFolder) {
    DriverRoot root = DriverPaths.finder(context, driverFolder).now();
    return new DeviceNodeMaker(root, context.host());
  }

  /// Removes what the agent has made outside of the driver's root.
  public void leave(String driverFolder) {
    maker(driverFolder).unlinkFromHost();
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
