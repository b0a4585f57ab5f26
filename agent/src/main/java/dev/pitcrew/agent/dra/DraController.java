package dev.pitcrew.agent.dra;

import dev.pitcrew.agent.cdi.InstalledHook;
import dev.pitcrew.agent.cdi.SpecificationFolder;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.control.ProblemLog;
import dev.pitcrew.agent.dra.DraSockets.Kept;
import dev.pitcrew.agent.dra.DraSockets.Registration;
import dev.pitcrew.agent.dra.DraState.Serving;
import dev.pitcrew.agent.dra.claims.ClaimPlaces;
import dev.pitcrew.agent.dra.claims.ClaimPreparer;
import dev.pitcrew.agent.dra.claims.SharingStep;
import dev.pitcrew.agent.dra.claims.plan.FeatureSwitches;
import dev.pitcrew.agent.dra.plan.GpuSide;
import dev.pitcrew.agent.dra.plan.GpuSides;
import dev.pitcrew.agent.dra.plan.GpuSidesText;
import dev.pitcrew.agent.host.HostFacts;
import dev.pitcrew.agent.pods.HoldingPods;
import dev.pitcrew.agent.state.FileReports;
import dev.pitcrew.agent.state.StateFolder;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.MigDevice;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs the DRA driver of the node, and moves GPUs between the device plugin and claims:
///
/// 1. Where claims serve no GPU and none shall be served by them, nothing is open.
/// 2. Look at the holders: the kubelet's pods for GPUs that leave the device plugin, all claims for
///    GPUs that leave claims and that no ResourceSlice lists any longer.
/// 3. Move each GPU by one step of [GpuSides]. What is decided is on disk before anything follows
///    from it, so that the next agent goes on from there.
/// 4. Prepare claims for what claims serve, and make the sockets that are missing.
/// 5. Report. Look again in a second while a step is under way, in ten while a GPU has holders.
public final class DraController implements Controller<DraController.Input>, AutoCloseable {
  /// The sides of GPUs, in the state folder.
  public static final String FILE = "dra.json";

  private static final Logger LOG = LoggerFactory.getLogger(DraController.class);

  /// Also how long the kubelet has to record a device that it was allocated just before the device
  /// plugin left it out.
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

  /// A socket may have been removed, the last pod or claim of a GPU may have ended.
  private static final Duration KEEP = Duration.ofSeconds(10);

  /// Between two lists of all claims of the cluster.
  private static final Duration BETWEEN_LISTS = Duration.ofSeconds(30);

  private static final String WITHOUT_DRIVER =
      "the driver of the node does not answer: see condition DriverReady of its GPUNode";

  private static final Pattern DEVICE = Pattern.compile("gpu-(\\d+)(-.*)?");

  private final HoldingPods pods;
  private final AllocatedClaims claims;
  private final StateFolder folder;
  private final DraSockets sockets;
  private final ClaimPlaces places;
  private final ClaimService service;
  private final ServedDevices served;
  private final Reports reports;
  private final ProblemLog problems = new ProblemLog(LOG);
  private final AtomicReference<Serving> serving = new AtomicReference<>(new Serving.Off());
  private Optional<ClaimPreparer> opened = Optional.empty();
  private GpuSides sides;
  private Map<String, Long> leftOutSince = Map.of();
  private Set<String> lookedFor = Set.of();
  private long listedNanos;

  /// @param isByClaims whether claims shall serve the GPUs of the node
  /// @param driverFolder where driver containers put the driver on the host
  /// @param inventory the GPUs; empty while the driver does not answer
  /// @param offered the UUIDs of those that the device plugin has not reported as left out
  /// @param listed the names of the devices in ResourceSlices; empty while that is not known
  public record Input(
      boolean isByClaims,
      String driverFolder,
      Optional<Inventory> inventory,
      Set<String> offered,
      Optional<Set<String>> listed) {}

  /// @param states receives how the driver stands
  /// @param files receives whether the file could be written
  /// @param registrations called when the kubelet has decided on a registration
  public record Reports(Consumer<DraState> states, FileReports files, Runnable registrations) {}

