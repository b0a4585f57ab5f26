package dev.pitcrew.agent.status.plan;

import dev.pitcrew.agent.cluster.SchemaLimits;
import dev.pitcrew.agent.host.DriverTraces;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.Condition;
import dev.pitcrew.api.node.DriverPhase;
import dev.pitcrew.api.node.DriverRefusal;
import dev.pitcrew.api.node.DriverStatus;
import dev.pitcrew.api.node.EvictionStatus;
import dev.pitcrew.api.node.Gpu;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.HealthLevel;
import dev.pitcrew.api.node.NodeCondition;
import dev.pitcrew.api.node.RolloutStatus;
import dev.pitcrew.api.node.SharingStatus;
import dev.pitcrew.api.node.SharingStrategy;
import dev.pitcrew.core.fleet.NodeReport;
import dev.pitcrew.device.sharing.Sharing;
import dev.pitcrew.device.sharing.Sharing.SharedResource;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The status of a GPUNode, all of it that is the agent's to write. Whatever the hardware says, it
/// fits the schema.
public final class GpuNodeReport {
  private GpuNodeReport() {}

  /// @param before what the live object says, [GpuNodeStatus#ABSENT] where there is none
  public static GpuNodeStatus of(NodeFacts facts, GpuNodeStatus before, Instant now) {
    Collection<Gpu> gpus = ReportedGpus.of(facts, before, now);
    List<Condition> conditions = conditions(facts, gpus, before, now);
    @Nullable Integer count = isLookedAt(facts) ? Integer.valueOf(gpus.size()) : before.gpuCount();
    return new GpuNodeStatus(
        facts.agent(),
        count,
        allocatable(count, gpus, conditions),
        SchemaLimits.nameOrNull(products(gpus), SchemaLimits.PRODUCTS),
        worst(gpus),
        gpus.isEmpty() ? Absent.list() : gpus.stream().limit(SchemaLimits.GPUS).toList(),
        ReportedHost.of(facts.host(), before.host()),
        driver(facts, before.driver()),
        RuntimeVerdict.section(facts, before.runtime()),
        sharing(facts.sharing()),
        MigVerdict.section(facts, before.mig()),
        ValidatedVerdict.table(facts, before, now),
        conditions,
        RolloutStatus.ABSENT,
        EvictionStatus.ABSENT,
        DriverRefusal.ABSENT,
        Map.of());
  }

  private static boolean isLookedAt(NodeFacts facts) {
    return facts.pci().isPresent() || facts.snapshot().isPresent();
  }

  private static @Nullable Integer allocatable(
      @Nullable Integer count, Collection<Gpu> gpus, List<Condition> conditions) {
    boolean isOffered =
        conditions.stream()
            .filter(it -> it.type().equals(NodeCondition.DEVICES_ADVERTISED.type()))
            .allMatch(Condition::isTrue);
    return count == null
        ? null
        : Math.toIntExact(NodeReport.allocatable(count, levels(gpus), isOffered));
  }

  private static String products(Collection<Gpu> gpus) {
    return NodeReport.products(
        gpus.stream().map(gpu -> Objects.requireNonNullElse(gpu.product(), "")));
  }

  private static @Nullable HealthLevel worst(Collection<Gpu> gpus) {
    return known(gpus).max(Comparator.naturalOrder()).orElse(null);
  }

  private static List<String> levels(Collection<Gpu> gpus) {
    return known(gpus).map(level -> ApiJson.tree(level).asText()).toList();
  }

  private static Stream<HealthLevel> known(Collection<Gpu> gpus) {
    return gpus.stream().filter(gpu -> !gpu.health().isAbsent()).map(gpu -> gpu.health().level());
  }

  private static List<Condition> conditions(
      NodeFacts facts, Collection<Gpu> gpus, GpuNodeStatus before, Instant now) {
    List<Condition> parts =
        NodeVerdicts.of(facts, gpus).stream().map(it -> it.condition(before, now)).toList();
    Condition ready = ready(parts, facts).condition(before, now);
    return Stream.concat(parts.stream(), Stream.of(ready)).toList();
  }

  /// What keeps the node from being ready, else what is not known, else what is not as configured
  /// although pods get GPUs.
  private static Verdict ready(List<Condition> parts, NodeFacts facts) {
    return withStatus(parts, Verdict.FALSE)
        .or(() -> withStatus(parts, Verdict.UNKNOWN))
        .map(it -> new Verdict(NodeCondition.READY, it.status(), it.reason(), it.message()))
        .or(() ->
            AdvertisedVerdict.worst(facts)
                .map(it ->
                    Verdict.yes(
                        NodeCondition.READY,
                        it.cause().reason(),
                        AdvertisedVerdict.problems(facts))))
        .orElse(Verdict.yes(NodeCondition.READY, "Ready", "all other conditions are true"));
  }

  private static Optional<Condition> withStatus(List<Condition> parts, String status) {
    return parts.stream().filter(it -> it.status().equals(status)).findFirst();
  }

  private static DriverStatus driver(NodeFacts facts, DriverStatus before) {
    if (facts.snapshot().isEmpty() && facts.driver().pausedBy().isEmpty()) {
      return before;
    }
    String version =
        facts.withDriver().map(it -> it.gpus().inventory().driver().driver()).orElse("");
    return new DriverStatus(
        SchemaLimits.nameOrNull(version, SchemaLimits.NAME),
        ReportedHost.driver(facts.driver(), facts.host(), before.owner()),
        phase(facts),
        Map.of());
  }

  private static DriverPhase phase(NodeFacts facts) {
    if (facts.driver().pausedBy().isPresent()) {
      return DriverPhase.PAUSED;
    }
    if (facts.withDriver().isPresent()) {
      return DriverPhase.READY;
    }
    return facts.driver().containers() == DriverTraces.ALIVE
        ? DriverPhase.LOADING
        : DriverPhase.ABSENT;
  }

  private static SharingStatus sharing(NodeFacts.SharingFacts facts) {
    Sharing sharing = facts.sharing();
    var replicas =
        sharing.resources().stream().map(SharedResource::replicas).max(Integer::compareTo);
    return new SharingStatus(
        facts.config().map(it -> SchemaLimits.nameOrNull(it, SchemaLimits.CONFIG)).orElse(null),
        switch (sharing.strategy()) {
          case NONE -> SharingStrategy.NONE;
          case TIME_SLICING -> SharingStrategy.TIME_SLICING;
          case MPS -> SharingStrategy.MPS;
        },
        replicas.filter(it -> it > 0).orElse(null),
        Map.of());
  }
}
