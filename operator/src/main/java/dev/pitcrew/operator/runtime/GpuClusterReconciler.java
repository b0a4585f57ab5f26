package dev.pitcrew.operator.runtime;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.api.gpucluster.GpuCluster;
import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.operator.gpucluster.GpuClusterPlan;
import dev.pitcrew.operator.gpucluster.GpuClusterVerdict;
import dev.pitcrew.operator.operand.dra.DraContext;
import dev.pitcrew.operator.policy.HandOver;
import dev.pitcrew.operator.policy.Ownership;
import dev.pitcrew.operator.policy.PolicyInForce;
import dev.pitcrew.operator.policy.Rollout;
import dev.pitcrew.operator.render.AgentOrders;
import dev.pitcrew.operator.render.Images;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Brings the cluster to what its GPUCluster says. There is at most one: its definition allows one
/// name only.
///
/// 1. A GPUCluster that is being deleted goes by [GpuClusterDeletion].
/// 2. It gets the finalizer, by which the consumers of claims end before the driver does.
/// 3. Beside a ClusterPolicy nothing is done.
/// 4. The namespace is allowed to have claims with administrator access.
/// 5. Its objects are applied, those that nothing asks for are deleted, and nodes are labelled.
/// 6. The status says what has come of it.
///
/// For use by one thread at a time.
final class GpuClusterReconciler implements AutoCloseable {
  /// How long to wait before the caches are looked at again; the API server is not asked for it.
  private static final Duration UNTIL_KNOWN = Duration.ofSeconds(1);

  /// By which the API server lets a namespace have claims with administrator access (KEP-5018).
  private static final String ADMIN_ACCESS = "resource.kubernetes.io/admin-access";

  private static final Logger log = LoggerFactory.getLogger(GpuClusterReconciler.class);

  private final Caches caches;
  private final FactGathering facts;
  private final Images images;
  private final ObjectApply objects;
  private final Applier applier;
  private final OptionalKinds kinds;
  private final NodeReconciler nodes;
  private final Rollouts rollouts;
  private final PolicyStatusWriter status;
  private final GpuClusterDeletion deletion;
  private final InstantSource clock;
  private final ProgressDebounce debounce = new ProgressDebounce();

  GpuClusterReconciler(
      Caches caches,
      FactGathering facts,
      Images images,
      ObjectApply objects,
      Applier applier,
      OptionalKinds kinds,
      NodeReconciler nodes,
      Rollouts rollouts,
      PolicyStatusWriter status,
      GpuClusterDeletion deletion,
      InstantSource clock) {
    this.caches = caches;
    this.facts = facts;
    this.images = images;
    this.objects = objects;
    this.applier = applier;
    this.kinds = kinds;
    this.nodes = nodes;
    this.rollouts = rollouts;
    this.status = status;
    this.deletion = deletion;
    this.clock = clock;
  }

  Outcome reconcile() {
    if (caches.isDoubtful() || !facts.isComplete()) {
      return Outcome.wait(UNTIL_KNOWN, "the API server has not yet listed all kinds");
    }
    Optional<GenericKubernetesResource> found = caches.gpuClusters().stream().findFirst();
    if (found.isEmpty()) {
      rest();
      return Outcome.done();
    }
    GenericKubernetesResource cluster = found.get();
    if (HandOver.isDeleted(cluster)) {
      rest();
      return deletion.proceed(cluster);
    }
    try {
      return reconcile(cluster);
    } catch (UnreadableResource e) {
      return blocked(
          cluster,
          GpuClusterVerdict.failed(Objects.requireNonNullElse(e.getMessage(), "unreadable")));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Outcome.failed(e);
    } catch (RuntimeException e) {
      // Interrupted work reports no result: the operator that continues reports it.
      if (!Thread.currentThread().isInterrupted()) {
        log.warn("GPUCluster {} cannot be reconciled", cluster.getMetadata().getName(), e);
        report(
            cluster,
            GpuClusterVerdict.failed(Objects.requireNonNullElse(e.getMessage(), e.toString())));
      }
      return Outcome.failed(e);
    }
  }

  private void rest() {
    rollouts.watchWhile(false, false);
    debounce.end();
  }

  private Outcome reconcile(GenericKubernetesResource cluster) throws InterruptedException {
    if (!hold(cluster)) {
      return Outcome.wait(UNTIL_KNOWN, "the GPUCluster has changed");
    }
    Optional<GenericKubernetesResource> policy = PolicyInForce.of(caches.policies().all());
    if (policy.isPresent()) {
      return blocked(cluster, GpuClusterVerdict.besidePolicy(policy.get().getMetadata().getName()));
    }
    if (kinds.isUnserved(Kinds.DEVICE_CLASS)) {
      return blocked(cluster, GpuClusterVerdict.withoutClaims());
    }
    List<String> unlisted = kinds.unlistedForGpuClusters();
    if (!unlisted.isEmpty()) {
      GpuClusterVerdict verdict = GpuClusterVerdict.unlisted(unlisted);
      report(cluster, verdict);
      return Outcome.wait(UNTIL_KNOWN, verdict.message());
    }
    var spec = ApiJson.read(Documents.tree(cluster), GpuCluster.class).spec();
    boolean ownsDomains =
        AgentOrders.of(caches.fleetPolicy()).dra().computeDomains().hasController();
    return carryOut(
        cluster,
        GpuClusterPlan.of(new DraContext(spec, facts.gather(Set.of()), images, ownsDomains)));
  }

