package dev.pitcrew.operator.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.api.fleetpolicy.FleetPolicyStatus;
import dev.pitcrew.api.fleetpolicy.FleetRollout;
import dev.pitcrew.api.fleetpolicy.FleetSummary;
import dev.pitcrew.api.fleetpolicy.OperandStatus;
import dev.pitcrew.core.Outcome;
import dev.pitcrew.core.fleet.NodeReport;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.client.KubernetesJson;
import dev.pitcrew.kube.condition.Conditions;
import dev.pitcrew.operator.operand.Agent;
import dev.pitcrew.operator.policy.FleetSummaries;
import dev.pitcrew.operator.policy.PolicyVerdict;
import dev.pitcrew.operator.runtime.gpunode.GpuNodes;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Writes the status of the FleetPolicy, all of it, so that one write has what several controllers
/// found: how far each operand is, the GPUNodes in numbers, and where the roll-out stands. What
/// changes all the time on a large fleet is written now and then, and nothing while nothing
/// changes.
final class FleetStatusWriter {
  private static final Logger log = LoggerFactory.getLogger(FleetStatusWriter.class);

  /// Each write goes to all who watch the FleetPolicy.
  private static final Duration BETWEEN_SUMMARIES = Duration.ofSeconds(10);

  private static final String STATUS = "status";
  private static final String SUMMARY = "summary";
  private static final String ROLLOUT = "rollout";

  /// What came of the last reconcile of the ClusterPolicy.
  private record Progress(
      boolean isReady, String reason, String message, List<OperandStatus> operands) {}

  private final Caches caches;
  private final GpuNodes gpuNodes;
  private final GpuNodes.Reader reader;
  private final Applier applier;
  private final InstantSource clock;
  private final Runnable wake;
  private final Pace pace = new Pace();
  private final Pace summaryPace = new Pace(BETWEEN_SUMMARIES);
  private final AtomicReference<Optional<Progress>> progress =
      new AtomicReference<>(Optional.empty());
  private final AtomicReference<Optional<FleetRollout>> rollout =
      new AtomicReference<>(Optional.empty());

  /// Watches nothing yet.
  ///
  /// @param wake has [#reconcile] run
  /// @param wakeSoon the same after a moment, for what changes on many nodes at once
  FleetStatusWriter(
      Caches caches,
      GpuNodes gpuNodes,
      Applier applier,
      InstantSource clock,
      Runnable wake,
      Runnable wakeSoon) {
    this.caches = caches;
    this.gpuNodes = gpuNodes;
    this.reader = gpuNodes.reader(FleetSummaries::report, _ -> wakeSoon.run(), wakeSoon);
    this.applier = applier;
    this.clock = clock;
    this.wake = wake;
  }

  /// Takes up what came of the ClusterPolicy.
  void take(PolicyVerdict verdict, List<OperandStatus> operands) {
    take(new Progress(verdict.isReady(), verdict.reason(), verdict.message(), operands));
  }

  /// Takes up that there is none.
  void takeNoPolicy() {
    take(
        new Progress(
            false,
            "NoClusterPolicy",
            "there is no ClusterPolicy, so nothing is managed: create one",
            List.of()));
  }

  /// Takes up where the roll-out stands.
  void take(FleetRollout now) {
    if (!Optional.of(now).equals(rollout.getAndSet(Optional.of(now)))) {
      wake.run();
    }
  }

  private void take(Progress now) {
    if (!Optional.of(now).equals(progress.getAndSet(Optional.of(now)))) {
      wake.run();
    }
  }

  /// Writes what differs and may be written by now.
  Outcome reconcile() {
    Optional<GenericKubernetesResource> policy = caches.fleetPolicies().get("", PolicyReport.FLEET);
    boolean hasAgents = caches.daemonSet(Agent.NAME).isPresent();
    reader.watchWhile(policy.isPresent() && hasAgents);
    return policy.map(it -> write(it, hasAgents)).orElseGet(Outcome::done);
  }

