package dev.pitcrew.operator.operand;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;

/// What the managers of sandboxed nodes get unless the policy says otherwise.
final class SandboxResources {
  static final ResourceRequirements SMALL =
      new ResourceRequirementsBuilder()
          .addToRequests("cpu", new Quantity("100m"))
          .addToRequests("memory", new Quantity("200Mi"))
          .addToLimits("memory", new Quantity("200Mi"))
          .build();

  private SandboxResources() {}
}
