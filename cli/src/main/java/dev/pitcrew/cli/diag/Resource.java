package dev.pitcrew.cli.diag;

import dev.pitcrew.cli.transport.Json;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// One list of objects that a bundle has. Secrets are none of them.
///
/// @param file where they are written, one after the other; with `%s` each has a file of its own,
///   and that is its name
/// @param kept which of the objects
record Resource(String file, String apiVersion, String kind, String path, Predicate<Json> kept) {
  private static final String DRIVER = "nvidia.com";
  private static final Set<String> OWN_KINDS =
      Set.of(
          "GPUNode", "ClusterPolicy", "NVIDIADriver", "FleetPolicy", "GPUCluster", "ComputeDomain");

  /// @param namespace the operator's
  static List<Resource> all(Selection selection, String namespace) {
    Predicate<Json> selected = it -> selection.nodes().contains(it.at("metadata", "name").text());
    var all = new ArrayList<Resource>();
    all.add(cluster("clusterpolicies", "nvidia.com/v1", "ClusterPolicy", _ -> true));
    all.add(cluster("nvidiadrivers", "nvidia.com/v1alpha1", "NVIDIADriver", _ -> true));
    all.add(cluster("gpuclusters", "nvidia.com/v1alpha1", "GPUCluster", _ -> true));
    all.add(cluster("fleetpolicies", "pitcrew.dev/v1alpha1", "FleetPolicy", _ -> true));
    all.add(
        new Resource(
            "nodes/%s/gpunode.yaml",
            "pitcrew.dev/v1alpha1", "GPUNode", "/apis/pitcrew.dev/v1alpha1/gpunodes", selected));
    all.add(new Resource("nodes/%s/node.yaml", "v1", "Node", "/api/v1/nodes", selected));
    all.add(cluster("computedomains", "resource.nvidia.com/v1beta1", "ComputeDomain", _ -> true));
    all.add(
        cluster(
            "computedomaincliques",
            "resource.nvidia.com/v1beta1",
            "ComputeDomainClique",
            _ -> true));
    all.add(
        cluster(
            "resourceslices", "resource.k8s.io/v1", "ResourceSlice", it -> isSlice(it, selection)));
    all.add(cluster("resourceclaims", "resource.k8s.io/v1", "ResourceClaim", Resource::isClaim));
    all.add(
        cluster(
            "deviceclasses",
            "resource.k8s.io/v1",
            "DeviceClass",
            it -> it.at("metadata", "name").text().endsWith(DRIVER)));
    all.add(cluster("runtimeclasses", "node.k8s.io/v1", "RuntimeClass", _ -> true));
    all.add(
        new Resource(
            "resources/events.yaml",
            "v1",
            "Event",
            "/api/v1/namespaces/default/events",
            it -> isEvent(it, selection)));
    String apps = "/apis/apps/v1/namespaces/" + namespace + "/";
    String core = "/api/v1/namespaces/" + namespace + "/";
    all.add(
        new Resource(
            "namespace/daemonsets.yaml", "apps/v1", "DaemonSet", apps + "daemonsets", _ -> true));
    all.add(
        new Resource(
            "namespace/deployments.yaml",
            "apps/v1",
            "Deployment",
            apps + "deployments",
            _ -> true));
    all.add(
        new Resource(
            "namespace/configmaps.yaml", "v1", "ConfigMap", core + "configmaps", _ -> true));
    all.add(new Resource("namespace/services.yaml", "v1", "Service", core + "services", _ -> true));
    all.add(
        new Resource(
            "namespace/leases.yaml",
            "coordination.k8s.io/v1",
            "Lease",
            "/apis/coordination.k8s.io/v1/namespaces/" + namespace + "/leases",
            _ -> true));
    all.add(new Resource("namespace/events.yaml", "v1", "Event", core + "events", _ -> true));
    return List.copyOf(all);
  }

  /// Pods are read before the rest, since their logs are chosen by them.
  static Resource pods(Selection selection, String namespace) {
    return new Resource(
        "namespace/pods.yaml",
        "v1",
        "Pod",
        "/api/v1/namespaces/" + namespace + "/pods",
        selection::hasPod);
  }

  /// The newest Events, in the order in which they happened.
  ///
  /// @param since from when on; empty for all
  static List<Json> newest(List<Json> events, int most, Optional<Instant> since) {
    return events.stream()
        .filter(event -> since.map(it -> !time(event).isBefore(it)).orElse(true))
        .sorted(Comparator.comparing(Resource::time).reversed())
        .limit(most)
        .sorted(Comparator.comparing(Resource::time))
        .toList();
  }

  /// An Event without a time that can be read is the oldest.
  private static Instant time(Json event) {
    return List.of(
            event.at("series", "lastObservedTime"),
            event.at("lastTimestamp"),
            event.at("eventTime"),
            event.at("metadata", "creationTimestamp"))
        .stream()
        .map(Json::text)
        .filter(it -> !it.isEmpty())
        .findFirst()
        .flatMap(Resource::parsed)
        .orElse(Instant.EPOCH);
  }

  private static Optional<Instant> parsed(String text) {
    try {
      return Optional.of(Instant.parse(text));
    } catch (DateTimeParseException _) {
      return Optional.empty();
    }
  }

  private static Resource cluster(
      String plural, String apiVersion, String kind, Predicate<Json> kept) {
    return new Resource(
        "resources/" + plural + ".yaml",
        apiVersion,
        kind,
        "/apis/" + apiVersion + "/" + plural,
        kept);
  }

  private static boolean isSlice(Json slice, Selection selection) {
    String node = slice.at("spec", "nodeName").text();
    return slice.at("spec", "driver").text().endsWith(DRIVER)
        && (node.isEmpty() || selection.nodes().contains(node));
  }

  private static boolean isClaim(Json claim) {
    Stream<String> classes =
        claim.at("spec", "devices", "requests").items().stream()
            .flatMap(it ->
                Stream.concat(Stream.of(it.at("exactly")), it.at("firstAvailable").items().stream())
                    .map(request -> request.at("deviceClassName").text()));
    Stream<String> drivers =
        claim.at("status", "allocation", "devices", "results").items().stream()
            .map(it -> it.at("driver").text());
    return Stream.concat(classes, drivers).anyMatch(it -> it.endsWith(DRIVER));
  }

  private static boolean isEvent(Json event, Selection selection) {
    String kind = event.at("involvedObject", "kind").text();
    boolean isOfNode = kind.equals("Node") || kind.equals("GPUNode");
    return isOfNode
        ? selection.nodes().contains(event.at("involvedObject", "name").text())
        : OWN_KINDS.contains(kind);
  }
}