  private Outcome write(GenericKubernetesResource policy, boolean hasAgents) {
    Instant now = clock.instant();
    JsonNode live = Documents.tree(policy).path(STATUS);
    FleetPolicyStatus before = read(policy);
    ObjectNode news = KubernetesJson.MAPPER.createObjectNode();
    Optional<Duration> pause =
        add(news, live, progress.get().map(it -> section(it, policy, now)), pace, now);
    Optional<Duration> summaryPause =
        add(news, live, Optional.of(summaries(before, hasAgents, now)), summaryPace, now);
    if (!news.isEmpty() && applier.patchStatus(policy, news) instanceof ApplyResult.Refused it) {
      log.warn("the API server refused the status of the FleetPolicy: {}", it.message());
      return Outcome.wait(ObjectApply.RETRY_REFUSED, it.message());
    }
    return Stream.of(pause, summaryPause)
        .flatMap(Optional::stream)
        .min(Comparator.naturalOrder())
        .<Outcome>map(it -> Outcome.wait(it, "the next status of the FleetPolicy"))
        .orElseGet(Outcome::done);
  }

  /// Adds sections that differ, if it is their time.
  ///
  /// @return when it is, where it is not
  private static Optional<Duration> add(
      ObjectNode news, JsonNode live, Optional<ObjectNode> sections, Pace pace, Instant now) {
    if (sections.isEmpty() || isSaid(live, sections.get())) {
      return Optional.empty();
    }
    Duration pause = pace.pause(now);
    if (pause.isPositive()) {
      return Optional.of(pause);
    }
    news.setAll(sections.get());
    pace.used(now);
    return Optional.empty();
  }

  /// A null stands for a field that is to go.
  private static boolean isSaid(JsonNode live, JsonNode section) {
    return section.properties().stream()
        .allMatch(field -> {
          JsonNode said = live.path(field.getKey());
          JsonNode wanted = field.getValue();
          return wanted.isNull()
              ? said.isMissingNode()
              : wanted.isObject()
                  ? isSaid(said, wanted)
                  : wanted.toString().equals(said.toString());
        });
  }

  private static ObjectNode section(
      Progress progress, GenericKubernetesResource fleetPolicy, Instant now) {
    List<Condition> before = StatusConditions.of(fleetPolicy);
    Condition ready =
        Conditions.of(
            "Ready",
            progress.isReady() ? "True" : "False",
            progress.reason(),
            progress.message(),
            fleetPolicy.getMetadata().getGeneration());
    List<Condition> after = Conditions.merge(before, List.of(ready), now);
    ObjectNode section = KubernetesJson.MAPPER.createObjectNode();
    if (!Conditions.sameIgnoringTime(before, after)) {
      section.set("conditions", KubernetesJson.MAPPER.valueToTree(after));
    }
    section.set("operands", ApiJson.tree(progress.operands()));
    return section;
  }

  private ObjectNode summaries(FleetPolicyStatus before, boolean hasAgents, Instant now) {
    ObjectNode section = KubernetesJson.MAPPER.createObjectNode();
    if (!hasAgents) {
      section.putNull(SUMMARY);
    } else if (gpuNodes.isSynced()) {
      section.set(SUMMARY, ApiJson.tree(summary(before.summary(), now)));
    }
    rollout.get().ifPresent(it -> section.set(ROLLOUT, tree(since(it, before.rollout(), now))));
    return section;
  }

  private FleetSummary summary(FleetSummary before, Instant now) {
    List<NodeReport> reports =
        gpuNodes.stream().map(GpuNodes::status).map(FleetSummaries::report).toList();
    FleetSummary summary = FleetSummaries.of(reports);
    return summary.equals(before.at(null)) ? before : summary.at(text(now));
  }

  private static FleetRollout since(FleetRollout now, FleetRollout before, Instant time) {
    boolean isAsBefore =
        before.since() != null
            && now.phase() == before.phase()
            && Objects.equals(now.version(), before.version());
    return now.at(isAsBefore ? before.since() : text(time));
  }

  /// With a null for each field that may have been there before.
  private static ObjectNode tree(FleetRollout rollout) {
    ObjectNode tree = (ObjectNode) ApiJson.tree(rollout);
    Stream.of("version", "wave", "message")
        .filter(field -> !tree.has(field))
        .forEach(tree::putNull);
    return tree;
  }

  /// One that cannot be read is of another release, and is replaced.
  private static FleetPolicyStatus read(GenericKubernetesResource policy) {
    try {
      JsonNode status = Documents.tree(policy).path(STATUS);
      return status.isObject()
          ? ApiJson.read(status, FleetPolicyStatus.class)
          : FleetPolicyStatus.ABSENT;
    } catch (UnreadableResource _) {
      return FleetPolicyStatus.ABSENT;
    }
  }

  private static String text(Instant time) {
    return time.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
