// Long because it is the one place that has the order of all steps of the driver.
package dev.pitcrew.agent.dra;

import dev.pitcrew.agent.cdi.InstalledHook;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.ObjectEvent;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.control.ProblemLog;
import dev.pitcrew.agent.dra.DraState.Serving;
import dev.pitcrew.agent.dra.claims.ClaimPlaces;
import dev.pitcrew.agent.dra.claims.ClaimPreparer;
import dev.pitcrew.agent.dra.claims.plan.FeatureSwitches;
import dev.pitcrew.agent.dra.claims.plan.NodeDevices;
import dev.pitcrew.agent.dra.claims.plan.PreparedClaim;
import dev.pitcrew.agent.dra.plan.GpuSide;
import dev.pitcrew.agent.dra.plan.GpuSides;
import dev.pitcrew.agent.dra.plan.GpuSidesText;
import dev.pitcrew.agent.gpu.DriverController;
import dev.pitcrew.agent.pods.HoldingPods;
import dev.pitcrew.agent.state.FileReports;
import dev.pitcrew.agent.state.StateFolder;
import dev.pitcrew.device.allocatable.Health;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.inventory.Inventory;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs the DRA driver of the node, and moves GPUs between the device plugin and claims:
///
/// 1. Where claims serve no GPU and none shall be served by them, nothing is open.
/// 2. While another process is the driver of the node ([DriverOwnership]), nothing is open either.
///    Its checkpoint is read once it is gone; the GPUs stay on their sides until then.
/// 3. Look at the holders: the kubelet's pods for GPUs that leave the device plugin, all claims for
///    GPUs that leave claims and that no ResourceSlice lists any longer.
/// 4. Move each GPU by one step of [GpuSides]. What is decided is on disk before anything follows
///    from it, so that the next agent goes on from there.
/// 5. After a start, remove MIG devices and withdraw GPUs of claims whose preparation did not end.
/// 6. Prepare claims for what claims serve, and make the sockets that are missing.
/// 7. Report. Look again in a second while a step is under way, in ten while a GPU has holders.
public final class DraController implements Controller<DraController.Input>, AutoCloseable {
  /// The sides of GPUs, in the state folder.
  public static final String FILE = "dra.json";

  private static final Logger LOG = LoggerFactory.getLogger(DraController.class);

  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

  /// A socket may have been removed, the last pod or claim of a GPU may have ended.
  private static final Duration KEEP = Duration.ofSeconds(10);

  static final String WITHOUT_DRIVER =
      "the driver of the node does not answer: see condition DriverReady of its GPUNode";

  private final SideObservation observation;
  private final StateFolder folder;
  private final DraSockets sockets;
  private final ClaimPlaces places;
  private final ClaimService service;
  private final DeviceHealthService health;
  private final ServedDevices served;
  private final Reports reports;
  private final DraMetrics.OfDriver metrics;
  private final ProblemLog problems = new ProblemLog(LOG);
  private volatile String mpsRoot = "";
  private volatile boolean makesPartitions;
  private volatile boolean isPublished;
  private final OwnPartitions own;
  private final ClaimGpus gpus;
  private final PassthroughDevices machines;
  private final ReentrantLock reporting = new ReentrantLock();
  private volatile Optional<ClaimPreparer> opened = Optional.empty();
  private final Recovery partitionsLeft;
  private final Recovery gpusLeft;
  private volatile boolean needsDriver;
  private final LastRead<NodeDevices> read = new LastRead<>(System::nanoTime);
  private volatile GpuSides sides;

  /// @param isByClaims whether claims shall serve the GPUs of the node
  /// @param features what claims can ask for
  /// @param driverFolder where driver containers put the driver on the host
  /// @param mpsRoot where the MPS control daemons leave their marks, on the host
  /// @param inventory the GPUs; empty while the driver does not answer
  /// @param health which of them must not be used
  /// @param offered the UUIDs of those that the device plugin has not reported as left out
  /// @param listed the names of the devices in ResourceSlices; empty while that is not known
  public record Input(
      boolean isByClaims,
      FeatureSwitches features,
      String driverFolder,
      String mpsRoot,
      Optional<Inventory> inventory,
      Health health,
      Set<String> offered,
      Optional<Set<String>> listed) {}

