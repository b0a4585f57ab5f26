package dev.pitcrew.agent.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cdi.CdiHook;
import dev.pitcrew.agent.cdi.InstalledHook;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.NodeSlices;
import dev.pitcrew.agent.cluster.WatchedObject;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.dra.DraController;
import dev.pitcrew.agent.dra.DraMetrics;
import dev.pitcrew.agent.dra.plan.GpuSide;
import dev.pitcrew.agent.dra.plan.GpuSidesText;
import dev.pitcrew.agent.dra.slices.SliceController;
import dev.pitcrew.agent.gpu.DeviceNodeController;
import dev.pitcrew.agent.gpu.DriverController;
import dev.pitcrew.agent.gpu.HealthStore;
import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.offer.DevicePluginController;
import dev.pitcrew.agent.offer.OfferReport;
import dev.pitcrew.agent.plugin.DevicePlugins;
import dev.pitcrew.agent.state.StateFolder;
import dev.pitcrew.agent.watch.HostState;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/// The parts of an agent that move GPUs between the device plugin and claims, as one process has
/// them. They are run by hand, one after the other. What others can see of it, or what it has
/// stored, is a step; after each of them the process can be killed.
final class MovingAgent {
  private final AgentContext context;
  private final Inventory inventory;
  private final BiConsumer<String, String> steps;
  private final NodeStore store;
  private final DevicePlugins plugins;
  private final DriverController driver;
  private final DevicePluginController offering;
  private final DraController serving;
  private final SliceController publishing;
  private volatile boolean isKilled;

  /// Stands for SIGKILL: nothing of the process runs any more.
  static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  /// @param inventory the GPUs of the node
  /// @param nanoTime as [System#nanoTime]
  /// @param steps receives what a step is about and how that is now, and may throw [Killed]
  MovingAgent(
      AgentContext context,
      ApiServer server,
      Inventory inventory,
      LongSupplier nanoTime,
      BiConsumer<String, String> steps) {
    this.context = context;
    this.inventory = inventory;
    this.steps = steps;
    var folder = new StateFolder(context.folders().state());
    // As AgentProcess does.
    NodeState remembered = NodeState.UNKNOWN.with(DraController.recalled(folder));
    store =
        new NodeStore(
            () -> remembered, now -> SettingsResolver.of(now, context.identity().namespace()));
    plugins = new DevicePlugins(context.folders().kubelet());
    driver = new DriverController(context, new HealthStore(folder, context.host()), store::gpus);
    var hook = new InstalledHook(() -> CdiHook.installed(context), store::hook);
    offering =
        new DevicePluginController(
            context,
            plugins,
            new DevicePluginController.Reports(this::offered, store::withheld),
            hook);
    serving =
        new DraController(
            context,
            server,
            folder,
            hook,
            driver,
            new DraMetrics(context.identity().node()),
            new DraController.Reports(store::dra, this::written, () -> {}, _ -> {}),
            nanoTime);
    publishing =
        new SliceController(
            server,
            () ->
                NodeSlices.follow(server, context.identity().node(), ClaimDevice.DRIVER, () -> {}),
            context.clock(),
            this::published);
  }

  /// Once after the start, with what the driver and the watches say.
  void see(JsonNode node, JsonNode settings) throws InterruptedException {
    store.host(HostState.labelled(node));
    say(node, settings);
    store.gpus(new NodeSnapshot.WithDriver(KnownGpus.first(inventory), UnhealthyDevices.NONE));
    run(Projections::deviceNodes, new DeviceNodeController(context, store::deviceNodes));
  }

  void say(JsonNode node, JsonNode settings) {
    store.update(now ->
        now.with(
            now.cluster()
                .withNode(new WatchedObject.Present(node))
                .withAgentConfig(new WatchedObject.Present(settings))));
  }

  /// The parts, in an order of one's own.
  enum Part {
    PLUGIN,
    DRA,
    SLICES
  }

  void run(Part part) throws InterruptedException {
    switch (part) {
      case PLUGIN -> run(Projections::devicePlugin, offering);
      case DRA -> run(Projections::dra, serving);
      case SLICES -> run(Projections::slices, publishing);
    }
    live();
  }

  private <I> void run(Function<NodeState, Optional<I>> projection, Controller<I> controller)
      throws InterruptedException {
    Optional<I> input = projection.apply(store.now());
    if (input.isPresent()) {
      var _ = controller.reconcile(input.get());
    }
  }

  /// Also where a call of the kubelet has killed it.
  void live() {
    if (isKilled) {
      throw new Killed();
    }
  }

  /// For messages.
  @Override
  public String toString() {
    NodeState now = store.now();
    return "%s, offered %s, published %s, driver %s"
        .formatted(now.dra().sides(), now.offered(), now.slices(), now.dra().serving());
  }

  private void step(String what, String now) {
    if (isKilled) {
      throw new Killed();
    }
    try {
      steps.accept(what, now);
    } catch (Killed e) {
      isKilled = true;
      throw e;
    }
  }

  private void offered(OfferReport report) {
    var gpus = new TreeSet<Integer>();
    report.offered().resources().stream()
        .flatMap(resource -> resource.devices().stream())
        .forEach(device -> gpus.add(number(device.physical().gpuUuid())));
    step("device plugin", gpus.toString());
    store.offer(report);
  }

  private void published(SliceController.Published now) {
    step("ResourceSlices", new TreeSet<>(now.devices()).toString());
    store.slices(now);
  }

  private void written(String file, Optional<String> problem) {
    step(file, problem.orElseGet(() -> text(file)));
    store.file(file, problem);
  }

  private String text(String file) {
    try {
      if (file.equals(DraController.FILE)) {
        var sides = new TreeMap<Integer, GpuSide>();
        String stored = Files.readString(context.folders().state().resolve(file));
        GpuSidesText.read(stored).byUuid().forEach((uuid, side) -> sides.put(number(uuid), side));
        return sides.toString();
      }
      String stored = Files.readString(plugin().resolve(file));
      return stored.contains("PrepareCompleted")
          ? "prepared"
          : stored.contains("PrepareStarted") ? "started" : "empty";
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Path plugin() {
    return context.folders().kubeletRoot().folder().resolve("plugins").resolve(ClaimDevice.DRIVER);
  }

  private int number(String uuid) {
    return inventory.gpus().stream()
        .filter(gpu -> gpu.uuid().equals(uuid))
        .mapToInt(Gpu::minor)
        .findFirst()
        .orElseThrow();
  }

  /// What the kernel does when a process ends: nothing more is written or said.
  void end() {
    isKilled = true;
    plugins.close();
    serving.close();
    publishing.close();
    driver.close();
  }
}
