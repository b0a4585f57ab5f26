package dev.pitcrew.charts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What the recorded scenarios do not show: values that the reference drops or mangles, and objects
/// beside the custom resources.
class OptionsTest {
  private static final PitcrewChart CHART = PitcrewChart.shared();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{operator: {use_ocp_driver_toolkit: false}}                | /spec/operator/use_ocp_driver_toolkit | false",
        "{operator: {use_ocp_driver_toolkit: true}}                 | /spec/operator/use_ocp_driver_toolkit | true",
        "{driver: {licensingConfig: {nlsEnabled: false}}}           | /spec/driver/licensingConfig/nlsEnabled | false",
        "{devicePlugin: {mps: {root: /mps}}}                        | /spec/devicePlugin/mps/root | \"/mps\"",
        "{daemonsets: {podSecurityContext: {fsGroup: 1}}}           | /spec/daemonsets/podSecurityContext/fsGroup | 1",
        "{daemonsets: {rollingUpdate: {maxUnavailable: 2}}}         | /spec/daemonsets/rollingUpdate/maxUnavailable | \"2\"",
        "{toolkit: {args: [--x]}}                                   | /spec/toolkit/args/0 | \"--x\"",
        "{driver: {version: 595}}                                   | /spec/driver/version | \"595\"",
        "{driver: {readinessProbe: {periodSeconds: 3}}}             | /spec/driver/readinessProbe/periodSeconds | 3",
        "{driver: {upgradePolicy: {drain: {podSelector: a=b}}}}     | /spec/driver/upgradePolicy/drain/podSelector | \"a=b\"",
        "{ccManager: {defaultMode: off}}                            | /spec/ccManager/defaultMode | \"off\"",
        "{hostPaths: {kubeletRootDir: /k}}                          | /spec/hostPaths/kubeletRootDir | \"/k\"",
        "{gfd: {hostNetwork: true}}                                 | /spec/gfd/hostNetwork | true",
      })
  void valuesReachTheClusterPolicy(String values, String path, String expected) {
    var policy = CHART.render(values).object("ClusterPolicy/cluster-policy");

    assertThat(Yaml.facts(policy)).containsEntry(path, expected);
  }

  @Test
  void deviceClasses_comeWithTheFunctionDra() {
    var classes = Set.of("DeviceClass");
    var rendered = CHART.render("{fleetPolicy: {agent: {functions: [devicePlugin, dra]}}}");

    assertThat(CHART.render("{}").ofKinds(classes)).isEmpty();
    assertThat(rendered.ofKinds(classes).map(it -> Yaml.facts(it)))
        .hasSize(2)
        .allSatisfy(facts ->
            assertThat(facts)
                .containsEntry("/metadata/annotations/helm.sh/resource-policy", "\"keep\""));
    assertThat(Yaml.facts(rendered.object("DeviceClass/gpu.nvidia.com")))
        .containsEntry(
            "/spec/selectors/0/cel/expression",
            "\"device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'\"");
  }

  @Test
  void deviceClassesOfComputeDomains_comeWithTheirController() {
    var rendered = CHART.render("{fleetPolicy: {dra: {computeDomains: {controller: true}}}}");
    var driver = "device.driver == 'compute-domain.nvidia.com' && ";
    var attribute = "device.attributes['compute-domain.nvidia.com']";

    assertThat(rendered.ofKinds(Set.of("DeviceClass"))).hasSize(2);
    assertThat(Yaml.facts(rendered.object("DeviceClass/compute-domain-daemon.nvidia.com")))
        .doesNotContainKey("/spec/extendedResourceName")
        .containsEntry(
            "/spec/selectors/0/cel/expression",
            "\"%s%s.type == 'daemon'\"".formatted(driver, attribute));
    assertThat(Yaml.facts(rendered.object("DeviceClass/compute-domain-default-channel.nvidia.com")))
        .containsEntry(
            "/spec/selectors/0/cel/expression",
            "\"%1$s%2$s.type == 'channel' && %2$s.id == 0\"".formatted(driver, attribute));
  }

  /// Claims of the users of NVIDIA's DRA driver find the same devices.
  @Test
  void deviceClassesSelectAsTheRecordedOnes() throws IOException {
    var recorded = new TreeMap<String, String>();
    new ObjectMapper()
        .readTree(Path.of("src/test/resources/recording/deviceclasses.json").toFile())
        .forEach(
            it -> recorded.put(it.path("name").asText(), it.path("selectors").path(0).asText()));
    var rendered =
        CHART.render(
            "{fleetPolicy: {agent: {functions: [dra]}, dra: {featureGates: {PassthroughSupport: true}, computeDomains: {controller: true}}}}");
    var ours = new TreeMap<String, String>();
    recorded
        .keySet()
        .forEach(name ->
            ours.put(
                name,
                rendered
                    .object("DeviceClass/" + name)
                    .at("/spec/selectors/0/cel/expression")
                    .asText()));

    assertThat(rendered.ofKinds(Set.of("DeviceClass"))).hasSize(recorded.size());
    assertThat(ours).isEqualTo(recorded);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "licensingConfig: {nlsEnabled: false}             | /spec/licensingConfig/nlsEnabled | false",
        "licensingConfig: {secretName: licence}           | /spec/licensingConfig/nlsEnabled | true",
        "licensingConfig: {configMapName: licence}        | /spec/licensingConfig/name | \"licence\"",
        "imagePullPolicy: Always                          | /spec/imagePullPolicy | \"Always\"",
        "repoConfig: {configMapName: repos}               | /spec/repoConfig/name | \"repos\"",
        "virtualTopology: {config: topology}              | /spec/virtualTopologyConfig/name | \"topology\"",
        "certConfig: {name: certificates}                 | /spec/certConfig/name | \"certificates\"",
      })
  void driverValuesReachTheDefaultNvidiaDriver(String values, String path, String expected) {
    var driver =
        CHART
            .render("{driver: {nvidiaDriverCRD: {enabled: true}, " + values + "}}")
            .object("NVIDIADriver/default");

    assertThat(Yaml.facts(driver))
        .containsEntry(path, expected)
        .containsEntry("/spec/default", "true");
  }

  @Test
  void aDriverWithASelectorIsNotTheDefaultDriver() {
    var driver =
        CHART
            .render("{driver: {nvidiaDriverCRD: {enabled: true, nodeSelector: {pool: a}}}}")
            .object("NVIDIADriver/default");

    assertThat(Yaml.facts(driver))
        .containsEntry("/spec/default", "false")
        .containsEntry("/spec/nodeSelector/pool", "\"a\"");
  }

  @Test
  void customResourcesOutliveTheirDefinitionsInHelmsEyesOnly() {
    var rendered =
        CHART.render("{operator: {cleanupCRD: true}, driver: {nvidiaDriverCRD: {enabled: true}}}");

    assertThat(rendered.ofKinds(Set.of("ClusterPolicy", "NVIDIADriver", "FleetPolicy")))
        .hasSize(3)
        .allMatch(object ->
            object.at("/metadata/annotations/helm.sh~1resource-policy").asText().equals("keep"));
  }

  @Test
  void theCleanUpDeletesDefinitionsOnlyIfAsked() {
    assertThat(cleanUpArguments("{}")).isEqualTo("[\"cleanup\",\"--timeout=240s\"]");
    assertThat(cleanUpArguments("{operator: {cleanupCRD: true}}"))
        .isEqualTo("[\"cleanup\",\"--timeout=240s\",\"--delete-crds\"]");
  }

  @Test
  void theCleanUpSaysWhatIsLeftBeforeItsJobIsEnded() {
    var values = "{pitcrew: {hookDeadlineSeconds: 100}}";
    var job = CHART.render(values).object("Job/gpu-operator-cleanup");

    assertThat(job.at("/spec/activeDeadlineSeconds").asInt()).isEqualTo(100);
    assertThat(cleanUpArguments(values)).contains("--timeout=80s");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{operator: {upgradeCRD: false}}      | Job/gpu-operator-upgrade-crd",
        "{fleetPolicy: {deploy: false}}       | FleetPolicy/fleet",
        "{networkPolicy: {enabled: false}}    | NetworkPolicy/gpu-operator",
        "{admissionPolicy: {enabled: false}}  | ValidatingAdmissionPolicy/pitcrew-agent-nodes",
        "{admissionPolicy: {enabled: false}}  | ValidatingAdmissionPolicyBinding/pitcrew-agent-events",
        "{admissionPolicy: {enabled: false}}  | ValidatingAdmissionPolicy/pitcrew-operand-nodes",
        "{admissionPolicy: {enabled: false}}  | ValidatingAdmissionPolicyBinding/pitcrew-operand-pods",
        "{clusterPolicy: {deployCR: false}}   | ClusterPolicy/cluster-policy",
      })
  void defaultObjectsCanBeLeftOut(String values, String key) {
    assertThat(CHART.render("{}").has(key)).isTrue();
    assertThat(CHART.render(values).has(key)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{platform: {openshift: true}}                      | SecurityContextConstraints/restricted-readonly",
        "{nfd: {nodefeaturerules: true}}                    | NodeFeatureRule/nvidia-kernel-modules",
        "{extraObjects: [{kind: A, metadata: {name: '{{ .Release.Name }}-b'}}]} | A/gpu-operator-b",
        "{extraObjects: ['{kind: A, metadata: {name: \"{{ .Release.Name }}-b\"}}']} | A/gpu-operator-b",
      })
  void moreObjectsCanBeAskedFor(String values, String key) {
    assertThat(CHART.render("{}").has(key)).isFalse();
    assertThat(CHART.render(values).has(key)).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}                                                   | false",
        "{driver: {upgradePolicy: {autoUpgrade: false}}}      | false",
        "{fleetPolicy: {agent: {enabled: false}}}             | false",
        "{fleetPolicy: {agent: {enabled: false}}, driver: {upgradePolicy: {autoUpgrade: false}}} | true",
        "{fleetPolicy: {agent: {functions: [labels]}}, sandboxWorkloads: {enabled: true}} | true",
        "{fleetPolicy: {deploy: false}, sandboxWorkloads: {enabled: true}} | true",
        "{admissionPolicy: {evictions: ownNode}}              | true",
        "{fleetPolicy: {deploy: false}, sandboxWorkloads: {enabled: true}, admissionPolicy: {evictions: refused}} | false",
      })
  void nvidiasDriverManagersEvictPodsOfTheirNodeWhereTheOperatorUpgradesNone(
      String values, boolean lookedUp) {
    var rendered = CHART.render(values);
    var policy = rendered.object("ValidatingAdmissionPolicy/pitcrew-operand-evictions");
    var binding = rendered.object("ValidatingAdmissionPolicyBinding/pitcrew-operand-evictions");

    assertThat(policy.at("/spec/paramKind/kind").asText()).isEqualTo(lookedUp ? "Pod" : "");
    assertThat(binding.at("/spec").has("paramRef")).isEqualTo(lookedUp);
  }

  @Test
  void labelsOfUsersOperandsMayBePaused() {
    var values =
        """
        driver: {manager: {env: [{name: NODE_LABEL_FOR_GPU_POD_EVICTION, value: a/b}]}}
        admissionPolicy: {pausedLabels: [c/d]}
        """;
    var policy = CHART.render(values).object("ValidatingAdmissionPolicy/pitcrew-operand-nodes");

    assertThat(policy.at("/spec/variables").toString()).contains("['c/d', 'a/b']");
  }

  @Test
  void theAgentIsOnForTheFunctionsThatItHas() {
    assertThat(Yaml.facts(CHART.render("{}").object("FleetPolicy/fleet")))
        .containsEntry("/spec/agent/enabled", "true")
        .containsEntry("/spec/agent/functions/0", "\"labels\"")
        .containsEntry("/spec/agent/functions/1", "\"devicePlugin\"")
        .containsEntry("/spec/agent/functions/2", "\"cdi\"")
        .containsEntry("/spec/agent/functions/3", "\"runtime\"")
        .containsEntry("/spec/agent/functions/4", "\"mps\"")
        .containsEntry("/spec/agent/functions/5", "\"validation\"")
        .containsEntry("/spec/agent/functions/6", "\"nodeStatus\"")
        .containsEntry("/spec/agent/functions/7", "\"mig\"")
        .containsEntry("/spec/agent/functions/8", "\"metrics\"")
        .containsEntry("/spec/agent/functions/9", "\"health\"")
        .containsEntry("/spec/agent/functions/10", "\"driverManager\"")
        .doesNotContainKey("/spec/agent/functions/11");
    assertThat(
            Yaml.facts(
                CHART
                    .render("{fleetPolicy: {agent: {enabled: false}}}")
                    .object("FleetPolicy/fleet")))
        .containsEntry("/spec/agent/enabled", "false");
  }

  private static String cleanUpArguments(String values) {
    return CHART
        .render(values)
        .object("Job/gpu-operator-cleanup")
        .at("/spec/template/spec/containers/0/args")
        .toString();
  }
}
