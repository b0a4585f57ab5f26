package dev.pitcrew.operator.testing;

import dev.pitcrew.operator.cluster.ClusterFacts;
import dev.pitcrew.operator.cluster.ContainerRuntime;
import dev.pitcrew.operator.cluster.NodePool;
import dev.pitcrew.operator.cluster.OpenShift;
import dev.pitcrew.operator.cluster.OsRelease;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A cluster, told in a few calls. [#cluster] has no node yet, [#oneNode] an Ubuntu one.
public final class Facts {
  private static final Pattern SYSTEM = Pattern.compile("([a-z-]*[a-z])(\\d.*)");

  private final SortedSet<NodePool> pools = new TreeSet<>();
  private final SortedSet<String> unlabelled = new TreeSet<>();
  private final Map<String, SortedSet<String>> configMaps = new TreeMap<>();
  private final Set<String> secrets = new HashSet<>();
  private final Set<String> kinds = new HashSet<>();
  private final SortedMap<String, String> proxy = new TreeMap<>();
  private String namespace = "gpu-operator";
  private ContainerRuntime runtime = ContainerRuntime.CONTAINERD;
  private boolean featureLabels = true;
  private @Nullable String openShift;
  private @Nullable String trustedCa;
  private @Nullable Map<String, String> toolkitImages;
  private final Map<String, String> servedSystems = new TreeMap<>();
  private int nodes;

  private Facts() {}

  public static Facts cluster() {
    return new Facts();
  }

  public static Facts oneNode() {
    return cluster().node("ubuntu22.04");
  }

  /// One CoreOS node of OpenShift 4.16, without a driver toolkit.
  public static Facts openShift() {
    return cluster().openShift("4.16").node("rhcos4.16");
  }

  public Facts namespace(String name) {
    this.namespace = name;
    return this;
  }

  /// @param system id and version in one word, `rocky9.4` for example
  public Facts node(String system) {
    return node(system, "5.15.0-78-generic");
  }

  public Facts node(String system, String kernel) {
    return node(system, kernel, "");
  }

  public Facts node(String system, String kernel, String coreOsRelease) {
    Matcher parts = SYSTEM.matcher(system);
    if (!parts.matches()) {
      throw new IllegalArgumentException(system);
    }
    pools.add(new NodePool(new OsRelease(parts.group(1), parts.group(2)), kernel, coreOsRelease));
    nodes++;
    return this;
  }

  /// A CoreOS node of a release, such as `416.94.202405`.
  public Facts coreOs(String release) {
    return node("rhcos4.16", "5.14.0-427.el9.x86_64", release);
  }

  /// A GPU node that lacks the labels of its operating system.
  public Facts unlabelledNode(String name) {
    unlabelled.add(name);
    nodes++;
    return this;
  }

  public Facts runtime(ContainerRuntime newRuntime) {
    this.runtime = newRuntime;
    return this;
  }

  public Facts openShift(String version) {
    this.openShift = version;
    this.runtime = ContainerRuntime.CRIO;
    return this;
  }

  public Facts proxy(String variable, String value) {
    proxy.put(variable, value);
    return this;
  }

  public Facts trustedCa(String configMap) {
    this.trustedCa = configMap;
    return this;
  }

  /// The ImageStream `driver-toolkit`, CoreOS release → image.
  public Facts driverToolkit(Map<String, String> images) {
    this.toolkitImages = images;
    return this;
  }

  public Facts configMap(String name, String... keys) {
    configMaps.put(name, new TreeSet<>(List.of(keys)));
    return this;
  }

  public Facts secret(String name) {
    secrets.add(name);
    return this;
  }

  public Facts serves(String... optionalKinds) {
    kinds.addAll(List.of(optionalKinds));
    return this;
  }

  /// A DaemonSet of drivers exists and serves a system.
  public Facts serving(String daemonSet, String system) {
    servedSystems.put(daemonSet, system);
    return this;
  }

  public Facts withoutFeatureLabels() {
    this.featureLabels = false;
    return this;
  }

  public ClusterFacts build() {
    return new ClusterFacts(
        namespace,
        runtime,
        Optional.ofNullable(openShift).map(this::openShiftCluster),
        pools,
        nodes > 0,
        unlabelled,
        featureLabels,
        configMaps,
        secrets,
        kinds,
        servedSystems);
  }

  private OpenShift openShiftCluster(String version) {
    return new OpenShift(
        version, proxy, Optional.ofNullable(trustedCa), Optional.ofNullable(toolkitImages), false);
  }
}
