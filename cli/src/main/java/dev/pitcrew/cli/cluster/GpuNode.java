package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import dev.pitcrew.core.fleet.HealthLevels;
import dev.pitcrew.core.fleet.NodeReport;
import java.util.List;
import java.util.Optional;

/// What the agent and the operator report on a node with GPUs.
///
/// @param gpuCount how many GPUs it has, also where none is listed
/// @param driver its version, empty while there is none
/// @param mig how its GPUs are divided
/// @param sharing how pods share a GPU: `None`, `TimeSlicing`, `MPS`, or empty
public record GpuNode(
    String name,
    long gpuCount,
    List<Gpu> gpus,
    String driver,
    String sharing,
    Mig mig,
    List<Condition> conditions,
    Rollout rollout,
    String created) {
  private static final String IDLE = "Idle";

  /// Where the node is on its way to a new driver.
  ///
  /// @param phase `Idle` where there is none
  /// @param blocker what the phase waits for
  public record Rollout(
      String phase, String since, String deadline, String blocker, String nextAction) {
    static Rollout of(Json rollout) {
      String phase = rollout.at("phase").text();
      return new Rollout(
          phase.isEmpty() ? IDLE : phase,
          rollout.at("since").text(),
          rollout.at("deadline").text(),
          rollout.at("blocker").text(),
          rollout.at("nextAction").text());
    }

    public boolean isFailed() {
      return phase.equals("Failed");
    }

    public boolean isPending() {
      return phase.equals("Pending");
    }

    /// Whether the node is taken out of use for it, or about to be returned.
    public boolean isUnderWay() {
      return !List.of(IDLE, "Pending", "Done", "Failed").contains(phase);
    }
  }

  /// How the GPUs are to be divided, and how they are.
  ///
  /// @param desired name of the layout; empty where there is none, or the agent does not divide
  /// @param actual the same, once it is so
  /// @param inTheWay pods that hold what has to go
  public record Mig(String desired, String actual, List<InTheWay> inTheWay) {
    static Mig of(Json status) {
      List<Json> blocked = status.at("eviction", "blocked").items();
      return new Mig(
          status.at("mig", "desired").text(),
          status.at("mig", "actual").text(),
          status.at("mig", "inTheWay").items().stream()
              .map(it -> InTheWay.of(it, blocked))
              .toList());
    }
  }

  /// A pod that holds what a change takes away.
  ///
  /// @param blocked why it is not evicted; empty where it is not to be, or is
  public record InTheWay(String namespace, String name, String blocked) {
    static InTheWay of(Json pod, List<Json> blocked) {
      String uid = pod.at("uid").text();
      return new InTheWay(
          pod.at("namespace").text(),
          pod.at("name").text(),
          blocked.stream()
              .filter(it -> it.at("uid").text().equals(uid))
              .map(it -> it.at("message").text())
              .findFirst()
              .orElse(""));
    }
  }

  public static GpuNode of(Json node) {
    Json status = node.at("status");
    return new GpuNode(
        node.at("metadata", "name").text(),
        status.at("gpuCount").number(),
        status.at("gpus").items().stream().map(Gpu::of).toList(),
        status.at("driver", "version").text(),
        status.at("sharing", "strategy").text(),
        Mig.of(status),
        Condition.all(status.at("conditions")),
        Rollout.of(status.at("rollout")),
        node.at("metadata", "creationTimestamp").text());
  }

  public Optional<Condition> condition(String type) {
    return Condition.find(conditions, type);
  }

  public boolean isReady() {
    return condition("Ready").filter(Condition::isTrue).isPresent();
  }

  /// Whether the kubelet has its devices, as far as the agent offers them.
  public boolean offersDevices() {
    return condition("DevicesAdvertised").map(Condition::isTrue).orElse(true);
  }

  /// Why it is not ready; a node on which no agent has reported has no condition yet.
  public String reason() {
    return condition("Ready").map(Condition::reason).orElse(NodeReport.NOT_REPORTED);
  }

  public String message() {
    return condition("Ready").map(Condition::message).orElse("its agent has not reported yet");
  }

  /// The products, most of one first.
  public String product() {
    return NodeReport.products(gpus.stream().map(Gpu::product));
  }

  /// The level of the GPU that is worst; empty where none is known.
  public String health() {
    return HealthLevels.worst(levels());
  }

  public long unhealthy() {
    return gpus.stream().filter(Gpu::isUnhealthy).count();
  }

  /// Whether pods ask for whole GPUs of it, and not for shares, parts or claims.
  public boolean givesWholeGpus() {
    return NodeReport.isWhole(
        gpus.stream().anyMatch(gpu -> !gpu.profiles().isEmpty()),
        sharing,
        condition("DevicesAdvertised").map(Condition::reason).orElse(""));
  }

  /// As the fleet is counted by it.
  public NodeReport report() {
    return new NodeReport(
        isReady(), reason(), gpuCount, levels(), givesWholeGpus(), offersDevices(), driver);
  }

  private List<String> levels() {
    return gpus.stream().map(Gpu::level).toList();
  }
}
