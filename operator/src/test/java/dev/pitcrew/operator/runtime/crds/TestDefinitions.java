package dev.pitcrew.operator.runtime.crds;

/// Definitions that belong to no product.
final class TestDefinitions {
  private TestDefinitions() {}

  /// A definition with the served version v1 and one that is not served.
  static String yaml(String plural) {
    return """
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: %1$s.pitcrew.test
    spec:
      group: pitcrew.test
      scope: Cluster
      names: {kind: %1$sKind, plural: %1$s}
      versions:
      - name: v1
        served: true
        storage: true
        schema:
          openAPIV3Schema:
            type: object
            properties:
              spec: {type: object, properties: {size: {type: integer, minimum: 1, default: 3}}}
      - name: v1alpha1
        served: false
        storage: false
        schema:
          openAPIV3Schema: {type: object}
    """
        .formatted(plural);
  }
}
