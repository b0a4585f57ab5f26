package dev.pitcrew.operator.operand;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.operator.render.Operand;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.render.RuntimeModes;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.node.v1.RuntimeClass;
import io.fabric8.kubernetes.api.model.node.v1.RuntimeClassBuilder;
import java.util.LinkedHashSet;
import java.util.List;

/// The runtime classes through which pods choose the NVIDIA runtime. The NRI plugin needs none.
final class RuntimeClasses implements Operand {
  @Override
  public String state() {
    return "pre-requisites";
  }

  @Override
  public String daemonSetName() {
    return "";
  }

  @Override
  public boolean isEnabled(ClusterPolicySpec spec) {
    return !spec.cdi().isNriPluginEnabled();
  }

  @Override
  public List<HasMetadata> resources(RenderContext context) {
    var names = new LinkedHashSet<String>();
    names.add(RuntimeModes.runtimeClassName(context));
    if (context.usesCdi()) {
      names.addAll(List.of("nvidia-legacy", "nvidia-cdi"));
    }
    return names.stream().<HasMetadata>map(RuntimeClasses::runtimeClass).toList();
  }

  private static RuntimeClass runtimeClass(String name) {
    return new RuntimeClassBuilder()
        .withNewMetadata()
        .withName(name)
        .addToLabels("app.kubernetes.io/component", "gpu-operator")
        .endMetadata()
        .withHandler(name)
        .build();
  }
}
