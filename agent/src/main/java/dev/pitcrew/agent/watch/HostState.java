package dev.pitcrew.agent.watch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.host.HostSigns;
import dev.pitcrew.agent.labels.plan.FeatureFacts;
import dev.pitcrew.agent.labels.plan.FeatureLabels;
import dev.pitcrew.agent.labels.plan.GpuPresence;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.hardware.pci.PciDevice;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The node around its GPUs.
///
/// @param pci all functions on the bus
/// @param presence the feature labels, those of GPUs debounced
/// @param kernelModules those that are loaded
/// @param signs of what is set up around them; empty before the host was looked at
public record HostState(
    List<PciDevice> pci,
    GpuPresence presence,
    Set<String> kernelModules,
    Optional<HostSigns> signs) {
  private static final String GPU = NodeLabels.FEATURE_PREFIX + "pci-10de.present";

  public HostState {
    pci = List.copyOf(pci);
    kernelModules = Set.copyOf(kernelModules);
  }

  /// After one more look.
  public static HostState of(FeatureFacts facts, HostSigns signs, Optional<HostState> before) {
    GpuPresence last = before.map(HostState::presence).orElse(GpuPresence.UNKNOWN);
    return new HostState(
        facts.pciFunctions(),
        last.after(FeatureLabels.of(facts)),
        modules(facts.files().modules()),
        Optional.of(signs));
  }

  /// What the last agent of this node saw, according to the labels of the Node.
  public static HostState labelled(JsonNode node) {
    var shown = new TreeMap<String, String>();
    node.at("/metadata/labels")
        .properties()
        .forEach(label -> shown.put(label.getKey(), label.getValue().asText()));
    shown.keySet().removeIf(key -> !key.startsWith(NodeLabels.FEATURE_PREFIX));
    return new HostState(List.of(), new GpuPresence(shown, 0), Set.of(), Optional.empty());
  }

  public Map<String, String> features() {
    return presence.shown();
  }

  public boolean hasGpu() {
    return features().containsKey(GPU) || features().containsKey(NodeLabels.GPU_PRESENT);
  }

  /// Whether a GPU was missed by the last look that may only have been away for a moment.
  public boolean isDoubtful() {
    return presence.missedScans() > 0;
  }

  /// `/proc/modules` has a line for each, the name first.
  private static Set<String> modules(String text) {
    return text.lines()
        .map(line -> line.split(" ", 2)[0])
        .filter(name -> !name.isEmpty())
        .collect(Collectors.toUnmodifiableSet());
  }
}
