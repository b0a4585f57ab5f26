package dev.pitcrew.agent.config;

import dev.pitcrew.device.sharing.Sharing;
import dev.pitcrew.device.sharing.Sharing.DeviceSelection;
import dev.pitcrew.device.sharing.Sharing.SharedResource;
import dev.pitcrew.device.sharing.Sharing.Strategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// `sharing.timeSlicing` or `sharing.mps`. Their keys match exactly.
///
/// Names follow NVIDIA's device plugin: replicas keep their resource's name, or get the suffix
/// `.shared` with `renameByDefault`; any other `rename` has no effect. Selections in `devices`,
/// which that plugin ignores, are honoured.
final class SharingSection {
  private static final List<String> KEYS =
      List.of("renameByDefault", "failRequestsGreaterThanOne", "resources");
  private static final List<String> RESOURCE_KEYS =
      List.of("name", "replicas", "devices", "rename");
  private static final int FEWEST_REPLICAS = 2;

  private final Strategy strategy;
  private final ConfigTree tree;
  private final Findings findings;

  private SharingSection(Strategy strategy, ConfigTree tree, Findings findings) {
    this.strategy = strategy;
    this.tree = tree;
    this.findings = findings;
  }

  static Optional<Sharing> read(Strategy strategy, String path, Object value, Findings findings) {
    return ConfigTree.of(path, value, findings)
        .map(tree -> new SharingSection(strategy, tree, findings).sharing());
  }

  private Sharing sharing() {
    warnUnknown(tree, KEYS);
    boolean renameByDefault = truth("renameByDefault", false);
    // An MPS client gains nothing from a second replica, so NVIDIA's device plugin refuses it.
    boolean failGreater = truth("failRequestsGreaterThanOne", strategy == Strategy.MPS);
    var resources = new ArrayList<SharedResource>();
    for (ConfigTree item : items()) {
      resource(item, renameByDefault).ifPresent(resources::add);
    }
    warnRepeated(resources);
    return new Sharing(strategy, resources, failGreater);
  }

  private List<ConfigTree> items() {
    String path = tree.pathOf("resources");
    Object value = tree.value("resources").orElse(List.of());
    if (!(value instanceof List<?> list) || list.isEmpty()) {
      findings.problem(
          path, "", "no resources specified; list at least one with name and replicas");
      return List.of();
    }
    var items = new ArrayList<ConfigTree>();
    for (int i = 0; i < list.size(); i++) {
      ConfigTree.of("%s[%d]".formatted(path, i), list.get(i), findings).ifPresent(items::add);
    }
    return items;
  }

  private Optional<SharedResource> resource(ConfigTree item, boolean renameByDefault) {
    warnUnknown(item, RESOURCE_KEYS);
    Optional<ResourceName> name = name(item, "name", true);
    Optional<ResourceName> rename = name(item, "rename", false);
    Optional<Integer> replicas = replicas(item);
    DeviceSelection devices = devices(item);
    if (name.isEmpty() || replicas.isEmpty()) {
      return Optional.empty();
    }
    Optional<String> offered = renameByDefault ? name.map(ResourceName::shared) : Optional.empty();
    rename.ifPresent(wanted -> warnRename(item, wanted, offered.orElse(name.get().full())));
    return Optional.of(new SharedResource(name.get().full(), offered, devices, replicas.get()));
  }

  private Optional<ResourceName> name(ConfigTree item, String key, boolean mandatory) {
    Optional<Object> value = item.value(key);
    Optional<ResourceName> name =
        value.filter(String.class::isInstance).map(String.class::cast).flatMap(ResourceName::parse);
    if (name.isEmpty() && (mandatory || value.isPresent())) {
      String shown = value.map(String::valueOf).orElse("");
      findings.problem(item.pathOf(key), shown, ResourceName.VALID);
    }
    return name;
  }

  private Optional<Integer> replicas(ConfigTree item) {
    Optional<Object> value = item.value("replicas");
    Optional<Integer> replicas =
        value
            .filter(Integer.class::isInstance)
            .map(Integer.class::cast)
            .filter(number -> number >= FEWEST_REPLICAS);
    if (replicas.isEmpty()) {
      String shown = value.map(String::valueOf).orElse("");
      findings.problem(item.pathOf("replicas"), shown, "give a whole number, 2 or more");
    }
    return replicas;
  }

  private DeviceSelection devices(ConfigTree item) {
    Object value = item.value("devices").orElse("all");
    Optional<DeviceSelection> devices = DeviceSelector.parse(value);
    if (devices.isEmpty()) {
      findings.problem(item.pathOf("devices"), String.valueOf(value), DeviceSelector.VALID);
    }
    return devices.orElseGet(DeviceSelection.All::new);
  }

  private boolean truth(String key, boolean otherwise) {
    Object value = tree.value(key).orElse(otherwise);
    if (value instanceof Boolean truth) {
      return truth;
    }
    findings.problem(tree.pathOf(key), String.valueOf(value), "give true or false");
    return otherwise;
  }

  private void warnUnknown(ConfigTree where, List<String> known) {
    where
        .unknown(known)
        .forEach(key -> findings.warn(where.pathOf(key) + " is no known key and has no effect"));
  }

  private void warnRename(ConfigTree item, ResourceName wanted, String offered) {
    if (!wanted.full().equals(offered)) {
      findings.warn(
          "%s is '%s' and has no effect: the replicas are offered as %s"
              .formatted(item.pathOf("rename"), wanted.full(), offered));
    }
  }

  private void warnRepeated(List<SharedResource> resources) {
    var seen = new ArrayList<String>();
    for (SharedResource shared : resources) {
      if (seen.contains(shared.resource())) {
        findings.warn(
            "%s names %s more than once; the first counts"
                .formatted(tree.pathOf("resources"), shared.resource()));
      }
      seen.add(shared.resource());
    }
  }
}
