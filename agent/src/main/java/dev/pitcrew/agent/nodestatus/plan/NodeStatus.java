package dev.pitcrew.agent.nodestatus.plan;

import dev.pitcrew.agent.health.SwitchError;
import dev.pitcrew.api.Condition;
import java.time.Instant;
import java.util.List;

/// What is known of the node but for its status files.
///
/// @param startedAt when these metrics began
/// @param driver whether the driver answers
/// @param devices what the kubelet says that it has; [#UNKNOWN] where the Node was not seen
/// @param allocatable how many of them it would give to pods, likewise
/// @param plugin whether there is any
/// @param pciFunctions NVIDIA's on the bus; [#UNKNOWN] where the bus was not read
/// @param conditions of the GPUNode
/// @param gpus how each GPU is
/// @param switches what NVSwitches report against themselves
public record NodeStatus(
    String node,
    Instant startedAt,
    LastSuccess driver,
    long devices,
    long allocatable,
    LastSuccess plugin,
    long pciFunctions,
    List<Condition> conditions,
    List<SeenGpu> gpus,
    List<SwitchError> switches) {

  /// As in NVIDIA's node status exporter.
  public static final long UNKNOWN = -1;

  public NodeStatus {
    conditions = List.copyOf(conditions);
    gpus = List.copyOf(gpus);
    switches = List.copyOf(switches);
  }

  /// Before anything was looked at.
  public static NodeStatus beginning(String node, Instant now) {
    return new NodeStatus(
        node,
        now,
        LastSuccess.NEVER,
        UNKNOWN,
        UNKNOWN,
        LastSuccess.NEVER,
        UNKNOWN,
        List.of(),
        List.of(),
        List.of());
  }

  /// After one more look.
  public NodeStatus next(Seen seen, Instant now) {
    return new NodeStatus(
        node,
        startedAt,
        driver.next(seen.driverAnswers(), now),
        seen.devices(),
        seen.allocatable(),
        plugin.next(seen.devices() > 0, now),
        seen.pciFunctions(),
        seen.conditions(),
        seen.gpus(),
        seen.switches());
  }

  /// One look at the node.
  public record Seen(
      boolean driverAnswers,
      long devices,
      long allocatable,
      long pciFunctions,
      List<Condition> conditions,
      List<SeenGpu> gpus,
      List<SwitchError> switches) {
    public Seen {
      conditions = List.copyOf(conditions);
      gpus = List.copyOf(gpus);
      switches = List.copyOf(switches);
    }
  }
}
