package dev.pitcrew.agent.settings;

import static dev.pitcrew.core.names.NodeLabels.DEPLOY_PREFIX;

import dev.pitcrew.agent.config.Program;
import dev.pitcrew.api.node.AgentPolicy;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// What this agent can do on a node. Each replaces one operand of the NVIDIA GPU Operator and runs
/// exactly where that would run.
public enum NodeFunction {
  /// The labels of Node Feature Discovery that the operator needs to set its own. They replace no
  /// operand, so no label of an operand can switch them off: these follow from them.
  FEATURE_LABELS("labels", Optional.empty(), Optional.empty()),
  /// The labels of GPU feature discovery.
  GPU_LABELS("labels", Optional.of(Operand.FEATURE_DISCOVERY), Optional.of(Program.LABELS)),
  /// The device plugin and the CDI specifications that it refers to.
  DEVICE_PLUGIN("devicePlugin", Optional.of(Operand.DEVICE_PLUGIN), Optional.of(Program.PLUGIN)),
  /// The control daemons of MPS, which run apart from the agent: their configuration and state.
  MPS("mps", Optional.of(Operand.DEVICE_PLUGIN), Optional.of(Program.PLUGIN)),
  /// The node's general CDI specification, which NVIDIA's container toolkit writes.
  CDI("cdi", Optional.of(Operand.TOOLKIT), Optional.of(Program.PLUGIN)),
  /// The container runtime's handlers, and the devices of pods that ask for them by an environment.
  RUNTIME("runtime", Optional.of(Operand.TOOLKIT), Optional.empty()),
  /// The proof that the node works, and the status files that report it.
  VALIDATION("validation", Optional.of(Operand.VALIDATOR), Optional.empty()),
  /// The metrics `gpu_operator_node_*`.
  NODE_STATUS("nodeStatus", Optional.of(Operand.NODE_STATUS_EXPORTER), Optional.empty()),
  /// The metrics of GPUs, `DCGM_FI_*`.
  METRICS("metrics", Optional.of(Operand.METRICS_EXPORTER), Optional.empty()),
  /// The division of GPUs by MIG.
  MIG("mig", Optional.of(Operand.MIG_MANAGER), Optional.empty()),
  /// Levels of GPUs out of their readings, and what follows from them. The NVIDIA GPU Operator has
  /// no operand for it.
  HEALTH("health", Optional.empty(), Optional.empty()),
  /// The DRA driver: GPUs by ResourceClaims on the nodes that FleetPolicy spec.dra selects.
  DRA("dra", Optional.empty(), Optional.empty());

  private final String value;
  private final Optional<Operand> operand;
  private final Optional<Program> program;

  NodeFunction(String value, Optional<Operand> operand, Optional<Program> program) {
    this.value = value;
    this.operand = operand;
    this.program = program;
  }

  /// As FleetPolicy names it.
  public String value() {
    return value;
  }

  Optional<Operand> operand() {
    return operand;
  }

  /// Whose configuration it runs with.
  Optional<Program> program() {
    return program;
  }

  /// What FleetPolicy can give to this agent.
  static Set<String> names() {
    return Arrays.stream(values()).map(NodeFunction::value).collect(Collectors.toUnmodifiableSet());
  }

  /// An operand of the NVIDIA GPU Operator: its section of the ClusterPolicy and its node label.
  enum Operand {
    FEATURE_DISCOVERY("gfd", "gpu-feature-discovery"),
    DEVICE_PLUGIN("devicePlugin", "device-plugin"),
    TOOLKIT("toolkit", "container-toolkit"),
    VALIDATOR("validator", "operator-validator"),
    NODE_STATUS_EXPORTER("nodeStatusExporter", "node-status-exporter"),
    METRICS_EXPORTER("dcgmExporter", "dcgm-exporter"),
    MIG_MANAGER("migManager", "mig-manager");

    private final String section;
    private final String deployed;

    Operand(String section, String deployed) {
      this.section = section;
      this.deployed = deployed;
    }

    /// The label that says whether it may run on a node.
    String label() {
      return DEPLOY_PREFIX + deployed;
    }

    /// The switch that keeps it off every node; empty where it is wanted.
    Optional<String> switchedOffBy(AgentPolicy policy) {
      if (this == TOOLKIT && !policy.cdi().isEnabled()) {
        return Optional.of("spec.cdi.enabled");
      }
      return Optional.of("spec." + section + ".enabled").filter(_ -> !isEnabled(policy));
    }

    private boolean isEnabled(AgentPolicy policy) {
      return switch (this) {
        case FEATURE_DISCOVERY -> policy.gfd().isEnabled();
        case DEVICE_PLUGIN -> policy.devicePlugin().isEnabled();
        case TOOLKIT -> policy.toolkit().isEnabled();
        case VALIDATOR -> policy.validator().isEnabled();
        case NODE_STATUS_EXPORTER -> policy.nodeStatusExporter().isEnabled();
        case METRICS_EXPORTER -> policy.dcgmExporter().isEnabled();
        case MIG_MANAGER -> policy.migManager().isEnabled();
      };
    }
  }
}
