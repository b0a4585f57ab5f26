package dev.pitcrew.charts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PodsTest {
  private static final Rendered DEFAULTS = PitcrewChart.shared().render("{}");

  /// NVIDIA's own operator, and what the chart has values for and does not install.
  private static final Set<String> NOT_PULLED = Set.of("operator", "draDriver");

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{platform: {openshift: true}}"})
  void allPodsMeetTheRestrictedProfile(String values) {
    assertThat(PitcrewChart.shared().render(values).podSpecs())
        .hasSize(3)
        .allSatisfy(pod -> {
          assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
          assertThat(pod.at("/securityContext/seccompProfile/type").asText())
              .isEqualTo("RuntimeDefault");
          assertThat(pod.has("hostNetwork") || pod.has("hostPID")).isFalse();
          assertThat(Yaml.facts(pod.at("/containers/0/securityContext")))
              .isEqualTo(
                  Map.of(
                      "/allowPrivilegeEscalation", "false",
                      "/capabilities/drop/0", "\"ALL\"",
                      "/readOnlyRootFilesystem", "true"));
        });
  }

  @Test
  void openShiftAssignsTheUser() {
    assertThat(DEFAULTS.podSpecs()).allMatch(pod -> pod.at("/securityContext").has("runAsUser"));
    assertThat(PitcrewChart.shared().render("{platform: {openshift: true}}").podSpecs())
        .noneMatch(pod -> pod.at("/securityContext").has("runAsUser"));
  }

  @Test
  void imagesComeFromOurValuesAndNeverFromTheReferences() {
    var rendered =
        PitcrewChart.shared()
            .render(
                """
                pitcrew: {image: {repository: mirror.example/us, version: v7}}
                operator: {repository: mirror.example/nvidia, image: gpu-operator, version: v26.7.0}
                validator: {repository: mirror.example/nvidia}
                driver: {manager: {repository: mirror.example/nvidia, version: "sha256:abc"}}
                """);

    assertThat(rendered.podSpecs())
        .extracting(pod -> pod.at("/containers/0/image").asText())
        .containsOnly("mirror.example/us/pitcrew:v7");
    assertThat(operatorEnvironment(rendered))
        .containsEntry("VALIDATOR_IMAGE", "mirror.example/nvidia/gpu-operator:v26.7.0")
        .containsEntry(
            "DRIVER_MANAGER_IMAGE", "mirror.example/nvidia/k8s-driver-manager@sha256:abc");
  }

  /// The operator hands those of the FleetPolicy on to the agent, MPS and driver managers of ours.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}                                                     | []        | null",
        "{operator: {imagePullSecrets: [a, b]}}                 | [a, b]    | [\"a\",\"b\"]",
        "{operator: {imagePullSecrets: [a]}, fleetPolicy: {agent: {imagePullSecrets: [b]}}} | [a] | [\"b\"]",
        "{operator: {imagePullSecrets: [a]}, fleetPolicy: {agent: {imagePullSecrets: []}}}  | [a] | []",
        "{operator: {imagePullSecrets: [a]}, fleetPolicy: {agent: null}}                    | [a] | [\"a\"]",
        "{fleetPolicy: {agent: {imagePullSecrets: [b]}}}        | []        | [\"b\"]",
        "{driver: {imagePullSecrets: [b]}}                      | []        | null",
      })
  void theOperatorsPullSecretsReachAllPodsOfItsImage(String values, String own, String agent) {
    var rendered = PitcrewChart.shared().render(values);

    assertThat(rendered.podSpecs())
        .hasSize(3)
        .allSatisfy(pod ->
            assertThat(pod.path("imagePullSecrets").findValuesAsText("name")).hasToString(own));
    var secrets = rendered.object("FleetPolicy/fleet").at("/spec/agent/imagePullSecrets");
    assertThat(secrets.isMissingNode() ? "null" : secrets.toString()).isEqualTo(agent);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}                                                                                  | IfNotPresent | ''",
        "{operator: {imagePullPolicy: Always}}                                               | Always       | Always",
        "{operator: {imagePullPolicy: Always}, fleetPolicy: {agent: {imagePullPolicy: Never}}} | Always     | Never",
        "{operator: {imagePullPolicy: Never}, fleetPolicy: {agent: null}}                    | Never        | Never",
        "{driver: {imagePullPolicy: Always}}                                                 | IfNotPresent | ''",
      })
  void theOperatorsPullPolicyReachesAllPodsOfItsImage(String values, String own, String agent) {
    var rendered = PitcrewChart.shared().render(values);

    assertThat(rendered.podSpecs())
        .extracting(pod -> pod.at("/containers/0/imagePullPolicy").asText())
        .containsOnly(own);
    assertThat(rendered.object("FleetPolicy/fleet").at("/spec/agent/imagePullPolicy").asText())
        .isEqualTo(agent);
  }

  /// A cluster without the internet is set up from this table.
  @Test
  void theListOfImagesInTheDocumentsIsComplete() throws IOException {
    List<String> rows =
        Files.readAllLines(Path.of("../docs/private-registry.md")).stream()
            .filter(line -> line.startsWith("| `"))
            .toList();
    var sections = new TreeMap<String, String>();
    collectImages("", Yaml.document(Path.of("pitcrew/values.yaml")), sections);

    assertThat(sections).hasSizeGreaterThan(15);
    assertThat(sections)
        .allSatisfy((section, image) ->
            assertThat(rows)
                .as(section)
                .anyMatch(row ->
                    row.startsWith("| `" + image + "`") && row.contains("`" + section + "`")));
  }

  private static void collectImages(String path, JsonNode node, Map<String, String> sections) {
    if (node.has("repository") && node.has("image") && !NOT_PULLED.contains(path)) {
      sections.put(path, node.path("image").asText());
    }
    node.properties()
        .forEach(field ->
            collectImages(
                path.isEmpty() ? field.getKey() : path + "." + field.getKey(),
                field.getValue(),
                sections));
  }

  @Test
  void pullSecretsOfOperandsStayWithThem() {
    var policy =
        PitcrewChart.shared()
            .render(
                """
                operator: {imagePullSecrets: [ours]}
                driver: {imagePullSecrets: [theirs]}
                """)
            .object("ClusterPolicy/cluster-policy");

    assertThat(policy.at("/spec/driver/imagePullSecrets")).hasToString("[\"theirs\"]");
    assertThat(policy.at("/spec/devicePlugin").has("imagePullSecrets")).isFalse();
    assertThat(policy.toString()).doesNotContain("ours");
  }

  @Test
  void theOperatorIsSelectedAsTheReferenceIs() {
    var deployment = DEFAULTS.object("Deployment/gpu-operator");
    var selector = deployment.at("/spec/selector/matchLabels");

    assertThat(Yaml.facts(selector))
        .containsOnlyKeys("/app", "/app.kubernetes.io/component")
        .containsEntry("/app", "\"gpu-operator\"")
        .containsEntry("/app.kubernetes.io/component", "\"gpu-operator\"");
    assertThat(Yaml.facts(deployment.at("/spec/template/metadata/labels")))
        .containsAllEntriesOf(Yaml.facts(selector));
  }

  @Test
  void hooksAreNotSelectedAsTheOperator() {
    assertThat(DEFAULTS.ofKinds(Set.of("Job")))
        .hasSize(2)
        .noneMatch(job -> job.at("/spec/template/metadata/labels").has("app"));
  }

  @Test
  void aHookThatFailsKeepsItsPodAndLog() {
    assertThat(DEFAULTS.ofKinds(Set.of("Job")))
        .hasSize(2)
        .allMatch(job ->
            job.at("/spec/template/spec/restartPolicy").asText().equals("Never")
                && job.at("/metadata/annotations/helm.sh~1hook-delete-policy")
                    .asText()
                    .equals("hook-succeeded,before-hook-creation"));
  }

  @Test
  void operator_knowsItsNamespaceAndPod() {
    assertThat(
            operatorEnvironment(
                PitcrewChart.shared().render("{operator: {env: [{name: A, value: b}]}}")))
        .containsEntry("WATCH_NAMESPACE", "")
        .containsEntry("OPERATOR_NAMESPACE", "metadata.namespace")
        .containsEntry("POD_NAME", "metadata.name")
        .containsEntry("VALIDATOR_IMAGE", "nvcr.io/nvidia/gpu-operator:v26.7.0")
        .containsEntry(
            "DRIVER_MANAGER_IMAGE", "nvcr.io/nvidia/cloud-native/k8s-driver-manager:v0.12.0")
        .containsEntry("A", "b");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | operator --leader-elect --zap-time-encoding=epoch --zap-log-level=info",
        "{operator: {logging: {level: 3, develMode: true}}} | operator --leader-elect --zap-time-encoding=epoch --zap-log-level=3 --zap-devel",
      })
  void logSettingsBecomeArguments(String values, String arguments) {
    var container =
        PitcrewChart.shared()
            .render(values)
            .object("Deployment/gpu-operator")
            .at("/spec/template/spec/containers/0");

    assertThat(container.path("args"))
        .extracting(JsonNode::asText)
        .containsExactly(arguments.split(" ", -1));
  }

  private static Map<String, String> operatorEnvironment(Rendered rendered) {
    var container =
        rendered.object("Deployment/gpu-operator").at("/spec/template/spec/containers/0");
    return StreamSupport.stream(container.path("env").spliterator(), false)
        .collect(
            Collectors.toMap(
                variable -> variable.path("name").asText(),
                variable ->
                    variable.has("value")
                        ? variable.path("value").asText()
                        : variable.at("/valueFrom/fieldRef/fieldPath").asText()));
  }
}
