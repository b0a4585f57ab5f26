package dev.pitcrew.operator.runtime.domains;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.computedomain.ComputeDomain;
import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.Change;
import dev.pitcrew.kube.client.KubernetesJson;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.operator.computedomain.DaemonPod;
import dev.pitcrew.operator.computedomain.Domain;
import dev.pitcrew.operator.computedomain.Domain.Reading;
import dev.pitcrew.operator.computedomain.DomainDeletion;
import dev.pitcrew.operator.computedomain.DomainLabels;
import dev.pitcrew.operator.computedomain.DomainObjects;
import dev.pitcrew.operator.computedomain.DomainOrder;
import dev.pitcrew.operator.computedomain.DomainStatus;
import dev.pitcrew.operator.computedomain.StaleDaemons;
import dev.pitcrew.operator.render.Problem;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// The controller of ComputeDomains. Each domain is a key, by its UID:
///
/// 1. One that is being deleted, or is gone and has left something, goes by [DomainDeletions].
/// 2. It gets the finalizer, so that nothing of it is left behind.
/// 3. What is missing of its objects is made.
/// 4. Entries of daemons that are gone leave its cliques.
/// 5. The status says which of its nodes are ready.
///
/// Every step is derived from what the API server has, so that another operator continues it.
public final class ComputeDomains implements AutoCloseable {
  private static final Duration UNTIL_KNOWN = Duration.ofSeconds(1);

  /// When what only a user or another program can change is looked at again.
  private static final Duration UNTIL_CHANGED = Duration.ofSeconds(30);

  /// What the operator knows that this controller reads, too.
  ///
  /// @param fleetPolicy that asks for this controller
  /// @param account of the daemons, as the cluster has it
  /// @param hasRival whether NVIDIA's controller runs in the namespace of the operator
  public record Known(
      Cache<Node> nodes,
      Cache<DaemonSet> daemonSets,
      Supplier<Optional<? extends HasMetadata>> fleetPolicy,
      Supplier<Optional<? extends HasMetadata>> account,
      BooleanSupplier hasRival) {}

  /// The key of what all domains share; no UID.
  private static final String ACCOUNT = "account";

  private final Known known;
  private final String namespace;
  private final Applier applier;
  private final Events events;
  private final Consumer<String> enqueue;
  private final DomainSources sources;
  private final DomainDeletions deletions;
  private final DomainApply apply;
  private final MissingClasses classes;
  private final DomainAccount account;
  private final AtomicReference<DomainOrder> order = new AtomicReference<>(DomainOrder.OFF);

  /// Watches nothing yet.
  ///
  /// @param enqueue hands a domain to a worker, by its UID
  public ComputeDomains(
      KubernetesClient client,
      String namespace,
      Known known,
      Applier applier,
      Events events,
      InstantSource clock,
      Consumer<String> enqueue) {
    this.known = known;
    this.namespace = namespace;
    this.applier = applier;
    this.events = events;
    this.enqueue = enqueue;
    sources = new DomainSources(client, namespace, enqueue);
    deletions = new DomainDeletions(sources, known.nodes(), known.daemonSets(), applier);
    apply = new DomainApply(client, sources, deletions, applier);
    classes = new MissingClasses(client, clock);
    account = new DomainAccount(namespace, applier, known.fleetPolicy(), known.account());
  }

  /// Takes in what the FleetPolicy says now.
  ///
  /// @param mayAct whether this process is the one that acts, and the definitions are there
  public void follow(DomainOrder newOrder, boolean mayAct) {
    DomainOrder before = order.getAndSet(newOrder);
    sources.watchWhile(newOrder.isOn() && mayAct);
    wakeAccount();
    if (!before.equals(newOrder)) {
      sources.uids().forEach(enqueue);
    }
  }

  /// Looks again at what all domains share.
  public void wakeAccount() {
    if (sources.isWatching()) {
      enqueue.accept(ACCOUNT);
    }
  }

  /// Looks again for kinds that were not served.
  public void refresh() {
    sources.refresh();
  }

  /// A node may have got or lost the label of a domain.
  public void nodeChanged(Change<Node> change) {
    if (change instanceof Change.Updated<Node>(Node before, Node after)) {
      if (!DomainLabels.domain(before).equals(DomainLabels.domain(after))) {
        wakeOwner(before);
        wakeOwner(after);
      }
    } else {
      wakeOwner(change.latest());
    }
  }

  /// A DaemonSet may be that of a domain.
  public void daemonSetChanged(Change<DaemonSet> change) {
    wakeOwner(change.latest());
  }

  private void wakeOwner(HasMetadata object) {
    if (order.get().isOn()) {
      DomainLabels.domain(object).ifPresent(enqueue);
    }
  }

  /// How many domains have each status; empty while this process is not their controller.
  public Map<String, Long> countsByStatus() {
    return sources.isWatching() ? DomainStatus.counts(sources.statuses()) : Map.of();
  }