  /// @param states receives how the driver stands
  /// @param files receives whether the file could be written
  /// @param registrations called when the kubelet has decided on a registration
  /// @param events receives what the pods of claims have to know
  public record Reports(
      Consumer<DraState> states,
      FileReports files,
      Runnable registrations,
      Consumer<ObjectEvent> events) {}

  public DraController(
      AgentContext context,
      ApiServer server,
      StateFolder folder,
      InstalledHook hook,
      DriverController driver,
      DraMetrics metrics,
      Reports reports) {
    this(context, server, folder, hook, driver, metrics, reports, System::nanoTime);
  }

  /// @param nanoTime as [System#nanoTime]
  public DraController(
      AgentContext context,
      ApiServer server,
      StateFolder folder,
      InstalledHook hook,
      DriverController driver,
      DraMetrics metrics,
      Reports reports,
      LongSupplier nanoTime) {
    this.own = new OwnPartitions(context.clock());
    this.gpus = new ClaimGpus(context, driver);
    this.machines = new PassthroughDevices(context.host());
    this.observation =
        new SideObservation(
            new HoldingPods(context.host()),
            new AllocatedClaims(server, context.identity().node()),
            machines,
            nanoTime);
    this.partitionsLeft = new Recovery(nanoTime);
    this.gpusLeft = new Recovery(nanoTime);
    this.folder = folder;
    this.places =
        ClaimPlaces.of(
            context,
            folder,
            root -> DraSockets.folder(root, ClaimDevice.DRIVER),
            () -> context.host().place(mpsRoot));
    this.metrics = metrics.of(ClaimDevice.DRIVER);
    this.service = new ClaimService(server, this.metrics);
    this.health = new DeviceHealthService(context.identity().node(), context.clock());
    this.served = new ServedDevices(context.identity().node(), new NodeCdi(context, hook));
    this.reports = reports;
    this.sides = recalled(folder).sides();
    var probe = new HealthService(HealthService.GPU_PORT, this::isServing);
    this.sockets =
        new DraSockets(
            context.folders().kubeletRoot(),
            ClaimDevice.DRIVER,
            new DraSockets.Services(service, Optional.of(health), probe),
            reports.registrations());
  }

  /// How the last agent of this node left the GPUs.
  public static DraState recalled(StateFolder folder) {
    return folder
        .read(FILE)
        .map(text -> new DraState(GpuSidesText.read(text), new Serving.Off()))
        .orElse(DraState.NONE);
  }

  @Override
  public Duration reconcile(Input input) {
    if (!input.isByClaims() && !sides.haveClaims()) {
      sockets.close();
      metrics.stop();
      report();
      return RESYNC;
    }
    if (!sockets.takeOwnership()) {
      return yieldToOther();
    }
    isPublished = input.listed().isPresent();
    mpsRoot = input.mpsRoot();
    makesPartitions = input.features().dynamicMig();
    gpus.driverIn(input.driverFolder());
    // Also while the driver lists no GPU, as where all of them were given.
    gpusLeft.run(preparer(input)::recoverGiven);
    machines.look(input.features(), input.inventory(), claims());
    input.inventory().ifPresent(inventory -> move(input, machines.with(inventory)));
    if (input.inventory().isPresent()) {
      partitionsLeft.run(preparer(input)::recover);
    }
    ClaimPreparer preparer = preparer(input);
    metrics.serve(() -> preparer.claims().values());
    Optional<NodeDevices> devices =
        read.or(
            input
                .inventory()
                .map(it ->
                    served.of(
                        it,
                        input.driverFolder(),
                        sides.on(GpuSide::preparesClaims),
                        partitions(),
                        machines.devices(),
                        input.features().shares())));
    service.serve(
        new GpuClaims(
            preparer,
            devices
                .<GpuClaims.Devices>map(GpuClaims.Devices.Available::new)
                .orElseGet(() -> new GpuClaims.Devices.Unavailable(WITHOUT_DRIVER)),
            reports.events()));
    health.report(devices.map(it -> it.devices().values()), input.health(), WITHOUT_DRIVER);
    problems.lines(sockets.keep());
    report();
    boolean isUnderWay = !sides.on(side -> side == GpuSide.LEAVES_PLUGIN).isEmpty();
    // A driver that has just ended may remove the socket that this one has made in its place.
    Duration next = isUnderWay || !sockets.isRegistered() ? LOOK_AGAIN : KEEP;
    return gpusLeft.untilNext(partitionsLeft.untilNext(next));
  }

