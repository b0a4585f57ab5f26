package dev.pitcrew.agent.offer;

import dev.pitcrew.agent.cdi.CdiClass;
import dev.pitcrew.agent.cdi.CdiDocument;
import dev.pitcrew.agent.cdi.CdiInput;
import dev.pitcrew.agent.cdi.CdiSpecification;
import dev.pitcrew.agent.cdi.CdiSpecifications;
import dev.pitcrew.agent.cdi.CdiSpecifications.Omission;
import dev.pitcrew.agent.cdi.SpecificationFolder;
import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.control.ProblemLog;
import dev.pitcrew.agent.mps.DaemonHealth;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.offer.OfferReport.Advertised;
import dev.pitcrew.agent.plugin.DevicePlugins;
import dev.pitcrew.agent.plugin.Offer;
import dev.pitcrew.device.allocatable.Allocatable;
import dev.pitcrew.device.allocatable.Device;
import dev.pitcrew.device.allocatable.Resource;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.device.mps.MpsPlan;
import dev.pitcrew.hardware.driver.DeviceNodeSearch;
import dev.pitcrew.hardware.driver.DeviceNodes;
import dev.pitcrew.hardware.driver.DriverRoot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the kubelet's offer like the newest snapshot. Equal snapshots cost nothing: files are
/// compared before they are written, and lists before they are sent.
public final class NodeOffer {
  private static final Logger LOG = LoggerFactory.getLogger(NodeOffer.class);

  private final AgentConfig config;
  private final OfferPlaces places;
  private final DevicePlugins plugins;
  private final DaemonHealth daemons;
  private final SpecificationFolder folder;
  private final ProblemLog problems = new ProblemLog(LOG);
  private final ProblemLog omissions = new ProblemLog(LOG);
  private final ProblemLog failures = new ProblemLog(LOG);
  private Set<String> specified = Set.of();
  private Optional<Subject> specifiedFor = Optional.empty();
  private LeftOut unspecified = LeftOut.NOTHING;
  private LeftOut leftOut = LeftOut.NOTHING;
  private Allocatable offered = Allocatable.NOTHING;

  /// What specifications are made of, besides the files below the driver root.
  private record Subject(Inventory inventory, DriverRoot driver, DeviceNodes nodes) {}

  public NodeOffer(AgentConfig config, OfferPlaces places, DevicePlugins plugins) {
    this(config, places, plugins, DaemonHealth.ALL_WELL);
  }

  /// @param daemons asked at each offer where the configuration shares by MPS
  public NodeOffer(
      AgentConfig config, OfferPlaces places, DevicePlugins plugins, DaemonHealth daemons) {
    this.config = config;
    this.places = places;
    this.plugins = plugins;
    this.daemons = daemons;
    this.folder = new SpecificationFolder(places.cdiFolder());
  }

  /// The IMEX channels of the configuration that the node does not have.
  public List<Integer> missingChannels() {
    DeviceNodes nodes = DeviceNodeSearch.find(places.driver().now().devices(), places.host());
    List<Integer> present = SettingsFrom.imexChannels(config, nodes);
    return config.plugin().imex().channels().stream()
        .filter(channel -> !present.contains(channel))
        .toList();
  }

  /// What the configuration makes of a snapshot.
  public static Allocatable allocatable(AgentConfig config, NodeSnapshot snapshot) {
    return snapshot
        .inventory()
        .map(inventory ->
            Allocatable.from(inventory, config.migStrategy(), config.sharing(), snapshot.health()))
        .orElse(Allocatable.NOTHING);
  }

  /// Offers a snapshot. A driver that went leaves its specifications: running containers have no
  /// use for them, and new ones are refused by the health of the devices.
  public OfferReport offer(NodeSnapshot snapshot) throws InterruptedException {
    return offer(snapshot, Set.of(), Set.of());
  }

  /// As the other, without GPUs that claims allocate. A resource that loses all its devices to
  /// claims is served with an empty list while the Node counts it: without one the kubelet keeps
  /// the devices of the former plugin until it restarts (`allDevices` of
  /// pkg/kubelet/cm/devicemanager), and a Topology Manager that is `restricted` or
  /// `single-numa-node` rejects the pods whose claims the scheduler made for the resource.
  ///
  /// @param claimed the UUIDs of those GPUs
  /// @param counted the names of the resources that the Node counts, be it as 0
  public OfferReport offer(NodeSnapshot snapshot, Set<String> claimed, Set<String> counted)
      throws InterruptedException {
    return offer(snapshot, claimed, counted, false);
  }

  /// Offers the same again: a file may have gone, a folder that was full may have room, a device
  /// file may have come.
  public OfferReport refresh(NodeSnapshot snapshot, Set<String> claimed, Set<String> counted)
      throws InterruptedException {
    return offer(snapshot, claimed, counted, true);
  }