  public DraController(
      AgentContext context,
      ApiServer server,
      StateFolder folder,
      InstalledHook hook,
      Reports reports) {
    this.pods = new HoldingPods(context.host());
    this.claims = new AllocatedClaims(server, context.identity().node());
    this.folder = folder;
    this.places =
        new ClaimPlaces(
            DraSockets.folder(context.folders().kubeletRoot()),
            new SpecificationFolder(context.folders().cdi()),
            context.identity().node(),
            HostFacts.bootId(context.host()).strip());
    this.service = new ClaimService(server);
    this.served = new ServedDevices(context, hook);
    this.reports = reports;
    this.sides = recalled(folder).sides();
    this.sockets = new DraSockets(context.folders().kubeletRoot(), service, this::registered);
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
      serving.set(new Serving.Off());
      report();
      return RESYNC;
    }
    input.inventory().ifPresent(inventory -> move(input, inventory));
    service.serve(
        preparer(),
        input
            .inventory()
            .<ClaimService.Devices>map(it ->
                new ClaimService.Devices.Available(
                    served.of(it, input.driverFolder(), sides.on(GpuSide::preparesClaims))))
            .orElseGet(() -> new ClaimService.Devices.Unavailable(WITHOUT_DRIVER)));
    keepSockets();
    report();
    return isUnderWay() ? LOOK_AGAIN : KEEP;
  }

  /// The checkpoint is read once claims are served, and not on other nodes.
  private ClaimPreparer preparer() {
    ClaimPreparer preparer =
        opened.orElseGet(() ->
            ClaimPreparer.open(
                places,
                new FeatureSwitches(false, false),
                new SharingStep.None(),
                reports.files()));
    opened = Optional.of(preparer);
    return preparer;
  }

  /// The devices of claims that are prepared, or whose preparation has begun.
  private Set<String> prepared() {
    return preparer().claims().values().stream()
        .flatMap(claim -> claim.deviceNames().stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  private boolean isUnderWay() {
    return !sides.on(side -> side == GpuSide.LEAVES_PLUGIN).isEmpty();
  }

  private void keepSockets() {
    switch (sockets.keep()) {
      case Kept.Failed(var reason) -> {
        problems.lines(List.of(reason));
        serving.set(new Serving.Failed(reason));
      }
      case Kept.InPlace() -> {
        problems.lines(List.of());
        serving.updateAndGet(now ->
            now instanceof Serving.Off || now instanceof Serving.Failed
                ? new Serving.Waiting()
                : now);
      }
    }
  }

  private void registered(Registration decision) {
    switch (decision) {
      case Registration.Registered() -> serving.set(new Serving.Registered());
      case Registration.Refused(var reason) ->
          serving.set(
              new Serving.Failed("the kubelet refuses the DRA driver gpu.nvidia.com: " + reason));
    }
    reports.registrations().run();
  }

  private void move(Input input, Inventory inventory) {
    Set<String> gpus =
        inventory.gpus().stream().map(Gpu::uuid).collect(Collectors.toUnmodifiableSet());
    GpuSides next =
        sides.next(
            new GpuSides.Observed(
                input.isByClaims(),
                gpus,
                mayBeOffered(gpus, input.offered()),
                heldByPods(inventory),
                gpus(inventory, prepared()),
                listed(input, inventory),
                allocated(input, inventory)));
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

  /// A GPU counts as offered until it was left out for a moment.
  private Set<String> mayBeOffered(Set<String> gpus, Set<String> offered) {
    long now = System.nanoTime();
    var since = new HashMap<String, Long>();
    var still = new HashSet<String>();
    for (String gpu : gpus) {
      if (offered.contains(gpu)) {
        still.add(gpu);
      } else {
        long began = leftOutSince.getOrDefault(gpu, now);
        since.put(gpu, began);
        if (now - began < LOOK_AGAIN.toNanos()) {
          still.add(gpu);
        }
      }
    }
    leftOutSince = Map.copyOf(since);
    return still;
  }

  /// The kubelet is asked only where the answer can end a step.
  private Optional<Set<String>> heldByPods(Inventory inventory) {
    boolean isAsked =
        inventory.gpus().stream()
            .map(gpu -> sides.byUuid().getOrDefault(gpu.uuid(), GpuSide.LEAVES_PLUGIN))
            .anyMatch(EnumSet.of(GpuSide.PLUGIN, GpuSide.LEAVES_PLUGIN)::contains);
    if (!isAsked) {
      return Optional.empty();
    }
    var gpuOf = new HashMap<String, String>();
    for (Gpu gpu : inventory.gpus()) {
      gpuOf.put(gpu.uuid(), gpu.uuid());
      gpu.mig().migDevices().stream()
          .map(MigDevice::uuid)
          .forEach(device -> gpuOf.put(device, gpu.uuid()));
    }
    return pods.heldDevices()
        .map(held ->
            held.stream()
                .flatMap(device -> Optional.ofNullable(gpuOf.get(device)).stream())
                .collect(Collectors.toUnmodifiableSet()));
  }

  private Optional<Set<String>> allocated(Input input, Inventory inventory) {
    var leaving = new HashSet<>(sides.on(side -> side == GpuSide.LEAVES_CLAIMS));
    Optional<Set<String>> listed = listed(input, inventory);
    if (input.isByClaims() || listed.isEmpty()) {
      return Optional.empty();
    }
    leaving.removeAll(listed.get());
    long now = System.nanoTime();
    boolean isRecent = now - listedNanos < BETWEEN_LISTS.toNanos();
    if (leaving.isEmpty() || (leaving.equals(lookedFor) && isRecent)) {
      return Optional.empty();
    }
    lookedFor = Set.copyOf(leaving);
    listedNanos = now;
    return switch (claims.read()) {
      case AllocatedClaims.Found.Devices(var names) -> Optional.of(gpus(inventory, names));
      case AllocatedClaims.Found.Unknown(var reason) -> {
        problems.lines(List.of(reason));
        yield Optional.empty();
      }
    };
  }

  private static Optional<Set<String>> listed(Input input, Inventory inventory) {
    return input.listed().map(names -> gpus(inventory, names));
  }

  /// The GPUs that devices are, or are parts of.
  private static Set<String> gpus(Inventory inventory, Set<String> devices) {
    Set<String> minors =
        devices.stream()
            .map(DEVICE::matcher)
            .filter(Matcher::matches)
            .map(name -> name.group(1))
            .collect(Collectors.toUnmodifiableSet());
    return inventory.gpus().stream()
        .filter(gpu -> minors.contains("" + gpu.minor()))
        .map(Gpu::uuid)
        .collect(Collectors.toUnmodifiableSet());
  }

  private void report() {
    reports.states().accept(new DraState(sides, serving.get()));
  }

  @Override
  public void close() {
    sockets.close();
  }
}
