package dev.pitcrew.operator.runtime.upgrade;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.node.RolloutStatus;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.kube.client.KubernetesJson;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.operator.runtime.gpunode.GpuNodes;
import dev.pitcrew.operator.upgrade.NodeUpgrade;
import dev.pitcrew.operator.upgrade.UpgradeNode;
import dev.pitcrew.operator.upgrade.UpgradeState;
import dev.pitcrew.operator.upgrade.Waiting;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
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
  void write(GpuNodes gpuNodes, NodeUpgrade upgrade) {
    RolloutStatus wanted = rollout(upgrade);
    boolean differs =
        gpuNodes.of(upgrade.node()).filter(it -> !it.rollout().equals(wanted)).isPresent();
    if (differs) {
      gpuNodes.object(upgrade.node()).ifPresent(live -> write(live, wanted));
    }
  }

  private void write(GenericKubernetesResource gpuNode, RolloutStatus rollout) {
    String name = gpuNode.getMetadata().getName();
    ObjectNode status = KubernetesJson.MAPPER.createObjectNode();
    if (rollout.equals(RolloutStatus.ABSENT)) {
      status.putNull("rollout");
    } else {
      ObjectNode fields = status.putObject("rollout");
      fields.set("phase", ApiJson.tree(rollout.phase()));
      fields.put("since", rollout.since());
      fields.put("deadline", rollout.deadline());
      fields.put("blocker", rollout.blocker());
      fields.put("nextAction", rollout.nextAction());
    }
    try {
      if (applier.patchStatus(gpuNode, status) instanceof ApplyResult.Refused(String message)) {
        log.warn("the API server refused where node {} stands in its GPUNode: {}", name, message);
      }
    } catch (KubeException e) {
      log.warn("GPUNode {} does not say where its node stands: {}", name, e.getMessage());
    }
  }

  private static RolloutStatus rollout(NodeUpgrade upgrade) {
    UpgradeNode after = upgrade.after();
    Waiting waiting = upgrade.waiting();
    return after.state() == UpgradeState.UNKNOWN
        ? RolloutStatus.ABSENT
        : new RolloutStatus(
            after.state().phase(),
            text(after.marks().since().map(RolloutReports::seconds)),
            text(waiting.deadline().map(RolloutReports::seconds)),
            text(Optional.of(waiting.blocker())),
            text(Optional.of(waiting.next())),
            Map.of());
  }

  private static @Nullable String text(Optional<String> text) {
    return text.filter(it -> !it.isEmpty()).orElse(null);
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
