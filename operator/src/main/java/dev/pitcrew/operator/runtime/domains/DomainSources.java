package dev.pitcrew.operator.runtime.domains;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.api.computedomain.ComputeDomain;
import dev.pitcrew.api.computedomain.ComputeDomainClique;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import dev.pitcrew.kube.cache.Change;
import dev.pitcrew.kube.cache.OccasionalCache;
import dev.pitcrew.kube.cache.Slim;
import dev.pitcrew.kube.client.KubernetesJson;
import dev.pitcrew.operator.computedomain.DaemonPod;
import dev.pitcrew.operator.computedomain.Domain;
import dev.pitcrew.operator.computedomain.Domain.Reading;
import dev.pitcrew.operator.computedomain.DomainLabels;
import dev.pitcrew.operator.render.Problem;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What the controller of ComputeDomains watches while it is on: the domains and the claim
/// templates of all namespaces, and the cliques and the daemon pods of the operator's own.
final class DomainSources implements AutoCloseable {
  private final KubernetesClient client;
  private final String namespace;
  private final OccasionalCache<GenericKubernetesResource> domains;
  private final OccasionalCache<GenericKubernetesResource> cliques;
  private final OccasionalCache<GenericKubernetesResource> templates;
  private final OccasionalCache<Pod> pods;

  /// Watches nothing yet.
  ///
  /// @param wake receives the UID of a domain when something of it has changed
  DomainSources(KubernetesClient client, String namespace, Consumer<String> wake) {
    this.client = client;
    this.namespace = namespace;
    domains =
        generic(
            DomainKinds.DOMAIN,
            CacheOptions.all(),
            change -> wake.accept(change.latest().getMetadata().getUid()));
    cliques =
        generic(
            DomainKinds.CLIQUE,
            CacheOptions.<GenericKubernetesResource>all().inNamespace(namespace),
            change -> wakeOwner(change.latest(), wake));
    templates =
        generic(
            DomainKinds.TEMPLATE,
            CacheOptions.<GenericKubernetesResource>all().withLabels(DomainLabels.DOMAIN),
            change -> wakeOwner(change.latest(), wake));
    pods =
        new OccasionalCache<>(
            () ->
                Cache.of(
                    client,
                    Pod.class,
                    CacheOptions.<Pod>all()
                        .inNamespace(namespace)
                        .withLabels(DomainLabels.DOMAIN)
                        .slimmedBy(DomainSources::slim)),
            change -> wakeOwner(change.latest(), wake));
  }

  private OccasionalCache<GenericKubernetesResource> generic(
      ResourceDefinitionContext kind,
      CacheOptions<GenericKubernetesResource> options,
      Consumer<Change<GenericKubernetesResource>> listener) {
    return new OccasionalCache<>(() -> Cache.ofGeneric(client, kind, options), listener);
  }

  private static void wakeOwner(HasMetadata object, Consumer<String> wake) {
    DomainLabels.domain(object).ifPresent(wake);
  }

  void watchWhile(boolean wanted) {
    all().forEach(cache -> cache.watchWhile(wanted));
  }

  boolean isWatching() {
    return all().allMatch(cache -> cache.now().isPresent());
  }

  boolean isSynced() {
    return all().allMatch(cache -> cache.now().filter(Cache::isSynced).isPresent());
  }

  /// Kinds that the API server does not serve.
  List<String> unserved() {
    return all()
        .flatMap(cache -> cache.now().stream())
        .filter(Cache::isAbsent)
        .map(Cache::kind)
        .toList();
  }

  /// Looks again for kinds that were not served.
  void refresh() {
    all().flatMap(cache -> cache.now().stream()).filter(Cache::isAbsent).forEach(Cache::refresh);
  }

  private Stream<OccasionalCache<? extends HasMetadata>> all() {
    return Stream.of(domains, cliques, templates, pods);
  }

  Optional<GenericKubernetesResource> domain(String uid) {
    return stream(domains).filter(it -> uid.equals(it.getMetadata().getUid())).findFirst();
  }

  /// The UIDs of all domains that are known.
  List<String> uids() {
    return stream(domains).map(it -> it.getMetadata().getUid()).toList();
  }

  /// What the status of each domain says, for those that have one.
  Stream<String> statuses() {
    return stream(domains)
        .map(domain -> domain.<@Nullable String>get("status", "status"))
        .filter(Objects::nonNull);
  }

  List<GenericKubernetesResource> templates(String uid) {
    return stream(templates).filter(isOf(uid)).toList();
  }

  /// As the API server has them.
  List<GenericKubernetesResource> cliques(String uid) {
    return stream(cliques).filter(isOf(uid)).toList();
  }

  List<DaemonPod> pods(String uid) {
    return stream(pods).filter(isOf(uid)).map(DaemonPod::of).toList();
  }

  private static <T extends HasMetadata> Stream<T> stream(OccasionalCache<T> cache) {
    return cache.now().stream().flatMap(Cache::stream);
  }

  private static Predicate<HasMetadata> isOf(String uid) {
    return object -> DomainLabels.domain(object).filter(uid::equals).isPresent();
  }

  static Reading reading(GenericKubernetesResource domain) {
    JsonNode document = KubernetesJson.MAPPER.valueToTree(domain);
    try {
      return Domain.read(ApiJson.read(document, ComputeDomain.class));
    } catch (UnreadableResource e) {
      return new Reading.Invalid(new Problem("SpecInvalid", String.valueOf(e.getMessage())));
    }
  }

  static ComputeDomainClique read(GenericKubernetesResource clique) {
    JsonNode document = KubernetesJson.MAPPER.valueToTree(clique);
    return ApiJson.read(document, ComputeDomainClique.class);
  }

  /// What the API server says now and not what a watch has brought: two watches do not keep pace
  /// with each other.
  boolean isGone(String uid) {
    return client
        .genericKubernetesResources(DomainKinds.DOMAIN)
        .inAnyNamespace()
        .list()
        .getItems()
        .stream()
        .noneMatch(it -> Objects.equals(it.getMetadata().getUid(), uid));
  }

  /// The same for the pods of the daemons of a domain.
  List<DaemonPod> podsNow(String uid) {
    return client
        .pods()
        .inNamespace(namespace)
        .withLabel(NodeLabels.COMPUTE_DOMAIN, uid)
        .list()
        .getItems()
        .stream()
        .map(DaemonPod::of)
        .toList();
  }

  private static Pod slim(Pod pod) {
    return new PodBuilder()
        .withMetadata(Slim.identity(pod).withLabels(pod.getMetadata().getLabels()).build())
        .withNewSpec()
        .withNodeName(pod.getSpec().getNodeName())
        .endSpec()
        .withNewStatus()
        .withPodIP(pod.getStatus().getPodIP())
        .withConditions(
            pod.getStatus().getConditions().stream()
                .filter(condition -> "Ready".equals(condition.getType()))
                .toList())
        .endStatus()
        .build();
  }

  @Override
  public void close() {
    watchWhile(false);
  }
}
