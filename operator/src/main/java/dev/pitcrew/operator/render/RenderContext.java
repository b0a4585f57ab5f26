package dev.pitcrew.operator.render;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.operator.cluster.ClusterFacts;

/// All that an operand is rendered from.
public record RenderContext(ClusterPolicySpec spec, ClusterFacts facts, Images images) {

  public String namespace() {
    return facts.namespace();
  }

  public boolean usesCdi() {
    return spec.cdi().isEnabled();
  }

  public boolean usesNri() {
    return spec.cdi().isNriPluginEnabled();
  }
}
