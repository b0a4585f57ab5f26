package dev.pitcrew.operator.runtime.crds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.api.Crds;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What the API server accepts of a FleetPolicy, by the definition in another group: other tests
/// have the one of its name.
@WithControlPlane
class FleetPolicyValuesTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String GROUP = "values.pitcrew.test";
  private static final String NAME = "fleetpolicies." + GROUP;

  private final KubernetesClient client;

  FleetPolicyValuesTest(ControlPlane controlPlane) {
    client = controlPlane.client();
  }

  @BeforeEach
  void define() {
    load(Crds.yaml("pitcrew.dev_fleetpolicies.yaml").replace("pitcrew.dev", GROUP));
    await()
        .atMost(LIMIT)
        .ignoreExceptions()
        .until(() -> client.raw("/apis/" + GROUP + "/v1alpha1/fleetpolicies").contains("List"));
  }

  @AfterEach
  void remove() {
    client.apiextensions().v1().customResourceDefinitions().withName(NAME).delete();
    await()
        .atMost(LIMIT)
        .until(() ->
            client.apiextensions().v1().customResourceDefinitions().withName(NAME).get() == null);
  }

  private void load(String yaml) {
    client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))).create();
  }

  private void create(String dra) {
    load(
        """
        apiVersion: %s/v1alpha1
        kind: FleetPolicy
        metadata: {name: fleet}
        spec: {dra: %s}
        """
            .formatted(GROUP, dra));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{consumableShares: disabled}",
        "{consumableShares: memory}",
        "{consumableShares: unlimited, featureGates: {ConsumableShares: true}}",
        "{consumableShares: 4}",
        "{consumableShares: \"4\", featureGates: {MPSSupport: false}}",
        "{consumableShares: disabled, featureGates: {ConsumableShares: false}}",
        "{featureGates: {ConsumableShares: false}}",
      })
  void sharesAreAccepted(String dra) {
    assertThatCode(() -> create(dra)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{consumableShares: many} | spec.dra.consumableShares",
        "{consumableShares: 0} | spec.dra.consumableShares",
        "{consumableShares: -1} | spec.dra.consumableShares",
        "{consumableShares: \"0\"} | spec.dra.consumableShares",
        "{consumableShares: true} | spec.dra.consumableShares",
        "{consumableShares: 4, featureGates: {ConsumableShares: false}} | set it to true or remove it",
        "{featureGates: {ConsumableShare: true}} | the gates are TimeSlicingSettings",
        "{featureGates: {DeviceMetadata: true}} | the gates are TimeSlicingSettings",
        "{featureGates: {DRAListTypeAttributes: true}} | the gates are TimeSlicingSettings",
        "{featureGates: {DynamicMIG: true, PassthroughSupport: true}} | set one of them to false or remove it",
      })
  void otherSharesAreRefusedWithTheField(String dra, String words) {
    assertThatCode(() -> create(dra))
        .isInstanceOfSatisfying(
            KubernetesClientException.class,
            refusal -> {
              assertThat(refusal.getCode()).isEqualTo(422);
              assertThat(refusal.getMessage()).contains(words);
            });
  }
}
