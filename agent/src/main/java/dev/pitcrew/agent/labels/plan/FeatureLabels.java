package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.core.names.NodeLabels;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/// All feature labels of a node.
public final class FeatureLabels {
  private static final String TEGRA = "nvidia,tegra";

  private FeatureLabels() {}

  public static SortedMap<String, String> of(FeatureFacts facts) {
    var labels = new TreeMap<String, String>();
    labels.putAll(PciLabels.of(facts.pciFunctions()));
    labels.putAll(KernelLabels.of(facts.kernel()));
    labels.putAll(OsReleaseLabels.of(facts.files().osRelease()));
    labels.putAll(CpuLabels.of(facts.files().cpuinfo()));
    labels.putAll(ModuleLabels.of(facts.files().modules()));
    // An integrated GPU is no PCI function, so no other label reports it.
    if (facts.files().deviceTree().contains(TEGRA)) {
      labels.put(NodeLabels.GPU_PRESENT, "true");
    }
    return Collections.unmodifiableSortedMap(labels);
  }
}
