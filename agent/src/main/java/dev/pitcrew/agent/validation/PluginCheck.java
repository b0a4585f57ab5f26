package dev.pitcrew.agent.validation;

import static dev.pitcrew.agent.validation.Component.PLUGIN;

import dev.pitcrew.agent.validation.plan.Wanted;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Whether pods can be given GPUs: the Node shows what the kubelet was offered.
final class PluginCheck {
  private static final String MIG = "nvidia.com/mig-";
  private static final String GPU = "nvidia.com/gpu";

  private PluginCheck() {}

  static Check of(Wanted wanted, ValidationFacts.Plugin plugin) {
    if (!wanted.plugin()) {
      return Check.off(PLUGIN, "spec.devicePlugin.enabled or the label of device-plugin says so");
    }
    if (plugin.allocatable().isEmpty()) {
      return Check.unknown(PLUGIN, "the Node was not seen yet");
    }
    return plugin.isOffered() ? offered(plugin) : ofAnotherPlugin(plugin.allocatable().get());
  }

  private static Check offered(ValidationFacts.Plugin plugin) {
    if (plugin.healthy().isEmpty()) {
      return Check.unknown(PLUGIN, "the kubelet was not offered anything yet");
    }
    if (!plugin.problems().isEmpty()) {
      return Check.failed(
          PLUGIN,
          "PluginNotRegistered",
          "the kubelet does not have %s: systemctl status kubelet on the node; the agent tries again automatically"
              .formatted(String.join("; ", plugin.problems())));
    }
    Map<String, Integer> advertised = new TreeMap<>(plugin.healthy().get());
    if (advertised.isEmpty() && plugin.byClaims() > 0) {
      return Check.passed(
          PLUGIN, "ResourceClaims allocate %d GPUs of the Node".formatted(plugin.byClaims()));
    }
    if (advertised.isEmpty()) {
      return Check.failed(
          PLUGIN, "NothingToAdvertise", "the kubelet is offered no device: see DevicesAdvertised");
    }
    if (plugin.agrees()) {
      return Check.passed(PLUGIN, "the Node has %s".formatted(counts(advertised)));
    }
    String difference =
        "the kubelet is offered %s, the Node has %s"
            .formatted(counts(advertised), counts(live(plugin, advertised)));
    return plugin.isLate()
        ? Check.failed(
            PLUGIN,
            "AllocatableDiffers",
            difference
                + ": look for the resource's name in the kubelet's log; another device plugin may have registered it")
        : Check.unknown(PLUGIN, difference + " as yet");
  }

  private static Map<String, Integer> live(
      ValidationFacts.Plugin plugin, Map<String, Integer> advertised) {
    Map<String, Integer> node = plugin.allocatable().orElse(Map.of());
    return advertised.keySet().stream()
        .collect(
            Collectors.toMap(
                it -> it, it -> node.getOrDefault(it, 0), (one, _) -> one, TreeMap::new));
  }

  /// As in NVIDIA's operator validator: one GPU or MIG device is enough.
  private static Check ofAnotherPlugin(Map<String, Integer> allocatable) {
    Map<String, Integer> found = new TreeMap<>(allocatable);
    found.entrySet().removeIf(it -> !isGpu(it.getKey()) || it.getValue() < 1);
    return Optional.of(found)
        .filter(it -> !it.isEmpty())
        .map(it -> Check.passed(PLUGIN, "the Node has %s".formatted(counts(it))))
        .orElseGet(() ->
            Check.failed(
                PLUGIN,
                "NoDeviceAdvertised",
                "the Node has neither nvidia.com/gpu nor nvidia.com/mig-…: look at the device plugin's pod on this node"));
  }

  private static boolean isGpu(String resource) {
    return resource.startsWith(MIG) || resource.startsWith(GPU);
  }

  private static String counts(Map<String, Integer> resources) {
    return resources.entrySet().stream()
        .map(it -> it.getValue() + " " + it.getKey())
        .collect(Collectors.joining(", "));
  }
}
