package dev.pitcrew.operator.runtime.domains;

import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.List;

/// The kinds that ComputeDomains are made of and that have no class of their own.
public final class DomainKinds {
  static final ResourceDefinitionContext DOMAIN =
      kind("resource.nvidia.com", "v1beta1", "ComputeDomain", "computedomains", true);
  static final ResourceDefinitionContext CLIQUE =
      kind("resource.nvidia.com", "v1beta1", "ComputeDomainClique", "computedomaincliques", true);
  static final ResourceDefinitionContext TEMPLATE =
      kind("resource.k8s.io", "v1", "ResourceClaimTemplate", "resourceclaimtemplates", true);
  static final ResourceDefinitionContext CLASS =
      kind("resource.k8s.io", "v1", "DeviceClass", "deviceclasses", false);

  /// Names of the definitions without which there are no domains.
  public static final List<String> DEFINITIONS =
      List.of(
          DOMAIN.getPlural() + "." + DOMAIN.getGroup(),
          CLIQUE.getPlural() + "." + CLIQUE.getGroup());

  private DomainKinds() {}

  private static ResourceDefinitionContext kind(
      String group, String version, String kind, String plural, boolean isNamespaced) {
    return new ResourceDefinitionContext.Builder()
        .withGroup(group)
        .withVersion(version)
        .withKind(kind)
        .withPlural(plural)
        .withNamespaced(isNamespaced)
        .build();
  }
}
