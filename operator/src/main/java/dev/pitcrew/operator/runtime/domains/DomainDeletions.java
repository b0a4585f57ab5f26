package dev.pitcrew.operator.runtime.domains;

import static java.net.HttpURLConnection.HTTP_NOT_FOUND;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.operator.computedomain.DomainDeletion;
import dev.pitcrew.operator.computedomain.DomainDeletion.Step;
import dev.pitcrew.operator.computedomain.DomainLabels;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes away what a ComputeDomain has brought, one step at a time: what a step changes wakes the
/// next. What a domain has left that is gone goes the same way.
final class DomainDeletions {
  private static final Logger log = LoggerFactory.getLogger(DomainDeletions.class);

  /// Until the caches show what was written; their changes come first.
  private static final Duration UNTIL_SHOWN = Duration.ofSeconds(1);

  private static final Duration UNTIL_RELEASED = Duration.ofSeconds(30);

  private final DomainSources sources;
  private final Cache<Node> nodes;
  private final Cache<DaemonSet> daemonSets;
  private final Applier applier;

  DomainDeletions(
      DomainSources sources, Cache<Node> nodes, Cache<DaemonSet> daemonSets, Applier applier) {
    this.sources = sources;
    this.nodes = nodes;
    this.daemonSets = daemonSets;
    this.applier = applier;
  }

  /// @param domain that is being deleted; absent where there is none with that UID
  Outcome proceed(String uid, Optional<GenericKubernetesResource> domain) {
    var deletion =
        new DomainDeletion(
            domain,
            sources.templates(uid),
            daemonSets.stream().filter(it -> isOf(uid, it)).toList(),
            nodes.stream()
                .filter(it -> isOf(uid, it))
                .map(it -> it.getMetadata().getName())
                .sorted()
                .toList());
    Step step = deletion.next();
    if (step instanceof Step.Finished) {
      return Outcome.done();
    }
    if (domain.isEmpty() && !sources.isGone(uid)) {
      return Outcome.wait(UNTIL_SHOWN, "ComputeDomain %s is not known yet".formatted(uid));
    }
    return perform(uid, step);
  }

  private Outcome perform(String uid, Step step) {
    switch (step) {
      case Step.Delete(var object) -> applier.delete(object);
      case Step.Release(var object) -> release(object);
      case Step.Unlabel(var names) -> names.forEach(name -> unlabel(name, uid));
      case Step.Await(var object) -> {
        return Outcome.wait(
            UNTIL_RELEASED,
            "%s %s/%s has finalizers of other programs: %s"
                .formatted(
                    object.getKind(),
                    object.getMetadata().getNamespace(),
                    object.getMetadata().getName(),
                    object.getMetadata().getFinalizers()));
      }
      case Step.Finished() -> {
        return Outcome.done();
      }
    }
    return Outcome.wait(UNTIL_SHOWN, "the deletion of ComputeDomain %s continues".formatted(uid));
  }

  /// Takes the finalizer off an object, and no other that has come to its place in the list.
  void release(HasMetadata object) {
    int place = object.getMetadata().getFinalizers().indexOf(DomainLabels.FINALIZER);
    remove(object, "/metadata/finalizers/" + place, DomainLabels.FINALIZER);
  }

  /// A node that has got the label of another domain since keeps it.
  private void unlabel(String name, String uid) {
    nodes
        .get("", name)
        .ifPresent(node ->
            remove(node, "/metadata/labels/" + DomainLabels.DOMAIN.replace("/", "~1"), uid));
  }

  private void remove(HasMetadata object, String path, String value) {
    ArrayNode patch = JsonNodeFactory.instance.arrayNode();
    patch.addObject().put("op", "test").put("path", path).put("value", value);
    patch.addObject().put("op", "remove").put("path", path);
    try {
      if (applier.patch(object, patch) instanceof ApplyResult.Refused(String why)) {
        log.info(
            "{} of {} {} stays for now: {}",
            path,
            object.getKind(),
            object.getMetadata().getName(),
            why);
      }
    } catch (KubeException e) {
      if (e.status() != HTTP_NOT_FOUND) { // 404: it is gone, which the cache does not show yet
        throw e;
      }
    }
  }

  static boolean isOf(String uid, HasMetadata object) {
    return DomainLabels.domain(object).filter(uid::equals).isPresent();
  }

  /// The DaemonSets of a domain.
  List<DaemonSet> daemonSets(String uid) {
    return daemonSets.stream().filter(it -> isOf(uid, it)).toList();
  }
}
