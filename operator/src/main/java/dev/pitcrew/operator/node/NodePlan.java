package dev.pitcrew.operator.node;

import static dev.pitcrew.core.names.NodeLabels.AUTO_UPGRADE;
import static dev.pitcrew.core.names.NodeLabels.DEPLOY_PREFIX;
import static dev.pitcrew.core.names.NodeLabels.DRIVER_OWNER;
import static dev.pitcrew.core.names.NodeLabels.GPU_DETECTED;
import static dev.pitcrew.core.names.NodeLabels.GPU_PRESENT;
import static dev.pitcrew.core.names.NodeLabels.MIG_CONFIG;
import static dev.pitcrew.core.names.NodeLabels.WORKLOAD_CONFIG;
import static dev.pitcrew.operator.node.LabelSets.DRIVER;
import static dev.pitcrew.operator.node.LabelSets.PRE_INSTALLED;

import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.core.names.PauseWord;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Which labels and annotations one node should carry. The result depends on the node as it is and
/// on the policy, on nothing before it, so planning again after the change was written yields
/// nothing.
public final class NodePlan {
  private static final String TRUE = "true";

  private static final Set<String> DRIVERS = Set.of(DRIVER, LabelSets.HOST_MANAGER);

  /// The only default MIG layout that the operator hands out; any other is the MIG manager's to
  /// apply.
  private static final String ALL_DISABLED = "all-disabled";

  private NodePlan() {}

  /// What differs between the node and what the policy wants of it.
  public static NodeChange plan(NodeFacts node, NodePolicy policy) {
    Map<String, String> labels = resumed(node);
    markPresence(node, labels);
    boolean gpuNode = TRUE.equals(labels.get(GPU_PRESENT));
    // The NVIDIA GPU Operator runs the operands of a GPUCluster on nodes that opt out, too.
    if (!gpuNode || (node.optsOut() && !policy.servesClaims())) {
      labels.keySet().removeAll(LabelSets.MANAGED);
    } else {
      deployOperands(node, policy, labels);
    }
    if (gpuNode && wantsMigDisabled(node, policy)) {
      labels.put(MIG_CONFIG, ALL_DISABLED);
    }
    assignDriver(policy, gpuNode, labels);
    return new NodeChange(
        NodeChange.difference(node.labels(), labels),
        NodeChange.difference(node.annotations(), annotations(node, policy, labels)),
        gpuNode ? warnings(node, policy) : List.of());
  }

  /// What to take away when no ClusterPolicy is left: the deploy labels that we set, the owner of
  /// the driver and the auto-upgrade annotation. What a user or a driver manager that is still
  /// there wrote (`operands`, values other than `true`, the MIG layout) stays, and so does
  /// `gpu.present`, which states a fact; what the GPU detector found goes with it. The driver of an
  /// NVIDIADriver that is still there runs on.
  ///
  /// @param drivers empty while they have not been read
  public static NodeChange cleanup(NodeFacts node, Optional<DriverOwners> drivers) {
    Map<String, String> labels = resumed(node);
    boolean isOwned =
        drivers
            .map(owners -> owners.presentOwnerOf(labels).isPresent())
            .orElse(labels.containsKey(DRIVER_OWNER));
    labels
        .entrySet()
        .removeIf(label ->
            LabelSets.MANAGED.contains(label.getKey())
                && !(isOwned && DRIVERS.contains(label.getKey()))
                && !isAskedMigManager(node, label)
                && (isOurs(label.getValue()) || isFoundDriver(node, label)));
    labels.remove(GPU_DETECTED);
    var annotations = new HashMap<>(node.annotations());
    if (!isOwned) {
      labels.remove(DRIVER_OWNER);
      annotations.remove(AUTO_UPGRADE);
    }
    return new NodeChange(
        NodeChange.difference(node.labels(), labels),
        NodeChange.difference(node.annotations(), annotations),
        List.of());
  }

  /// On a GPU without MIG only a user asks for it.
  private static boolean isAskedMigManager(NodeFacts node, Map.Entry<String, String> label) {
    return label.getKey().equals(LabelSets.MIG_MANAGER)
        && TRUE.equals(label.getValue())
        && !node.isMigCapable();
  }

  /// The labels without the pauses that no other program would end.
  private static Map<String, String> resumed(NodeFacts node) {
    var labels = new HashMap<>(node.labels());
    if (node.isPauseLeft()) {
      labels.replaceAll(
          (key, value) -> key.startsWith(DEPLOY_PREFIX) ? PauseWord.resumed(value) : value);
    }
    return labels;
  }

  private static void markPresence(NodeFacts node, Map<String, String> labels) {
    if (node.hasGpuFeature()) {
      labels.remove(GPU_DETECTED);
    } else if (node.isGpuReported()) {
      labels.put(GPU_DETECTED, TRUE);
    }
    if (node.hasGpuFeature() || TRUE.equals(labels.get(GPU_DETECTED))) {
      labels.put(GPU_PRESENT, TRUE);
    } else if (node.isGpuNode()) {
      labels.put(GPU_PRESENT, "false");
    }
  }

  private static void deployOperands(
      NodeFacts node, NodePolicy policy, Map<String, String> labels) {
    WorkloadConfig workload = workload(node, policy);
    Set<String> wanted = wanted(node, policy, workload);
    labels
        .keySet()
        .removeIf(key ->
            LabelSets.MANAGED.contains(key)
                && !wanted.contains(key)
                && !stays(policy, workload, key));
    // A value of another writer holds: users opt out of one operand, the driver manager pauses it.
    wanted.forEach(
        key -> labels.merge(key, TRUE, (present, ours) -> present.isEmpty() ? ours : present));
    labels.computeIfPresent(DRIVER, (_, present) -> driver(node, policy, present));
  }

