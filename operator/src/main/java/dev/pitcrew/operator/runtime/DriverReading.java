package dev.pitcrew.operator.runtime;

import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.api.clusterpolicy.ClusterPolicy;
import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.nvidiadriver.NvidiaDriver;
import dev.pitcrew.operator.driver.DriverFleet;
import dev.pitcrew.operator.driver.DriverPlan;
import dev.pitcrew.operator.driver.DriverResource;
import dev.pitcrew.operator.node.NodeFacts;
import dev.pitcrew.operator.operand.driver.DriverSettings;
import dev.pitcrew.operator.operand.driver.OwnManagerContainer;
import dev.pitcrew.operator.policy.PolicyInForce;
import dev.pitcrew.operator.render.Images;
import dev.pitcrew.operator.render.Problem;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Reads the caches into all that NVIDIADrivers are planned from.
final class DriverReading {
  private final Caches caches;
  private final FactGathering facts;
  private final ReferencedContent content;
  private final Images images;

  DriverReading(Caches caches, FactGathering facts, ReferencedContent content, Images images) {
    this.caches = caches;
    this.facts = facts;
    this.content = content;
    this.images = images;
  }

  /// An NVIDIADriver and what it comes to.
  record Planned(GenericKubernetesResource resource, DriverPlan plan) {}

  /// @param enabled whether drivers are left to NVIDIADrivers
  record Seen(boolean enabled, DriverFleet fleet, List<Planned> planned) {}

  private record Read(GenericKubernetesResource resource, DriverResource driver) {}

  private record Unread(GenericKubernetesResource resource, Problem problem) {}

  /// What has to be known before anything can be planned, if it is not.
  Optional<String> unknown() {
    if (caches.isDoubtful()) {
      return Optional.of("the API server serves none of a kind that it has a definition of");
    }
    return facts.isComplete()
        ? Optional.empty()
        : Optional.of("the API server has not yet listed the objects that describe OpenShift");
  }

  /// @throws UnreadableResource when the ClusterPolicy in force cannot be read
  Seen read() {
    Optional<ClusterPolicySpec> policy =
        PolicyInForce.of(caches.policies().all()).map(DriverReading::spec);
    var read = new ArrayList<Read>();
    var unread = new ArrayList<Unread>();
    caches.drivers().stream()
        .filter(resource -> resource.getMetadata().getDeletionTimestamp() == null)
        .sorted(Comparator.comparing(resource -> resource.getMetadata().getName()))
        .forEach(resource -> read(resource, read, unread));
    DriverFleet fleet = fleet(read, unread);
    boolean enabled = policy.map(spec -> spec.driver().isLeftToNvidiaDrivers()).orElse(true);
    var planned = new ArrayList<Planned>();
    unread.forEach(
        it -> planned.add(new Planned(it.resource(), new DriverPlan.Refused(it.problem()))));
    var surroundings =
        new DriverPlan.Surroundings(
            hostRoot(policy), facts.gather(secrets(read)), images, manager(), caches::daemonSet);
    read.forEach(it ->
        planned.add(new Planned(it.resource(), DriverPlan.of(it.driver(), fleet, surroundings))));
    return new Seen(enabled, fleet, planned);
  }

  private OwnManagerContainer manager() {
    return new OwnManagerContainer(caches.agent());
  }

  private DriverFleet fleet(List<Read> read, List<Unread> unread) {
    Set<String> unreadable = new HashSet<>();
    unread.forEach(it -> unreadable.add(it.resource().getMetadata().getName()));
    return DriverFleet.of(
        read.stream().map(Read::driver).toList(),
        unreadable,
        read.isEmpty()
            ? List.of()
            : caches.nodes().stream().map(NodeFacts::of).filter(NodeFacts::isGpuNode).toList());
  }

  private static Set<String> secrets(List<Read> read) {
    return read.stream()
        .flatMap(it -> DriverSettings.of(it.driver().spec()).references().secrets().stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  private String hostRoot(Optional<ClusterPolicySpec> policy) {
    return caches.gpuClusters().all().isEmpty()
        ? policy.map(spec -> Objects.requireNonNullElse(spec.hostPaths().rootFS(), "")).orElse("/")
        : "/";
  }

  private static ClusterPolicySpec spec(GenericKubernetesResource policy) {
    return ApiJson.read(Documents.tree(policy), ClusterPolicy.class).spec();
  }

  private void read(GenericKubernetesResource resource, List<Read> read, List<Unread> unread) {
    try {
      NvidiaDriver driver = ApiJson.read(Documents.tree(resource), NvidiaDriver.class);
      var metadata = resource.getMetadata();
      read.add(
          new Read(
              resource,
              new DriverResource(
                  metadata.getName(),
                  metadata.getUid(),
                  driver.spec(),
                  content.of(resource, DriverSettings.of(driver.spec()).used()))));
    } catch (UnreadableResource e) {
      String message = Objects.requireNonNullElse(e.getMessage(), "unreadable");
      unread.add(new Unread(resource, new Problem("SpecInvalid", message)));
    }
  }
}
