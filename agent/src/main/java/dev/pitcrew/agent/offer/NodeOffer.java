package dev.pitcrew.agent.offer;

import dev.pitcrew.agent.cdi.CdiClass;
import dev.pitcrew.agent.cdi.CdiDocument;
import dev.pitcrew.agent.cdi.CdiInput;
import dev.pitcrew.agent.cdi.CdiSpecification;
import dev.pitcrew.agent.cdi.CdiSpecifications;
import dev.pitcrew.agent.cdi.SpecificationFolder;
import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.plugin.DevicePlugins;
import dev.pitcrew.agent.plugin.Offer;
import dev.pitcrew.device.allocatable.Allocatable;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.driver.DeviceNodeSearch;
import dev.pitcrew.hardware.driver.DeviceNodes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
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
  private final SpecificationFolder folder;
  private final Set<String> toldProblems = new HashSet<>();
  private final Set<String> toldOmissions = new HashSet<>();
  private final Set<String> toldFailures = new HashSet<>();
  private Set<String> specified = Set.of();
  private Set<Inventory> specifiedFor = Set.of();

  public NodeOffer(AgentConfig config, OfferPlaces places, DevicePlugins plugins) {
    this.config = config;
    this.places = places;
    this.plugins = plugins;
    this.folder = new SpecificationFolder(places.cdiFolder());
  }

  /// The IMEX channels of the configuration that the node does not have.
  public List<Integer> missingChannels() {
    DeviceNodes nodes = DeviceNodeSearch.find(places.driver().devices(), places.host());
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
        .orElse(new Allocatable(List.of(), List.of()));
  }

  /// Offers a snapshot. A driver that went leaves its specifications: running containers have no
  /// use for them, and new ones are refused by the health of the devices.
  public void offer(NodeSnapshot snapshot) throws InterruptedException {
    offer(snapshot, snapshot.inventory().filter(specifiedFor::contains).isEmpty());
  }

  /// Offers the same again: a file may have gone, a folder that was full may have room, a device
  /// file may have come.
  public void refresh(NodeSnapshot snapshot) throws InterruptedException {
    offer(snapshot, true);
  }

  private void offer(NodeSnapshot snapshot, boolean specifyAnew) throws InterruptedException {
    Optional<Inventory> inventory = snapshot.inventory();
    if (inventory.isEmpty()) {
      plugins.publish(List.of());
      return;
    }
    boolean usesCdi = SettingsFrom.usesCdi(config);
    if (usesCdi && specifyAnew && snapshot instanceof NodeSnapshot.WithDriver) {
      specify(inventory.get());
    }
    boolean isUnresolvable = usesCdi && !specified.contains(CdiClass.GPU.text());
    plugins.publish(isUnresolvable ? List.of() : offers(snapshot, inventory.get()));
  }

  private List<Offer> offers(NodeSnapshot snapshot, Inventory inventory) {
    Allocatable allocatable = allocatable(config, snapshot);
    tellOnce(
        allocatable.problems().stream().map(it -> it.subject() + ": " + it.reason()).toList(),
        toldProblems);
    DeviceNodes nodes = DeviceNodeSearch.find(places.driver().devices(), places.host());
    return Offer.of(
        allocatable, inventory.topology(), SettingsFrom.config(config, nodes, specified));
  }

  /// A class whose file could not be written counts while the former file is there.
  private void specify(Inventory inventory) {
    var input = CdiInput.read(inventory, places.driver(), places.host());
    var generated = CdiSpecifications.generate(input, CdiChoice.options(config));
    tellOnce(generated.omissions(), toldOmissions);
    var classes = new HashSet<String>();
    var failures = new ArrayList<String>();
    for (CdiSpecification specification : generated.specifications()) {
      String deviceClass = specification.kind().deviceClass();
      switch (folder.write(specification, CdiDocument.JSON)) {
        case SpecificationFolder.Outcome.Failed(_, var message) -> {
          failures.add(message);
          Optional.of(deviceClass).filter(specified::contains).ifPresent(classes::add);
        }
        case SpecificationFolder.Outcome.Written _,
            SpecificationFolder.Outcome.Unchanged _,
            SpecificationFolder.Outcome.Removed _ ->
            classes.add(deviceClass);
      }
    }
    tellOnce(failures, toldFailures);
    specified = Set.copyOf(classes);
    boolean isComplete = failures.isEmpty() && generated.omissions().isEmpty();
    specifiedFor = isComplete ? Set.of(inventory) : Set.of();
  }

  /// What is wrong is looked at again and again, and told when it changes.
  private static void tellOnce(List<String> now, Set<String> told) {
    now.stream().filter(line -> !told.contains(line)).forEach(line -> LOG.atWarn().log(line));
    told.retainAll(now);
    told.addAll(now);
  }
}
