package dev.pitcrew.operator.runtime.upgrade;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.kube.client.KubernetesJson;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.operator.upgrade.NodeUpgrade;
import dev.pitcrew.operator.upgrade.UpgradeNode;
import dev.pitcrew.operator.upgrade.UpgradeState;
import dev.pitcrew.operator.upgrade.Waiting;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Says in Events and in the GPUNode where a node stands, what it waits for and what comes next.
final class RolloutReports {
  static final String REASON = "GPUDriverUpgrade";
  private static final Logger log = LoggerFactory.getLogger(RolloutReports.class);

  private final Applier applier;
  private final Events events;

  RolloutReports(Applier applier, Events events) {
    this.applier = applier;
    this.events = events;
  }

  /// Tells the new state of a node, in the reference's words, and what became of it.
  void tell(Node node, NodeUpgrade upgrade) {
    UpgradeNode after = upgrade.after();
    if (upgrade.before().state() != after.state() && after.state() != UpgradeState.UNKNOWN) {
      log.info("node {}: {}{}", upgrade.node(), after.state().label(), words(upgrade.waiting()));
      events.emit(
          node,
          Events.Type.NORMAL,
          REASON,
          "Successfully updated node state label to " + after.state().label());
    }
    if (after.state() == UpgradeState.FAILED || isObstructed(upgrade)) {
      events.emit(
          node, Events.Type.WARNING, REASON, after.state().label() + words(upgrade.waiting()));
    }
  }

  /// Writes the node's place in the roll-out into its GPUNode, if it has one and that differs.
  void write(Optional<GenericKubernetesResource> gpuNode, NodeUpgrade upgrade) {
    if (gpuNode.isEmpty()) {
      return;
    }
    ObjectNode status = KubernetesJson.MAPPER.createObjectNode();
    if (upgrade.after().state() == UpgradeState.UNKNOWN) {
      status.putNull("rollout");
    } else {
      status.set("rollout", rollout(upgrade));
    }
    try {
      if (applier.patchStatus(gpuNode.get(), status)
          instanceof ApplyResult.Refused(String message)) {
        log.warn(
            "the API server refused where node {} stands in its GPUNode: {}",
            upgrade.node(),
            message);
      }
    } catch (KubeException e) {
      log.warn("GPUNode {} does not say where its node stands: {}", upgrade.node(), e.getMessage());
    }
  }

  private static ObjectNode rollout(NodeUpgrade upgrade) {
    UpgradeNode after = upgrade.after();
    ObjectNode rollout = KubernetesJson.MAPPER.createObjectNode();
    Waiting waiting = upgrade.waiting();
    rollout.set("phase", ApiJson.tree(after.state().phase()));
    text(rollout, "since", after.marks().since().map(RolloutReports::seconds));
    text(rollout, "deadline", waiting.deadline().map(RolloutReports::seconds));
    text(rollout, "blocker", Optional.of(waiting.blocker()).filter(it -> !it.isEmpty()));
    text(rollout, "nextAction", Optional.of(waiting.next()).filter(it -> !it.isEmpty()));
    return rollout;
  }

  private static void text(ObjectNode node, String field, Optional<String> value) {
    value.ifPresentOrElse(it -> node.put(field, it), () -> node.putNull(field));
  }

  private static String seconds(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /// Whether somebody refuses to go.
  private static boolean isObstructed(NodeUpgrade upgrade) {
    return upgrade.before().pods().stream()
        .flatMap(pods -> pods.stream())
        .anyMatch(pod -> pod.refusal().isPresent());
  }

  private static String words(Waiting waiting) {
    return waiting.blocker().isEmpty()
        ? ""
        : ": %s; %s".formatted(waiting.blocker(), waiting.next());
  }
}
