package dev.pitcrew.operator.runtime.upgrade;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.RolloutStatus;
import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.kube.client.KubernetesJson;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.kube.queue.QueueOptions;
import dev.pitcrew.kube.queue.WorkQueue;
import dev.pitcrew.operator.runtime.gpunode.GpuNodes;
import dev.pitcrew.operator.upgrade.DriverPod;
import dev.pitcrew.operator.upgrade.NodeUpgrade;
import dev.pitcrew.operator.upgrade.UpgradeMarks;
import dev.pitcrew.operator.upgrade.UpgradeNode;
import dev.pitcrew.operator.upgrade.UpgradeState;
import dev.pitcrew.operator.upgrade.Waiting;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reports in Events and in the GPUNode where a node stands, what it waits for and what comes next.
/// No node waits for the report of another: reports are written beside the upgrades, a moment
/// later, and of places that a node has left by then only the last one.
///
/// For use by one thread at a time for each node.
final class RolloutReports implements AutoCloseable {
  static final String REASON = "GPUDriverUpgrade";
  private static final Logger log = LoggerFactory.getLogger(RolloutReports.class);
  private static final int WORKERS = 4;

  /// Sooner than a user looks again, and later than most of what passes automatically.
  private static final Duration MOMENT = Duration.ofMillis(250);

  private static final Duration RETRY = Duration.ofSeconds(10);

  /// @param isBlocker whether it says what holds the node up
  private record Saying(Node node, boolean isBlocker, String note) {}

  private record Place(GpuNodes gpuNodes, RolloutStatus rollout) {}

  /// What was reported last, and what the GPUNode said then.
  private record Reported(
      UpgradeState state, UpgradeMarks marks, Waiting waiting, Optional<GpuNodeStatus> said) {}

  private final Applier applier;
  private final Events events;
  private final Map<String, List<Saying>> sayings = new ConcurrentHashMap<>();
  private final Map<String, Place> places = new ConcurrentHashMap<>();
  private final Map<String, Reported> reported = new ConcurrentHashMap<>();
  private final WorkQueue<String> queue;

  RolloutReports(Applier applier, Events events) {
    this.applier = applier;
    this.events = events;
    this.queue =
        new WorkQueue<>(QueueOptions.named("driver-upgrade-reports", WORKERS), this::say).start();
  }

  /// Whether that was the last report of the node, so that there is nothing new to report.
  boolean isReported(NodeUpgrade upgrade, GpuNodes gpuNodes) {
    return reported(upgrade, gpuNodes).equals(reported.get(upgrade.node()));
  }

  /// Reports the new place of a node soon, if there is anything new.
  void report(Node node, NodeUpgrade upgrade, GpuNodes gpuNodes) {
    UpgradeNode after = upgrade.after();
    Reported now = reported(upgrade, gpuNodes);
    @Nullable Reported before = reported.put(upgrade.node(), now);
    if (before != null && isHeldUpByAnother(before, now)) {
      log.info("node {}: {}{}", upgrade.node(), now.state().label(), words(upgrade.waiting()));
    }
    if (!now.equals(before) || after.state() == UpgradeState.FAILED || isObstructed(upgrade)) {
      enqueue(node, upgrade, gpuNodes, isUntouched(before, now));
    }
  }

  /// Whether the node has had its driver from the beginning: its GPUNode says nothing of an
  /// upgrade, and there is none to say.
  private static boolean isUntouched(@Nullable Reported before, Reported now) {
    return now.state() == UpgradeState.DONE
        && (before == null
            || before.state() == UpgradeState.UNKNOWN
            || before.state() == UpgradeState.DONE)
        && now.said().filter(it -> !it.rollout().equals(RolloutStatus.ABSENT)).isEmpty();
  }

  private static Reported reported(NodeUpgrade upgrade, GpuNodes gpuNodes) {
    UpgradeNode after = upgrade.after();
    return new Reported(
        after.state(), after.marks(), upgrade.waiting(), gpuNodes.of(upgrade.node()));
  }