  /// @param uid of a domain
  public Outcome reconcile(String uid) {
    if (!sources.isWatching()) {
      return Outcome.done();
    }
    if (uid.equals(ACCOUNT)) {
      return account.apply();
    }
    if (!sources.isSynced()) {
      return Outcome.wait(UNTIL_KNOWN, "the API server has not yet listed all kinds");
    }
    if (known.hasRival().getAsBoolean()) {
      return Outcome.wait(UNTIL_KNOWN, "NVIDIA's controller of ComputeDomains still runs");
    }
    Optional<GenericKubernetesResource> domain = sources.domain(uid);
    return domain.filter(it -> it.getMetadata().getDeletionTimestamp() == null).isPresent()
        ? serve(domain.get())
        : deletions.proceed(uid, domain);
  }

  private Outcome serve(GenericKubernetesResource resource) {
    List<String> unserved = sources.unserved();
    if (!unserved.isEmpty()) {
      return blocked(
          resource,
          new Problem(
              "KindNotServed",
              "the API server does not serve %s: use Kubernetes 1.34 or newer, with dynamic resource allocation enabled"
                  .formatted(String.join(", ", unserved))));
    }
    return switch (DomainSources.reading(resource)) {
      case Reading.Invalid(Problem problem) -> blocked(resource, problem);
      case Reading.Valid(Domain domain) -> serve(resource, domain);
    };
  }

  private Outcome serve(GenericKubernetesResource resource, Domain domain) {
    if (!hold(resource)) {
      return Outcome.wait(UNTIL_KNOWN, "the ComputeDomain has changed");
    }
    Optional<Problem> problem = make(domain);
    problem.ifPresent(it -> warn(resource, it));
    removeStale(domain);
    boolean isReady = report(resource, domain);
    if (problem.isEmpty() && !isReady) {
      warnOfClasses(resource);
    }
    String open = problem.map(Problem::message).orElse(isReady ? "" : "its nodes are not ready");
    return open.isEmpty() ? Outcome.done() : Outcome.wait(UNTIL_CHANGED, open);
  }

  private Outcome blocked(GenericKubernetesResource resource, Problem problem) {
    warn(resource, problem);
    return Outcome.blocked(problem.reason(), problem.message());
  }

  private void warn(GenericKubernetesResource resource, Problem problem) {
    events.emitBlocker(resource, problem.reason(), problem.message());
  }

  private void warnOfClasses(GenericKubernetesResource resource) {
    List<String> missing = classes.names();
    if (!missing.isEmpty()) {
      warn(
          resource,
          new Problem(
              "DeviceClassMissing",
              "DeviceClass %s does not exist, so that pods of this domain are not scheduled: set fleetPolicy.dra.computeDomains.controller=true in the values of the chart, which brings it"
                  .formatted(String.join(" and ", missing))));
    }
  }

  /// @return whether it has the finalizer
  private boolean hold(GenericKubernetesResource resource) {
    if (DomainDeletion.isHeld(resource)) {
      return true;
    }
    ObjectNode change = JsonNodeFactory.instance.objectNode();
    ArrayNode finalizers = change.putObject("metadata").putArray("finalizers");
    resource.getMetadata().getFinalizers().forEach(finalizers::add);
    finalizers.add(DomainLabels.FINALIZER);
    return applier.mergeIfUnchanged(resource, change).isPresent();
  }

  private Optional<Problem> make(Domain domain) {
    DomainOrder now = order.get();
    return now.problem()
        .or(() ->
            apply.apply(new DomainObjects(domain, namespace, now.image(), now.pullSecrets())));
  }

  private void removeStale(Domain domain) {
    List<DaemonPod> seen = sources.pods(domain.uid());
    for (GenericKubernetesResource clique : sources.cliques(domain.uid())) {
      JsonNode document = tree(clique);
      StaleDaemons.without(document, seen)
          .flatMap(_ -> StaleDaemons.without(document, sources.podsNow(domain.uid())))
          .ifPresent(kept -> {
            ObjectNode change = JsonNodeFactory.instance.objectNode();
            change.set("daemons", kept);
            applier.mergeIfUnchanged(clique, change);
          });
    }
  }

  /// @return whether the domain is ready
  private boolean report(GenericKubernetesResource resource, Domain domain) {
    DomainStatus status =
        DomainStatus.of(
            domain,
            sources.cliques(domain.uid()).stream().map(DomainSources::read).toList(),
            sources.pods(domain.uid()));
    if (!status.isIn(ApiJson.read(tree(resource), ComputeDomain.class).status())) {
      ObjectNode document = JsonNodeFactory.instance.objectNode();
      document.put("status", status.status());
      if (status.nodes().isEmpty()) {
        document.putNull("nodes");
      } else {
        document.set("nodes", ApiJson.tree(status.nodes()));
      }
      if (applier.patchStatus(resource, document) instanceof ApplyResult.Refused(String why)) {
        throw new IllegalStateException(
            "the API server refuses the status of ComputeDomain %s: %s"
                .formatted(domain.text(), why));
      }
    }
    return status.isReady();
  }

  private static JsonNode tree(GenericKubernetesResource resource) {
    return KubernetesJson.MAPPER.valueToTree(resource);
  }

  @Override
  public void close() {
    sources.close();
  }
}
