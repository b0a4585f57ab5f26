package dev.pitcrew.operator.computedomain;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.computedomain.ComputeDomain;
import dev.pitcrew.operator.computedomain.Domain.Reading;
import io.fabric8.kubernetes.client.utils.Serialization;

/// ComputeDomains as a user writes them.
final class Domains {
  static final String UID = "11111111-2222-3333-4444-555555555555";

  private Domains() {}

  static Reading read(String spec) {
    return Domain.read(
        ApiJson.read(
            Serialization.unmarshal(
                """
                apiVersion: resource.nvidia.com/v1beta1
                kind: ComputeDomain
                metadata: {name: dom, namespace: team, uid: %s}
                spec: %s
                """
                    .formatted(UID, spec),
                JsonNode.class),
            ComputeDomain.class));
  }

  /// One that waits for so many nodes.
  static Domain of(int numNodes) {
    var reading =
        read("{numNodes: %d, channel: {resourceClaimTemplate: {name: c}}}".formatted(numNodes));
    if (reading instanceof Reading.Valid(Domain domain)) {
      return domain;
    }
    throw new AssertionError(reading);
  }
}