  private static Set<String> wanted(NodeFacts node, NodePolicy policy, WorkloadConfig workload) {
    if (policy.servesClaims()) {
      return LabelSets.DRA;
    }
    Set<String> wanted = new HashSet<>(LabelSets.of(workload, policy.sandboxMode()));
    if (workload == WorkloadConfig.CONTAINER && node.isMigCapable()) {
      wanted.add(LabelSets.MIG_MANAGER);
    }
    return wanted;
  }

  /// The label that lets a driver container onto the node.
  private static String driver(NodeFacts node, NodePolicy policy, String present) {
    boolean isDecidedHere =
        present.equals(TRUE) || (present.equals(PRE_INSTALLED) && node.isDriverLabelAutomatic());
    if (!isDecidedHere) {
      return present;
    }
    return switch (DriverDecisions.of(node, policy.demandOn(node.labels()))) {
      case DriverDecision.Install _ -> TRUE;
      case DriverDecision.Adopt _, DriverDecision.Refuse _ -> PRE_INSTALLED;
      case DriverDecision.Undecided _ -> present;
    };
  }

  /// Who brings the driver of a node that has its labels. One that is to have no operand has no
  /// driver that could be the wrong one.
  public static DriverDecision decision(NodeFacts node, NodePolicy policy) {
    return node.label(DRIVER).isPresent()
        ? DriverDecisions.of(node, policy.demandOn(node.labels()))
        : new DriverDecision.Install();
  }

  /// A MIG manager that a user asked for on a node with containers stays, capable GPU or not; with
  /// claims, the label by which an NVIDIADriver brings a host driver for virtual GPUs.
  private static boolean stays(NodePolicy policy, WorkloadConfig workload, String key) {
    return policy.servesClaims()
        ? key.equals(LabelSets.HOST_MANAGER)
        : workload == WorkloadConfig.CONTAINER && key.equals(LabelSets.MIG_MANAGER);
  }

  private static WorkloadConfig workload(NodeFacts node, NodePolicy policy) {
    if (!policy.sandboxEnabled()) {
      return WorkloadConfig.CONTAINER;
    }
    return node.label(WORKLOAD_CONFIG)
        .flatMap(WorkloadConfig::parse)
        .orElse(policy.defaultWorkload());
  }

  private static boolean wantsMigDisabled(NodeFacts node, NodePolicy policy) {
    return policy.migManagerEnabled()
        && policy.defaultMigConfig().equals(ALL_DISABLED)
        && node.isMigCapable()
        && node.label(MIG_CONFIG).orElse("").isEmpty();
  }

  private static void assignDriver(NodePolicy policy, boolean gpuNode, Map<String, String> labels) {
    if (!gpuNode) {
      labels.remove(DRIVER_OWNER);
      return;
    }
    policy
        .driverOwners()
        .map(owners ->
            policy.useNvidiaDriverCrd() ? owners.ownerOf(labels) : owners.presentOwnerOf(labels))
        .ifPresent(owner ->
            owner.ifPresentOrElse(
                name -> labels.put(DRIVER_OWNER, name), () -> labels.remove(DRIVER_OWNER)));
  }

  private static Map<String, String> annotations(
      NodeFacts node, NodePolicy policy, Map<String, String> labels) {
    Optional<Boolean> upgrades = autoUpgrade(policy, labels);
    if (upgrades.isEmpty()) {
      return node.annotations();
    }
    var annotations = new HashMap<>(node.annotations());
    if (upgrades.get()) {
      annotations.put(AUTO_UPGRADE, TRUE);
    } else {
      annotations.remove(AUTO_UPGRADE);
    }
    return annotations;
  }

  /// Empty where it is undecided: the node is left to NVIDIADrivers, and none of them owns it.
  private static Optional<Boolean> autoUpgrade(NodePolicy policy, Map<String, String> labels) {
    if (policy.decidesAutoUpgrade()) {
      return Optional.of(policy.autoUpgradeWanted() && TRUE.equals(labels.get(GPU_PRESENT)));
    }
    return policy
        .driverOwners()
        .flatMap(owners ->
            Optional.ofNullable(labels.get(DRIVER_OWNER)).flatMap(owners::upgradesAutomatically));
  }

  private static List<String> warnings(NodeFacts node, NodePolicy policy) {
    if (!policy.sandboxEnabled() || node.optsOut()) {
      return List.of();
    }
    Optional<String> invalid =
        node.label(WORKLOAD_CONFIG).filter(value -> WorkloadConfig.parse(value).isEmpty());
    return invalid.map(value -> invalidWorkload(node, policy, value)).stream().toList();
  }

  private static String invalidWorkload(NodeFacts node, NodePolicy policy, String value) {
    return "Node %s: label %s has the invalid value \"%s\" (valid: %s); the default %s is used"
        .formatted(
            node.name(),
            WORKLOAD_CONFIG,
            value,
            WorkloadConfig.spellings(),
            policy.defaultWorkload().value());
  }

  private static boolean isFoundDriver(NodeFacts node, Map.Entry<String, String> label) {
    return label.getKey().equals(DRIVER)
        && label.getValue().equals(PRE_INSTALLED)
        && node.isDriverLabelAutomatic();
  }

  private static boolean isOurs(String value) {
    return value.isEmpty() || value.equals(TRUE) || value.equals(NodeLabels.PROVIDED_BY_AGENT);
  }
}