  /// Whether a node that is under way stays where it is, for another reason than before.
  private static boolean isHeldUpByAnother(Reported before, Reported now) {
    return now.state().isUnderWay()
        && before.state() == now.state()
        && !now.waiting().blocker().equals(before.waiting().blocker());
  }

  /// Forgets all nodes but these.
  void keep(Set<String> nodes) {
    reported.keySet().retainAll(nodes);
  }

  private void enqueue(Node node, NodeUpgrade upgrade, GpuNodes gpuNodes, boolean isUntouched) {
    List<Saying> news = sayings(node, upgrade);
    if (!news.isEmpty()) {
      sayings.merge(upgrade.node(), news, RolloutReports::both);
    }
    var place = new Place(gpuNodes, rollout(upgrade));
    boolean isElsewhere = !isUntouched && differs(upgrade.node(), place);
    if (isElsewhere) {
      places.put(upgrade.node(), place);
    } else {
      places.remove(upgrade.node());
    }
    if (isElsewhere || !news.isEmpty()) {
      queue.addAfter(upgrade.node(), MOMENT);
    }
  }

  @Override
  public void close() {
    queue.close();
  }

  private Outcome say(String node) {
    Optional.ofNullable(sayings.remove(node)).stream().flatMap(List::stream).forEach(this::emit);
    @Nullable Place place = places.remove(node);
    if (place == null || !differs(node, place)) {
      return Outcome.done();
    }
    try {
      place.gpuNodes().object(node).ifPresent(live -> write(live, place.rollout()));
      return Outcome.done();
    } catch (KubeException e) {
      log.warn("GPUNode {} does not say where its node stands: {}", node, e.getMessage());
      places.putIfAbsent(node, place);
      return Outcome.wait(RETRY, "the API server could not be asked");
    }
  }

  private void emit(Saying saying) {
    if (saying.isBlocker()) {
      events.emitBlocker(saying.node(), REASON, saying.note());
    } else {
      events.emit(saying.node(), Events.Type.NORMAL, REASON, saying.note());
    }
  }

  private static boolean differs(String node, Place place) {
    return place
        .gpuNodes()
        .of(node)
        .filter(it -> !it.rollout().equals(place.rollout()))
        .isPresent();
  }

  /// The new state of a node, as the NVIDIA GPU Operator names it, and what became of it.
  private static List<Saying> sayings(Node node, NodeUpgrade upgrade) {
    UpgradeNode after = upgrade.after();
    var news = new ArrayList<Saying>();
    if (upgrade.before().state() != after.state()
        && after.state() != UpgradeState.UNKNOWN
        && !isFirstDriver(upgrade)) {
      log.info("node {}: {}{}", upgrade.node(), after.state().label(), words(upgrade.waiting()));
      news.add(
          new Saying(
              node, false, "Successfully updated node state label to " + after.state().label()));
    }
    if (after.state() == UpgradeState.FAILED || isObstructed(upgrade)) {
      news.add(new Saying(node, true, after.state().label() + words(upgrade.waiting())));
    }
    return news;
  }

  private static boolean isFirstDriver(NodeUpgrade upgrade) {
    return upgrade.before().state() == UpgradeState.UNKNOWN
        && upgrade.after().state() == UpgradeState.DONE;
  }

  private static List<Saying> both(List<Saying> before, List<Saying> after) {
    var all = new ArrayList<>(before);
    after.stream().filter(it -> !it.equals(all.getLast())).forEach(all::add);
    return all;
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
    if (applier.patchStatus(gpuNode, status) instanceof ApplyResult.Refused(String message)) {
      log.warn("the API server refused where node {} stands in its GPUNode: {}", name, message);
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

  /// Whether the eviction of a pod is refused, or the new driver does not start.
  private static boolean isObstructed(NodeUpgrade upgrade) {
    UpgradeNode after = upgrade.after();
    boolean isHeldUp =
        after.state() == UpgradeState.POD_RESTART_REQUIRED
            && after.isCurrent()
            && after.driver().filter(DriverPod::isHeldUp).isPresent();
    return isHeldUp || isRefused(upgrade);
  }

  private static boolean isRefused(NodeUpgrade upgrade) {
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
