package dev.pitcrew.operator.upgrade;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.UpgradePolicySpec;
import dev.pitcrew.api.fleetpolicy.RolloutSpec;
import io.fabric8.kubernetes.client.utils.Serialization;

/// Upgrade policies and roll-outs as a user writes them.
final class Rules {
  private Rules() {}

  static UpgradePolicySpec policy(String yaml) {
    return ApiJson.read(
        Serialization.unmarshal("---\n" + yaml, JsonNode.class), UpgradePolicySpec.class);
  }

  static RolloutSpec rollout(String yaml) {
    return yaml.isEmpty()
        ? RolloutSpec.ABSENT
        : ApiJson.read(Serialization.unmarshal("---\n" + yaml, JsonNode.class), RolloutSpec.class);
  }
}
