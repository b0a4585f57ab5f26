package dev.pitcrew.agent.dra;

import dev.pitcrew.agent.cdi.CdiDocument;
import dev.pitcrew.agent.cdi.CdiOptions;
import dev.pitcrew.agent.cdi.CdiSpecification;
import dev.pitcrew.agent.cdi.CdiSpecifications;
import dev.pitcrew.agent.cdi.InstalledHook;
import dev.pitcrew.agent.cdi.SpecificationFolder;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.AgentContext.KubeletRoot;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.control.ProblemLog;
import dev.pitcrew.agent.dra.DomainState.Offer;
import dev.pitcrew.agent.dra.claims.CheckpointPlace;
import dev.pitcrew.agent.dra.claims.PrepareOutcome;
import dev.pitcrew.agent.dra.claims.UnprepareOutcome;
import dev.pitcrew.agent.dra.claims.plan.ClaimObject;
import dev.pitcrew.agent.dra.domains.DomainPlaces;
import dev.pitcrew.agent.dra.domains.DomainPreparer;
import dev.pitcrew.agent.dra.domains.ImexNumbers;
import dev.pitcrew.agent.dra.domains.plan.DomainNode;
import dev.pitcrew.agent.dra.domains.plan.DomainNode.Suitability;
import dev.pitcrew.agent.dra.domains.plan.DomainSpecification;
import dev.pitcrew.agent.host.HostFacts;
import dev.pitcrew.agent.state.FileReports;
import dev.pitcrew.agent.state.StateFolder;
import dev.pitcrew.device.dra.DomainDevice;
import dev.pitcrew.device.inventory.Inventory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs the DRA driver `compute-domain.nvidia.com` of the node:
///
/// 1. Where it shall not run and has no claims left, nothing is open. A checkpoint counts only
///    where this driver has served: it may be that of NVIDIA's driver, which runs there.
/// 2. While another process is the driver of the node ([DriverOwnership]), nothing is open either,
///    and its checkpoint and ResourceSlices are left alone.
/// 3. See whether the node is suitable, and keep the CDI specification of IMEX daemons.
/// 4. Prepare claims, and make the sockets that are missing.
/// 5. Remove the folders of domains that are gone, every ten minutes.
/// 6. Report whether its devices are to be in ResourceSlices.
public final class DomainController implements Controller<DomainController.Input>, AutoCloseable {
  /// Whether this driver may have claims on the node, in the state folder.
  static final String FILE = "compute-domains";

  private static final String SERVED = "served";
  private static final String NOT_SERVED = "not served";
  private static final Logger LOG = LoggerFactory.getLogger(DomainController.class);

  /// A socket may have been removed.
  private static final Duration KEEP = Duration.ofSeconds(10);

  /// Calls of the kubelet are under way.
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

  private static final Duration BETWEEN_SWEEPS = Duration.ofMinutes(10);

  private final AgentContext context;
  private final StateFolder folder;
  private final DomainPlaces places;
  private final SpecificationFolder cdi;
  private final ClaimService service;
  private final DraSockets sockets;
  private final NodeCdi node;
  private final DraMetrics.OfDriver metrics;
  private final Reports reports;
  private final ProblemLog problems = new ProblemLog(LOG);
  private Optional<DomainPreparer> opened = Optional.empty();
  private Optional<NodeCdi.Found> specified = Optional.empty();
  private Optional<Suitability> suitability = Optional.empty();
  private volatile Offer offer = Offer.NEVER;
  private volatile boolean isPublished;
  private Instant nextSweep = Instant.EPOCH;
  private boolean hasServed;

  /// @param isOn whether claims for ComputeDomains shall be served
  /// @param driverFolder where driver containers put the driver on the host
  /// @param inventory the GPUs; empty while the driver does not answer
  public record Input(boolean isOn, String driverFolder, Optional<Inventory> inventory) {}

  /// @param states receives how the driver stands
  /// @param files receives whether the checkpoint could be written
  /// @param registrations called when the kubelet has decided on a registration
  public record Reports(Consumer<DomainState> states, FileReports files, Runnable registrations) {}

  public DomainController(
      AgentContext context,
      ApiServer server,
      StateFolder folder,
      InstalledHook hook,
      DraMetrics metrics,
      Reports reports) {
    KubeletRoot root = context.folders().kubeletRoot();
    this.context = context;
    this.folder = folder;
    this.hasServed = folder.read(FILE).filter(SERVED::equals).isPresent();
    this.cdi = new SpecificationFolder(context.folders().cdi()).forOwnerOnly();
    this.places =
        new DomainPlaces(
            new CheckpointPlace(
                DraSockets.folder(root, DomainDevice.DRIVER),
                context.identity().node(),
                HostFacts.bootId(context.host()).strip()),
            DraSockets.folder(KubeletRoot.of(Path.of(root.onHost())), DomainDevice.DRIVER),
            cdi,
            server);
    this.node = new NodeCdi(context, hook);
    this.metrics = metrics.of(DomainDevice.DRIVER);
    this.service = new ClaimService(server, this.metrics);
    var probe = new HealthService(HealthService.DOMAIN_PORT, this::isServing);
    this.sockets =
        new DraSockets(
            root,
            DomainDevice.DRIVER,
            new DraSockets.Services(service, Optional.empty(), probe),
            reports.registrations());
    this.reports = reports;
  }