  private Collection<PreparedClaim> claims() {
    return opened.map(it -> it.claims().values()).orElse(List.of());
  }

  /// What the last calls of the kubelet write is written before the other process may write.
  private Duration yieldToOther() {
    problems.lines(sockets.serving().problem().stream().toList());
    metrics.stop();
    boolean isIdle = service.stop();
    if (isIdle) {
      opened = Optional.empty();
      partitionsLeft.restart();
      gpusLeft.restart();
      sockets.release();
    }
    report();
    return isIdle ? KEEP : LOOK_AGAIN;
  }

  /// The checkpoint is read once claims are served, and not on other nodes.
  private ClaimPreparer preparer(Input input) {
    ClaimPreparer preparer =
        opened.orElseGet(() ->
            ClaimPreparer.open(
                places,
                input.features(),
                gpus.smi(),
                gpus.partitions(places, this::needsDriver, this::announce),
                gpus.machines(this::needsDriver, this::report),
                reports.files()));
    preparer.use(input.features());
    if (opened.isEmpty()) {
      own.set(preparer.ownPartitions());
      opened = Optional.of(preparer);
    }
    return preparer;
  }

  /// The devices of claims that are prepared, or whose preparation has begun.
  private Set<String> prepared(Input input) {
    return preparer(input).claims().values().stream()
        .flatMap(claim -> claim.deviceNames().stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  private boolean isServing() {
    return isPublished && sockets.isRegistered();
  }

  private void move(Input input, Inventory inventory) {
    GpuSides seen = sides.next(observation.of(input, inventory, sides, prepared(input)));
    GpuSides next = machines.hasUnread() ? seen.keeping(sides) : seen;
    if (next.equals(sides)) {
      return;
    }
    Optional<String> unwritten = folder.keep(FILE, GpuSidesText.write(next));
    reports.files().report(FILE, unwritten);
    if (unwritten.isEmpty()) {
      LOG.atInfo().addKeyValue("gpus", new TreeMap<>(next.byUuid())).log("GPUs change sides");
      sides = next;
    }
  }

  /// The names of the partitions of claims; empty where MIG devices are not made for claims.
  private Optional<Set<String>> partitions() {
    return makesPartitions ? Optional.of(own.names()) : Optional.empty();
  }

  /// Before an instance is made, so that no slice takes it for one of another owner.
  private void announce(Set<String> names) {
    own.set(names);
    report();
  }

  private void needsDriver(boolean isNeeded) {
    read.close(isNeeded);
    needsDriver = isNeeded;
    report();
  }

  /// Also on the threads of the kubelet's calls: the last report is the one of the last state.
  private void report() {
    reporting.lock();
    try {
      reports
          .states()
          .accept(
              new DraState(
                  sides, sockets.serving(), partitions(), needsDriver, machines.offer(claims())));
    } finally {
      reporting.unlock();
    }
  }

  @Override
  public void close() {
    sockets.close();
  }
}