  /// How the last offer stands now: the kubelet takes and drops registrations in its own time.
  public OfferReport report() {
    Map<String, String> problems = plugins.problems();
    return new OfferReport(
        offered,
        offered.resources().stream()
            .map(resource -> advertised(resource, problems))
            .sorted(Comparator.comparing(Advertised::name))
            .toList(),
        leftOut.lines(),
        failures.now().stream().sorted().toList());
  }

  private static Advertised advertised(Resource resource, Map<String, String> problems) {
    int healthy = (int) resource.devices().stream().filter(Device::isHealthy).count();
    return new Advertised(
        resource.name(),
        healthy,
        resource.devices().size() - healthy,
        Optional.ofNullable(problems.get(resource.name())));
  }

  private OfferReport offer(
      NodeSnapshot snapshot, Set<String> claimed, Set<String> counted, boolean isRefresh)
      throws InterruptedException {
    Optional<Inventory> inventory = snapshot.inventory();
    if (inventory.isEmpty()) {
      leftOut = LeftOut.NOTHING;
      publish(List.of(), Allocatable.NOTHING.withoutClaimed(claimed));
      return report();
    }
    DriverRoot driver = places.driver().now();
    var subject =
        new Subject(
            inventory.get(), driver, DeviceNodeSearch.find(driver.devices(), places.host()));
    Allocatable all = configured(snapshot);
    Allocatable configured = all.withoutClaimed(claimed);
    if (snapshot instanceof NodeSnapshot.WithDriver) {
      leave(configured, subject, isRefresh);
    }
    Allocatable next = leftOut.from(configured);
    var settings = SettingsFrom.config(config, subject.nodes(), driver.devicesOnHost(), specified);
    Topology topology = subject.inventory().topology();
    var offers = new ArrayList<>(Offer.of(next, topology, settings));
    all.resources().stream()
        .filter(resource -> counted.contains(resource.name()))
        .filter(resource -> configured.resource(resource.name()).isEmpty())
        .map(resource -> new Offer(resource.withoutDevices(), topology, settings))
        .forEach(offers::add);
    publish(offers, next);
    return report();
  }

  private void publish(List<Offer> offers, Allocatable next) throws InterruptedException {
    plugins.publish(offers);
    offered = next;
  }

  private Allocatable configured(NodeSnapshot snapshot) throws InterruptedException {
    Allocatable all = allocatable(config, snapshot);
    problems.lines(all.problems().stream().map(it -> it.subject() + ": " + it.reason()).toList());
    return config.sharesByMps() ? all.with(daemons.down(MpsPlan.of(all.resources()))) : all;
  }

  /// Decides what no container could be started with. Without a driver that stays as it was: its
  /// device files go with it, and the devices are unhealthy anyway.
  private void leave(Allocatable configured, Subject subject, boolean isRefresh) {
    LeftOut next = LeftOut.NOTHING;
    if (SettingsFrom.usesCdi(config)) {
      if (isRefresh || specifiedFor.filter(subject::equals).isEmpty()) {
        unspecified = specify(subject);
      }
      next = unspecified;
    }
    leftOut =
        SettingsFrom.passesNodes(config)
            ? next.and(LeftOut.withoutNodes(configured, subject.nodes(), places.hasNodesMade()))
            : next;
  }

  /// A class whose file could not be written counts while the former file, be it of an earlier
  /// process, gives the same.
  private LeftOut specify(Subject subject) {
    var input = CdiInput.read(subject.inventory(), subject.driver(), places.host());
    var generated = CdiSpecifications.generate(input, CdiChoice.options(config));
    omissions.lines(generated.omissions().stream().map(Omission::text).toList());
    var classes = new HashSet<String>();
    var unwritten = new ArrayList<String>();
    for (CdiSpecification specification : generated.specifications()) {
      String deviceClass = specification.kind().deviceClass();
      switch (folder.write(specification, CdiDocument.JSON)) {
        case SpecificationFolder.Outcome.Failed(_, var message, boolean serves) -> {
          unwritten.add(message);
          if (serves) {
            classes.add(deviceClass);
          }
        }
        case SpecificationFolder.Outcome.Written _, SpecificationFolder.Outcome.Unchanged _ ->
            classes.add(deviceClass);
      }
    }
    failures.lines(unwritten);
    specified = Set.copyOf(classes);
    boolean isComplete = unwritten.isEmpty() && generated.omissions().isEmpty();
    specifiedFor = Optional.of(subject).filter(_ -> isComplete);
    return LeftOut.unspecified(
        generated.omissions(), specified.contains(CdiClass.GPU.text()), places.hasNodesMade());
  }
}
