package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.core.requests.GpuDemand;
import dev.pitcrew.core.requests.NodeOffer;
import dev.pitcrew.core.requests.Taint;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A Node of Kubernetes.
///
/// @param cordoned whether no new pod comes
/// @param ready whether its kubelet says so
public record KubeNode(NodeOffer offer, boolean cordoned, boolean ready) {
  public static KubeNode of(Json node) {
    Map<String, String> labels = node.at("metadata", "labels").textFields();
    List<Taint> taints =
        node.at("spec", "taints").items().stream()
            .map(
                it -> new Taint(it.at("key").text(), it.at("value").text(), it.at("effect").text()))
            .toList();
    return new KubeNode(
        NodeOffer.of(
            node.at("metadata", "name").text(),
            isOfGpus(labels),
            labels,
            amounts(node.at("status", "capacity")),
            amounts(node.at("status", "allocatable")),
            taints),
        node.at("spec", "unschedulable").isTrue(),
        Condition.find(Condition.all(node.at("status", "conditions")), "Ready")
            .filter(Condition::isTrue)
            .isPresent());
  }

  public String name() {
    return offer.node();
  }

  static Map<String, Long> amounts(Json quantities) {
    var amounts = new HashMap<String, Long>();
    quantities
        .textFields()
        .forEach((resource, quantity) -> {
          if (resource.startsWith(GpuDemand.PREFIX)) {
            amounts.put(resource, wholeNumber(quantity));
          }
        });
    return amounts;
  }

  /// Of these resources the API server takes no fractions; it writes 2000 as `2k`.
  private static long wholeNumber(String quantity) {
    boolean thousands = quantity.endsWith("k");
    try {
      return thousands
          ? 1000 * Long.parseLong(quantity.substring(0, quantity.length() - 1))
          : Long.parseLong(quantity);
    } catch (NumberFormatException _) {
      return 0;
    }
  }

  private static boolean isOfGpus(Map<String, String> labels) {
    return "true".equals(labels.get(NodeLabels.GPU_PRESENT))
        && !"false".equals(labels.get(NodeLabels.DEPLOY_OPERANDS));
  }
}