  private Outcome carryOut(GenericKubernetesResource cluster, GpuClusterPlan plan)
      throws InterruptedException {
    var unapplied = new ArrayList<Unapplied>();
    Set<String> ownedKinds = caches.ownedKinds();
    List<HasMetadata> resources = plan.resources();
    List<HasMetadata> workloads = plan.workloads();
    resources.forEach(object -> Ownership.own(object, cluster));
    workloads.forEach(object -> Ownership.own(object, cluster));
    try {
      allowAdminAccess();
      unapplied.addAll(objects.apply(resources, workloads));
    } finally {
      nodes.followGpuCluster();
    }
    objects.delete(plan.unwanted(caches.ownedBy(cluster, ownedKinds)));
    if (!unapplied.isEmpty()) {
      report(cluster, GpuClusterVerdict.failed(Unapplied.message(unapplied)));
      return Outcome.wait(
          Unapplied.untilRetry(unapplied, clock.instant()), Unapplied.message(unapplied));
    }
    return look(cluster, plan, workloads);
  }

  private Outcome look(
      GenericKubernetesResource cluster, GpuClusterPlan plan, List<HasMetadata> workloads) {
    List<Rollout> seen =
        List.copyOf(
            rollouts
                .of(cluster, workloads.stream().filter(DaemonSet.class::isInstance).toList())
                .values());
    var lacks = new ArrayList<String>();
    seen.stream().map(Rollout::lack).flatMap(Optional::stream).sorted().forEach(lacks::add);
    workloads.stream()
        .filter(it -> !(it instanceof DaemonSet))
        .map(this::lack)
        .flatMap(Optional::stream)
        .forEach(lacks::add);
    GpuClusterVerdict verdict =
        GpuClusterVerdict.of(plan, lacks)
            .afterLabelling(nodes.due())
            .besideAgents(caches.agent().isEnabled());
    Duration pause = report(cluster, verdict);
    Duration untilLasting = debounce.remaining(clock.instant());
    rollouts.watchWhile(!verdict.isReady() && untilLasting.isZero(), false);
    if (verdict.isReady() || verdict.isProgress()) {
      Duration next = pause.isPositive() ? pause : untilLasting;
      return next.isPositive()
          ? Outcome.wait(next, "whether what is not ready lasts")
          : Outcome.done();
    }
    return Outcome.blocked(verdict.reason(), verdict.message());
  }

  /// Why a Deployment is not ready.
  private Optional<String> lack(HasMetadata deployment) {
    String name = deployment.getMetadata().getName();
    return caches
        .live(deployment)
        .flatMap(live ->
            live instanceof GenericKubernetesResource it ? Optional.of(it) : Optional.empty())
        .filter(it ->
            Documents.tree(it).at("/status/observedGeneration").asLong()
                >= it.getMetadata().getGeneration())
        .map(Documents::tree)
        .map(live -> {
          int wanted = live.at("/spec/replicas").asInt();
          int ready =
              Math.min(
                  live.at("/status/updatedReplicas").asInt(),
                  live.at("/status/availableReplicas").asInt());
          return ready >= wanted
              ? Optional.<String>empty()
              : Optional.of(
                  "Deployment %s has %d of %d replicas ready: kubectl -n %s describe pods -l app=%1$s"
                      .formatted(name, ready, wanted, caches.namespace()));
        })
        .orElseGet(() -> Optional.of("Deployment " + name + " is being created or changed"));
  }

  private Outcome blocked(GenericKubernetesResource cluster, GpuClusterVerdict verdict) {
    rollouts.watchWhile(false, false);
    report(cluster, verdict);
    return Outcome.blocked(verdict.reason(), verdict.message());
  }

  /// @return how long to wait before the newest progress may be written, or zero
  private Duration report(GenericKubernetesResource cluster, GpuClusterVerdict verdict) {
    Instant now = clock.instant();
    boolean emits = debounce.takeIn(verdict, now);
    Duration pause = status.write(cluster, verdict, List.of(), emits);
    if (!pause.isPositive()) {
      debounce.written(verdict, emits);
    }
    return pause;
  }

  /// @return whether it has the finalizer
  private boolean hold(GenericKubernetesResource cluster) {
    List<String> present = cluster.getMetadata().getFinalizers();
    if (present.contains(GpuClusterDeletion.FINALIZER)) {
      return true;
    }
    ObjectNode change = JsonNodeFactory.instance.objectNode();
    ArrayNode finalizers = change.putObject("metadata").putArray("finalizers");
    present.forEach(finalizers::add);
    finalizers.add(GpuClusterDeletion.FINALIZER);
    return applier.mergeIfUnchanged(cluster, change).isPresent();
  }

  private void allowAdminAccess() {
    caches
        .ownNamespace()
        .get("", caches.namespace())
        .filter(namespace ->
            !"true"
                .equals(
                    Objects.requireNonNullElse(
                            namespace.getMetadata().getLabels(), Map.<String, String>of())
                        .get(ADMIN_ACCESS)))
        .ifPresent(namespace -> {
          Map<String, @Nullable String> label = new HashMap<>();
          label.put(ADMIN_ACCESS, "true");
          if (applier.patchMetadata(namespace, label, Map.of())
              instanceof ApplyResult.Refused(String why)) {
            throw new IllegalStateException(
                "the API server refuses the label %s of namespace %s: %s"
                    .formatted(ADMIN_ACCESS, caches.namespace(), why));
          }
        });
  }

  @Override
  public void close() {
    rollouts.watchWhile(false, false);
  }
}