  @Override
  public Duration reconcile(Input input) {
    if ((input.isOn() || hasServed) && !sockets.takeOwnership()) {
      return yieldToOther(input);
    }
    if (!input.isOn() && !hasClaims()) {
      sockets.close();
      metrics.stop();
      offer = Offer.NEVER;
      isPublished = false;
      opened = Optional.empty();
      remember(false);
      report(input);
      return RESYNC;
    }
    remember(true);
    DomainPreparer preparer = preparer();
    var lines = new ArrayList<String>();
    input
        .inventory()
        .ifPresent(inventory -> {
          suitability =
              Optional.of(
                  DomainNode.of(
                      context.identity().node(), inventory, ImexNumbers.read(context.host())));
          lines.addAll(specify(node.of(inventory, input.driverFolder())));
        });
    metrics.serve(() -> preparer.claims().values());
    service.serve(new Claims(preparer, prepares(input)));
    lines.addAll(sockets.keep());
    lines.addAll(sweep(preparer));
    problems.lines(lines);
    offer = next(input);
    report(input);
    return KEEP;
  }

  /// What the last calls of the kubelet write is written before the other process may write.
  private Duration yieldToOther(Input input) {
    problems.lines(sockets.serving().problem().stream().toList());
    metrics.stop();
    offer = Offer.NEVER;
    isPublished = false;
    boolean isIdle = service.stop();
    if (isIdle) {
      opened = Optional.empty();
      remember(false);
      sockets.release();
    }
    report(input);
    return isIdle ? KEEP : LOOK_AGAIN;
  }

  /// The ResourceSlices are as the last report says.
  public void published() {
    isPublished = true;
  }

  private boolean hasClaims() {
    return hasServed && places.hasCheckpoint() && !preparer().claims().isEmpty();
  }

  private void remember(boolean serves) {
    if (serves != hasServed) {
      hasServed = serves;
      reports.files().report(FILE, folder.keep(FILE, serves ? SERVED : NOT_SERVED));
    }
  }

  private DomainPreparer preparer() {
    DomainPreparer preparer =
        opened.orElseGet(() ->
            DomainPreparer.open(
                places,
                (name, problem) ->
                    reports.files().report(DomainDevice.DRIVER + "/" + name, problem)));
    opened = Optional.of(preparer);
    return preparer;
  }

  /// For the IMEX daemons of the node.
  private List<String> specify(NodeCdi.Found found) {
    if (specified.filter(found::equals).isPresent()) {
      return List.of();
    }
    var made = CdiSpecifications.generate(found.input(), CdiOptions.ofDomains(found.hookPath()));
    var lines =
        new ArrayList<String>(
            made.omissions().stream().map(CdiSpecifications.Omission::text).toList());
    for (CdiSpecification one : made.specifications()) {
      if (cdi.write(DomainSpecification.base(one), CdiDocument.YAML)
          instanceof SpecificationFolder.Outcome.Failed(_, var message, _)) {
        lines.add(message);
        return lines;
      }
    }
    specified = Optional.of(found);
    return lines;
  }

  private Suitability prepares(Input input) {
    return input.inventory().isEmpty()
        ? new Suitability.Unsuitable(DraController.WITHOUT_DRIVER)
        : suitability.orElseThrow();
  }

  /// While the driver is unloaded the slices stay as they are. Those of an earlier agent are there
  /// where this one only serves the claims that are left.
  private Offer next(Input input) {
    if (!input.isOn()) {
      return Offer.WITHDRAWN;
    }
    if (suitability.filter(Suitability.Suitable.class::isInstance).isPresent()) {
      return Offer.OFFERED;
    }
    return offer == Offer.NEVER ? Offer.NEVER : Offer.WITHDRAWN;
  }

  private List<String> sweep(DomainPreparer preparer) {
    if (context.clock().instant().isBefore(nextSweep)) {
      return List.of();
    }
    nextSweep = context.clock().instant().plus(BETWEEN_SWEEPS);
    return preparer.sweep();
  }

  private boolean isServing() {
    return isPublished && offer == Offer.OFFERED && sockets.isRegistered();
  }

  private void report(Input input) {
    Optional<String> unsuitable =
        suitability
            .filter(_ -> input.isOn())
            .flatMap(it ->
                it instanceof Suitability.Unsuitable(var reason)
                    ? Optional.of("no ComputeDomains on this node: " + reason)
                    : Optional.empty());
    reports.states().accept(new DomainState(sockets.serving(), offer, unsuitable));
  }

  private record Claims(DomainPreparer preparer, Suitability node) implements ClaimHandler {
    @Override
    public PrepareOutcome prepare(ClaimObject claim, Duration left) {
      return switch (node) {
        case Suitability.Suitable(var suitable) -> preparer.prepare(claim, suitable, left);
        case Suitability.Unsuitable(var reason) ->
            new PrepareOutcome.NotReady("claim %s: %s".formatted(claim.text(), reason));
      };
    }

    @Override
    public UnprepareOutcome unprepare(String uid) {
      return preparer.unprepare(uid);
    }
  }

  @Override
  public void close() {
    sockets.close();
  }
}
