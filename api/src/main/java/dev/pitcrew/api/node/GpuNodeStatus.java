package dev.pitcrew.api.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Condition;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What a node has. `rollout`, `eviction` and `driverRefusal` are the operator's to write, all else
/// the agent's.
///
/// @param allocatable GPUs that pods can have, whether or not one has them
/// @param product the products of its GPUs, most of one first, without the maker
/// @param health the level of the GPU that is worst
public record GpuNodeStatus(
    AgentStatus agent,
    @Nullable Integer gpuCount,
    @Nullable Integer allocatable,
    @Nullable String product,
    @Nullable HealthLevel health,
    List<Gpu> gpus,
    HostStatus host,
    DriverStatus driver,
    RuntimeStatus runtime,
    SharingStatus sharing,
    MigStatus mig,
    List<ValidationCheck> validation,
    List<Condition> conditions,
    RolloutStatus rollout,
    EvictionStatus eviction,
    DriverRefusal driverRefusal,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final GpuNodeStatus ABSENT = Absent.of(GpuNodeStatus.class);

  public GpuNodeStatus {
    agent = Objects.requireNonNullElse(agent, AgentStatus.ABSENT);
    gpus = Absent.orList(gpus);
    host = Objects.requireNonNullElse(host, HostStatus.ABSENT);
    driver = Objects.requireNonNullElse(driver, DriverStatus.ABSENT);
    runtime = Objects.requireNonNullElse(runtime, RuntimeStatus.ABSENT);
    sharing = Objects.requireNonNullElse(sharing, SharingStatus.ABSENT);
    mig = Objects.requireNonNullElse(mig, MigStatus.ABSENT);
    validation = Absent.orList(validation);
    conditions = Absent.orList(conditions);
    rollout = Objects.requireNonNullElse(rollout, RolloutStatus.ABSENT);
    eviction = Objects.requireNonNullElse(eviction, EvictionStatus.ABSENT);
    driverRefusal = Objects.requireNonNullElse(driverRefusal, DriverRefusal.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }

  /// The condition of this type, where the agent has said something about it.
  public Optional<Condition> condition(NodeCondition type) {
    return conditions.stream()
        .filter(condition -> condition.type().equals(type.type()))
        .findFirst();
  }
}
