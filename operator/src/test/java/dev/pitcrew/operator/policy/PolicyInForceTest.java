package dev.pitcrew.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import java.util.List;
import org.junit.jupiter.api.Test;

class PolicyInForceTest {
  @Test
  void theOldestPolicyCounts() {
    assertThat(PolicyInForce.of(List.of(policy("new", "2026-02-01"), policy("old", "2026-01-01"))))
        .hasValueSatisfying(policy -> assertThat(policy.getMetadata().getName()).isEqualTo("old"));
  }

  @Test
  void equallyOldPolicies_useTheFirstByName() {
    assertThat(PolicyInForce.of(List.of(policy("b", "2026-01-01"), policy("a", "2026-01-01"))))
        .hasValueSatisfying(policy -> assertThat(policy.getMetadata().getName()).isEqualTo("a"));
  }

  @Test
  void terminatingPolicy_isReplacedByTheNext() {
    var going = policy("old", "2026-01-01");
    going.getMetadata().setDeletionTimestamp("2026-03-01T00:00:00Z");

    assertThat(PolicyInForce.of(List.of(going, policy("new", "2026-02-01"))))
        .hasValueSatisfying(policy -> assertThat(policy.getMetadata().getName()).isEqualTo("new"));
    assertThat(PolicyInForce.of(List.of(going))).isEmpty();
  }

  private static ConfigMap policy(String name, String day) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(name)
        .withCreationTimestamp(day + "T00:00:00Z")
        .endMetadata()
        .build();
  }
}
