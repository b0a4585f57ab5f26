package dev.pitcrew.agent.offer;

import dev.pitcrew.agent.cdi.CdiDocument;
import dev.pitcrew.agent.cdi.CdiInput;
import dev.pitcrew.agent.cdi.CdiSpecification;
import dev.pitcrew.agent.cdi.CdiSpecifications;
import dev.pitcrew.agent.cdi.SpecificationFolder;
import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.plugin.DevicePlugins;
import dev.pitcrew.agent.plugin.Offer;
import dev.pitcrew.agent.plugin.PluginSettings;
import dev.pitcrew.device.allocatable.Allocatable;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.driver.DeviceNodeSearch;
import dev.pitcrew.hardware.driver.DeviceNodes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the kubelet's offer like the newest snapshot. Equal snapshots cost nothing: files are
/// compared before they are written, and lists before they are sent.
public final class NodeOffer {
  private static final Logger LOG = LoggerFactory.getLogger(NodeOffer.class);

  private final AgentConfig config;
  private final OfferPlaces places;
  private final DevicePlugins plugins;
  private Set<String> specified = Set.of();
  private Optional<Inventory> specifiedFor = Optional.empty();

  public NodeOffer(AgentConfig config, OfferPlaces places, DevicePlugins plugins) {
    this.config = config;
    this.places = places;
    this.plugins = plugins;
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
    Optional<Inventory> inventory = snapshot.inventory();
    if (inventory.isEmpty()) {
      plugins.publish(List.of());
      return;
    }
    DeviceNodes nodes = DeviceNodeSearch.find(places.driver().devices(), places.host());
    if (snapshot instanceof NodeSnapshot.WithDriver && usesCdi()) {
      specify(inventory.get());
    }
    Allocatable allocatable = allocatable(config, snapshot);
    allocatable
        .problems()
        .forEach(it -> LOG.atWarn().addKeyValue("subject", it.subject()).log(it.reason()));
    PluginSettings settings = SettingsFrom.config(config, nodes, specified);
    plugins.publish(Offer.of(allocatable, inventory.get().topology(), settings));
  }

  private boolean usesCdi() {
    return SettingsFrom.usesCdi(config);
  }

  private void specify(Inventory inventory) {
    if (specifiedFor.filter(inventory::equals).isPresent()) {
      return;
    }
    var input = CdiInput.read(inventory, places.driver(), places.host());
    var generated = CdiSpecifications.generate(input, CdiChoice.options(config));
    generated.omissions().forEach(omission -> LOG.atWarn().log(omission));
    var folder = new SpecificationFolder(places.cdiFolder());
    List<CdiSpecification> written = new ArrayList<>();
    for (CdiSpecification specification : generated.specifications()) {
      switch (folder.write(specification, CdiDocument.JSON)) {
        case SpecificationFolder.Outcome.Failed(_, var message) -> LOG.atError().log(message);
        case SpecificationFolder.Outcome.Written _,
            SpecificationFolder.Outcome.Unchanged _,
            SpecificationFolder.Outcome.Removed _ ->
            written.add(specification);
      }
    }
    specified =
        written.stream().map(it -> it.kind().deviceClass()).collect(Collectors.toUnmodifiableSet());
    boolean isComplete = written.size() == generated.specifications().size();
    specifiedFor = Optional.of(inventory).filter(_ -> isComplete);
  }
}
