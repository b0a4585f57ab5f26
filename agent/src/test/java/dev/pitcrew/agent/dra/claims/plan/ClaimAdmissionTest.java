package dev.pitcrew.agent.dra.claims.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.dra.claims.plan.SettingsDecoder.Decoded;
import dev.pitcrew.api.Crds;
import dev.pitcrew.testbed.Definitions;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.helm.Chart;
import dev.pitcrew.testbed.helm.Chart.ReleaseName;
import dev.pitcrew.testbed.helm.Values;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The chart's admission policy for settings of claims, on a real API server: it gives the answers
/// of NVIDIA's webhook (the recording webhook, with what is better), and never refuses what the
/// agent accepts.
@WithControlPlane
class ClaimAdmissionTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Path CHART = Path.of("..", "charts", "pitcrew");
  private static final String POLICY = "pitcrew-claim-settings";
  private static final String GPU = "gpu.nvidia.com";
  private static final String DOMAIN = "compute-domain.nvidia.com";
  private static final String ROOT = "\"apiVersion\": \"resource.nvidia.com/v1beta1\", \"kind\": ";
  private static final String MAGIC =
      "{" + ROOT + "\"GpuConfig\", \"sharing\": {\"strategy\": \"Magic\"}}";

  /// Settings that are accepted, with every field there is.
  private static final List<String> ACCEPTED =
      List.of(
          "\"GpuConfig\"",
          "\"GpuConfig\", \"sharing\": {\"strategy\": \"TimeSlicing\", \"timeSlicingConfig\": {\"interval\": \"Short\"}}",
          "\"GpuConfig\", \"sharing\": {\"strategy\": \"TimeSlicing\"}",
          """
          "GpuConfig", "sharing": {"strategy": "MPS", "mpsConfig": {"defaultActiveThreadPercentage": 50, "multiUser": false,
            "defaultPinnedDeviceMemoryLimit": "1Gi", "defaultPerDevicePinnedMemoryLimit": {"0": "512Mi"}}}\
          """,
          "\"MigDeviceConfig\", \"sharing\": {\"strategy\": \"MPS\"}",
          "\"MigDeviceConfig\", \"sharing\": {\"strategy\": \"TimeSlicing\"}",
          "\"VfioDeviceConfig\"",
          "\"VfioDeviceConfig\", \"iommu\": {\"backendPolicy\": \"LegacyOnly\", \"enableAPIDevice\": true}",
          "\"ComputeDomainChannelConfig\", \"domainID\": \"0a1b-2\", \"allocationMode\": \"All\"",
          "\"ComputeDomainDaemonConfig\", \"domainID\": \"0a1b-2\"");

  /// In place of each value in turn.
  private static final List<String> VALUES =
      List.of(
          "null",
          "0",
          "-1",
          "100",
          "101",
          "1.5",
          "true",
          "\"\"",
          "\"MPS\"",
          "\"TimeSlicing\"",
          "\"Long\"",
          "\"PreferIommuFD\"",
          "\"1Mi\"",
          "\"1e3\"",
          "\"-5Gi\"",
          "\"<b>\\n\"",
          "{}",
          "{\"0\": \"10\"}",
          "{\"strategy\": \"MPS\", \"timeSlicingConfig\": {}}",
          "[]");

  private final KubernetesClient client;
  private final String namespace;

  ClaimAdmissionTest(ControlPlane plane, TestNamespace namespace) {
    client = plane.client();
    this.namespace = namespace.name();
  }

  @BeforeEach
  void install() {
    var definition = client.resource(Crds.yaml("pitcrew.dev_fleetpolicies.yaml"));
    definition.serverSideApply();
    definition.waitUntilCondition(
        it -> Definitions.isEstablished((CustomResourceDefinition) it),
        LIMIT.toSeconds(),
        TimeUnit.SECONDS);
    var manifests =
        Chart.withBuiltImage(CHART)
            .template(new ReleaseName("gpu-operator", "gpu-operator"), Values.DEFAULTS);
    Stream.of(manifests.split("(?m)^---$", -1))
        .filter(it -> it.contains("name: " + POLICY))
        .map(it -> Serialization.unmarshal(it, HasMetadata.class))
        .forEach(it -> client.resource(it).forceConflicts().serverSideApply());
    serve(
        "{\"agent\": {\"functions\": [\"dra\"]}, \"dra\": {\"nodeSelector\": {\"claims\": \"yes\"}}}");
    await().atMost(LIMIT).until(() -> !refusal(claim(GPU, MAGIC)).isEmpty());
  }

  private void serve(String spec) {
    client
        .resource(
            """
            {"apiVersion": "pitcrew.dev/v1alpha1", "kind": "FleetPolicy", "metadata": {"name": "fleet"},
             "spec": %s}
            """
                .formatted(spec))
        .forceConflicts()
        .serverSideApply();
  }

  @Test
  void answersAreThoseOfTheRecording_orBetter() throws IOException {
    JsonNode run = recording().path("runs").path(0);
    for (JsonNode row : run.path("rows")) {
      if (row.has("v1 claim")) {
        String name = row.path("case").asText();
        String refusal = refusal(claim(row.path("configs")));
        System.out.printf("%s -> %s%n", name, refusal.isEmpty() ? "admitted" : refusal);
        boolean isAdmitted =
            switch (name) {
              case "time slicing with MPS settings (only seen on the node)",
                  "channel config without domain under its own driver" ->
                  false;
              case "VfioDeviceConfig" -> true;
              default -> row.path("v1 claim").path("allowed").asBoolean();
            };
        assertThat(refusal.isEmpty()).as(name).isEqualTo(isAdmitted);
      }
    }
  }

  private static JsonNode recording() throws IOException {
    try (var file = ClaimAdmissionTest.class.getResourceAsStream("/dra/webhook.json")) {
      return JSON.readTree(Objects.requireNonNull(file));
    }
  }

  @Test
  void refusal_namesEachFieldItsValueAndWhatIsAllowed() throws IOException {
    String refusal =
        refusal(
            claim(
                JSON.readTree(
                    """
                    [{"driver": "gpu.nvidia.com", "parameters": %s},
                     {"driver": "gpu.nvidia.com", "parameters": {%s "GpuConfig", "colour": "red"}},
                     {"driver": "other.example", "parameters": {"kind": "Magic"}}]
                    """
                        .formatted(MAGIC, ROOT))));

    assertThat(refusal)
        .endsWith(
            "spec.devices.config: unknown field colour of GpuConfig; allowed: apiVersion, kind, sharing;"
                + " sharing.strategy is \"Magic\"; allowed: TimeSlicing, MPS");
  }

  /// The recorded webhook drops the connection.
  @Test
  void timeSlicesWithoutAnInterval_areRefusedWithTheField() {
    String sharing = "\"sharing\": {\"strategy\": \"TimeSlicing\", \"timeSlicingConfig\": {}}";

    assertThat(refusal(claim(GPU, "{%s \"GpuConfig\", %s}".formatted(ROOT, sharing))))
        .endsWith(
            "spec.devices.config: sharing.timeSlicingConfig.interval is missing; allowed: Default, Short, Medium, Long");
  }

  @Test
  void templates_andClasses_areChecked() {
    var setting = "{\"opaque\": {\"driver\": \"%s\", \"parameters\": %s}}".formatted(GPU, MAGIC);
    assertThat(
            refusal(
                """
                {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": "t"},
                 "spec": {"spec": {"devices": {"config": [%s]}}}}
                """
                    .formatted(setting)))
        .contains("spec.spec.devices.config: sharing.strategy is \"Magic\"");
    assertThat(
            refusal(
                """
                {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "c"},
                 "spec": {"config": [%s]}}
                """
                    .formatted(setting)))
        .contains("spec.config: sharing.strategy is \"Magic\"");
  }

  @Test
  void whereNoAgentServesClaims_nothingIsRefused() {
    serve("{\"agent\": {\"functions\": [\"labels\"]}}");

    await().atMost(LIMIT).until(() -> refusal(claim(GPU, MAGIC)).isEmpty());
  }

  /// Of another type than the agent expects they may be admitted: the agent refuses them.
  @Test
  void settings_areRefusedAsByTheAgent() throws JsonProcessingException {
    int refused = 0;
    for (String accepted : ACCEPTED) {
      JsonNode settings = JSON.readTree("{" + ROOT + accepted + "}");
      assertThat(refusal(settings)).as(accepted).isEmpty();
      for (ObjectNode place : objects(settings).toList()) {
        for (String field : place.properties().stream().map(Map.Entry::getKey).toList()) {
          JsonNode right = place.path(field);
          for (String value : VALUES) {
            JsonNode other = JSON.readTree(value);
            place.set(field, other);
            boolean isRefused = !refusal(settings).isEmpty();
            boolean isOfThatType =
                other.isValueNode() && other.getNodeType() == right.getNodeType();
            if (isRefused || isOfThatType) {
              assertThat(isRefused).as("%s", settings).isEqualTo(!isAccepted(settings));
            }
            refused += isRefused ? 1 : 0;
          }
          place.set(field, right);
        }
        place.put("colour", "red");
        assertThat(refusal(settings).isEmpty()).as("%s", settings).isEqualTo(isAccepted(settings));
        place.remove("colour");
      }
    }
    System.out.printf("%d settings refused%n", refused);
    assertThat(refused).isGreaterThan(100);
  }

  private static Stream<ObjectNode> objects(JsonNode node) {
    return node instanceof ObjectNode object
        ? Stream.concat(Stream.of(object), node.valueStream().flatMap(ClaimAdmissionTest::objects))
        : Stream.empty();
  }

  private static boolean isAccepted(JsonNode settings) {
    Decoded decoded =
        isOfDomain(settings)
            ? SettingsDecoder.decodeOfDomain(settings)
            : new SettingsDecoder(FeatureSwitches.DEFAULT).decode(settings);
    return decoded instanceof Decoded.Accepted;
  }

  private String refusal(JsonNode settings) {
    return refusal(claim(isOfDomain(settings) ? DOMAIN : GPU, settings.toString()));
  }

  private static boolean isOfDomain(JsonNode settings) {
    return settings.has("domainID");
  }

  private static String claim(JsonNode configs) {
    return claim(
        configs
            .valueStream()
            .map(it -> "{\"opaque\": %s}".formatted(it))
            .collect(Collectors.joining(", ")));
  }

  private static String claim(String driver, String parameters) {
    return claim(
        "{\"opaque\": {\"driver\": \"%s\", \"parameters\": %s}}".formatted(driver, parameters));
  }

  private static String claim(String configs) {
    return """
    {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "c"},
     "spec": {"devices": {"config": [%s]}}}
    """
        .formatted(configs);
  }

  /// What the policy says to a new object; empty where it admits it.
  private String refusal(String object) {
    try {
      var made = Serialization.unmarshal(object, HasMetadata.class);
      client.resource(made).inNamespace(namespace).dryRun().create();
      return "";
    } catch (KubernetesClientException e) {
      String message = e.getStatus().getMessage();
      assertThat(message).contains("ValidatingAdmissionPolicy '" + POLICY + "'");
      return message;
    }
  }
}
