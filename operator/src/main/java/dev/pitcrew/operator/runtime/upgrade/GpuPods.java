package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.api.UpgradePolicySpec;
import dev.pitcrew.operator.eviction.BudgetRules;
import dev.pitcrew.operator.upgrade.NodePod;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The pods of nodes, read once, with what their disruption budgets would say to an eviction now.
/// Nothing is evicted to find out.
public final class GpuPods {
  private static final int FORBIDDEN = 403;

  private final KubernetesClient client;
  private final GpuClaims claims;
  private final Optional<List<PodDisruptionBudget>> budgets;

  public GpuPods(KubernetesClient client) {
    this.client = client;
    this.claims = new GpuClaims(client);
    this.budgets = budgets(client);
  }

  /// Whether the disruption budgets could be read.
  public boolean knowsBudgets() {
    return budgets.isPresent();
  }

  /// The pods of a node that have not ended.
  public List<NodePod> of(String node, UpgradePolicySpec policy) {
    List<Pod> pods =
        client
            .pods()
            .inAnyNamespace()
            .withField("spec.nodeName", node)
            .withoutField("status.phase", "Succeeded")
            .withoutField("status.phase", "Failed")
            .list()
            .getItems()
            .stream()
            .toList();
    Map<String, String> refusals = new HashMap<>();
    pods.forEach(
        pod -> refusal(pod).ifPresent(text -> refusals.put(pod.getMetadata().getUid(), text)));
    var reading =
        NodePodReading.of(policy, claims::holdsGpu, uid -> Optional.ofNullable(refusals.get(uid)));
    return pods.stream().map(SlimPods::workload).map(reading::read).toList();
  }

  private Optional<String> refusal(Pod pod) {
    return budgets.flatMap(all -> BudgetRules.refusal(pod, all));
  }

  /// Empty where the user may not read them.
  private static Optional<List<PodDisruptionBudget>> budgets(KubernetesClient client) {
    try {
      return Optional.of(
          client.policy().v1().podDisruptionBudget().inAnyNamespace().list().getItems());
    } catch (KubernetesClientException e) {
      if (e.getCode() == FORBIDDEN) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
