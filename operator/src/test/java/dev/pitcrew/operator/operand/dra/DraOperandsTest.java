package dev.pitcrew.operator.operand.dra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.gpucluster.GpuClusterPlan;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Policies;
import dev.pitcrew.operator.testing.RenderedPods;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a GPUCluster says about its operands; the defaults are facts of `parity/scenarios`.
class DraOperandsTest {
  private static final String PLUGIN = "nvidia-dra-driver-kubelet-plugin";

  private static GpuClusterPlan plan(String spec) {
    return plan(spec, Facts.oneNode());
  }

  private static GpuClusterPlan plan(String spec, Facts facts) {
    return GpuClusterPlan.of(
        new DraContext(Policies.gpuCluster(spec), facts.build(), Policies.images()));
  }

  private static RenderedPods pods(GpuClusterPlan plan, String name) {
    return plan.workloads().stream()
        .filter(object -> object.getMetadata().getName().equals(name))
        .map(object -> new RenderedPods((DaemonSet) object))
        .findFirst()
        .orElseThrow();
  }

  private static List<String> names(GpuClusterPlan plan) {
    return plan.resources().stream()
        .map(object -> object.getKind() + "/" + object.getMetadata().getName())
        .toList();
  }

  @Test
  void withoutComputeDomainsThereIsNoneOfTheirObjects() {
    var plan = plan("draDriver: {computeDomains: {enabled: false}}");

    assertThat(names(plan))
        .noneMatch(name -> name.contains("compute-domain") || name.contains("controller"));
    assertThat(plan.workloads())
        .extracting(object -> object.getMetadata().getName())
        .containsExactly(PLUGIN, "nvidia-dra-validator");
    assertThat(pods(plan, PLUGIN).containers()).containsExactly("gpus");
  }

  @Test
  void nvidiasControllerDoesNotRunBesideTheOperators() {
    var plan =
        GpuClusterPlan.of(
            new DraContext(
                Policies.gpuCluster("draDriver: {computeDomains: {}}"),
                Facts.oneNode().build(),
                Policies.images(),
                true));

    assertThat(names(plan))
        .noneMatch(name -> name.contains("nvidia-dra-driver-controller"))
        .contains(
            "ServiceAccount/compute-domain-daemon-service-account",
            "DeviceClass/compute-domain-daemon.nvidia.com");
    assertThat(plan.workloads())
        .extracting(object -> object.getMetadata().getName())
        .containsExactly(PLUGIN, "nvidia-dra-validator");
    assertThat(pods(plan, PLUGIN).containers()).containsExactly("gpus", "compute-domains");
  }

  @Test
  void aPluginWithoutHealthServiceHasNoProbes() {
    var pods =
        pods(
            plan(
                """
                draDriver:
                  gpus: {kubeletPlugin: {healthcheck: {enabled: false}}}
                  computeDomains: {kubeletPlugin: {healthcheck: {port: 6000}}}
                """),
            PLUGIN);

    assertThat(pods.container("gpus").env("HEALTHCHECK_PORT")).isEqualTo("-1");
    assertThat(pods.container("gpus").container().getStartupProbe()).isNull();
    assertThat(pods.container("gpus").container().getLivenessProbe()).isNull();
    assertThat(pods.container("compute-domains").env("HEALTHCHECK_PORT")).isEqualTo("6000");
    assertThat(pods.container("compute-domains").container().getLivenessProbe().getGrpc().getPort())
        .isEqualTo(6000);
  }

  @Test
  void featureGatesAreSortedAndBringWhatTheyNeed() {
    var plan =
        plan(
            """
            draDriver:
              featureGates: {PassthroughSupport: true, MPSSupport: true, DynamicMIG: false}
              computeDomains: {}
            """);
    var pods = pods(plan, PLUGIN);

    for (var container : List.of("gpus", "compute-domains")) {
      assertThat(pods.container(container).env("FEATURE_GATES"))
          .isEqualTo("DynamicMIG=false,MPSSupport=true,PassthroughSupport=true");
    }
    assertThat(names(plan)).contains("Role/nvidia-dra-driver-kubeletplugin-mps");
    assertThat(pods.container("gpus").mountPaths()).contains("/lib/modules/", "/sys/", "/proc/");
    assertThat(pods.container("compute-domains").mountPaths()).doesNotContain("/sys/");
  }

  /// As in an air-gapped cluster, where each image comes from a private registry.
  @Test
  void pullSecretsReachAllPods_alsoThoseThatTheDriverMakes() {
    var plan =
        plan("draDriver: {imagePullSecrets: [a, b], imagePullPolicy: Always, computeDomains: {}}");

    assertThat(pods(plan, PLUGIN).pullSecrets()).containsExactly("a", "b");
    RenderedPods validator = pods(plan, "nvidia-dra-validator");
    assertThat(validator.pullSecrets()).containsExactly("a", "b");
    assertThat(validator.all())
        .extracting(it -> it.container().getImagePullPolicy())
        .containsExactly("Always", "Always");
    assertThat(pods(plan, PLUGIN).container("gpus").env("IMAGE_PULL_SECRETS")).isEqualTo("a,b");
    var controller =
        plan.workloads().stream()
            .filter(Deployment.class::isInstance)
            .map(Deployment.class::cast)
            .findFirst()
            .orElseThrow()
            .getSpec()
            .getTemplate()
            .getSpec();
    assertThat(controller.getImagePullSecrets()).extracting("name").containsExactly("a", "b");
    assertThat(controller.getContainers().getFirst().getEnv())
        .filteredOn(variable -> variable.getName().equals("CD_DAEMON_IMAGE_PULL_SECRET_NAMES"))
        .extracting("value")
        .containsExactly("a,b");
  }

  @Test
  void theContainerThatRunsFirstMayHaveWhatTheLargestOfTheOthersHas() {
    var first =
        pods(
                plan(
                    """
                    draDriver:
                      gpus: {kubeletPlugin: {resources: {requests: {cpu: 200m, memory: 64Mi}, limits: {cpu: 300m}}}}
                      computeDomains: {kubeletPlugin: {resources: {requests: {cpu: 400m}}}}
                    """),
                PLUGIN)
            .container("driver-validation")
            .container()
            .getResources();

    assertThat(first.getRequests())
        .isEqualTo(Map.of("cpu", new Quantity("400m"), "memory", new Quantity("64Mi")));
    assertThat(first.getLimits()).isEqualTo(Map.of("cpu", new Quantity("400m")));
  }

  @Test
  void foldersOfTheHostAreWhereTheUserHasThem() {
    var plan =
        plan(
            """
            hostPaths: {driverInstallDir: /opt/driver, kubeletRootDir: /data/kubelet}
            draDriver: {}
            dcgmExporter: {}
            """);

    assertThat(pods(plan, PLUGIN).volumes())
        .containsEntry("driver-install-dir", "/opt/driver")
        .containsEntry("plugins", "/data/kubelet/plugins");
    assertThat(pods(plan, PLUGIN).container("gpus").env("KUBELET_PLUGINS_DIRECTORY_PATH"))
        .isEqualTo("/data/kubelet/plugins");
    assertThat(pods(plan, PLUGIN).container("driver-validation").env("DRIVER_INSTALL_DIR"))
        .isEqualTo("/opt/driver");
    assertThat(pods(plan, "nvidia-dcgm-exporter-dra").volumes())
        .containsEntry("pod-gpu-resources", "/data/kubelet/pod-resources");
  }

  @Test
  void theExporterAsksTheHostEngineThatIsThere() {
    var both = plan("{draDriver: {}, dcgm: {enabled: true}, dcgmExporter: {}}");

    assertThat(pods(both, "nvidia-dcgm-exporter-dra").main().env("DCGM_REMOTE_HOSTENGINE_INFO"))
        .isEqualTo("nvidia-dcgm-dra:5555");
    assertThat(pods(both, "nvidia-dcgm-dra").pod().getResourceClaims())
        .extracting("resourceClaimTemplateName")
        .containsExactly("nvidia-dcgm-admin");
    assertThat(names(plan("{draDriver: {}, dcgm: {}, dcgmExporter: {enabled: false}}")))
        .noneMatch(name -> name.contains("dcgm"));
  }

  @Test
  void labelsOfTheUserReachPodsButDoNotReplaceWhatSelectsThem() {
    var plan =
        plan(
            """
            daemonsets: {labels: {app: mine, team: a}, annotations: {note: b}, priorityClassName: low}
            draDriver: {computeDomains: {}}
            """);
    var pods = pods(plan, PLUGIN);

    assertThat(pods.podLabels()).containsEntry("app", PLUGIN).containsEntry("team", "a");
    assertThat(pods.labels()).containsEntry("app", "mine");
    assertThat(pods.podAnnotations()).containsEntry("note", "b");
    assertThat(pods.pod().getPriorityClassName()).isEqualTo("low");
    assertThat(pods(plan, "nvidia-dra-validator").pod().getPriorityClassName())
        .isEqualTo("system-node-critical");
    assertThat(plan.workloads())
        .filteredOn(Deployment.class::isInstance)
        .extracting(HasMetadata::getMetadata)
        .allSatisfy(metadata -> assertThat(metadata.getLabels()).containsEntry("team", "a"));
  }

  @Test
  void openShiftLetsBothAccountsOfTheDriverRun() {
    var plan = plan("draDriver: {computeDomains: {}}", Facts.openShift());

    assertThat(
            plan.resources().stream()
                .filter(object -> object.getKind().equals("SecurityContextConstraints"))
                .map(Object::toString))
        .anyMatch(text ->
            text.contains(":nvidia-dra-driver-kubeletplugin")
                && text.contains(":compute-domain-daemon-service-account"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "draDriver: {repository: r.io}                                      | state-dra-driver    | spec.draDriver",
        "draDriver: {gpus: {kubeletPlugin: {resources: {limits: {cpu: x}}}}}  | state-dra-driver    | spec.draDriver.gpus.kubeletPlugin.resources.limits.cpu",
        "draDriver: {gpus: {kubeletPlugin: {env: [{name: a=b}]}}}             | state-dra-driver    | spec.draDriver.gpus.kubeletPlugin.env[0].name",
        "draDriver: {computeDomains: {kubeletPlugin: {healthcheck: {port: 51516}}}} | state-dra-driver | healthcheck.port",
        "{draDriver: {}, dcgmExporter: {config: {name: none}}}                | state-dcgm-exporter | spec.dcgmExporter.config.name",
        "{draDriver: {}, dcgm: {enabled: true, image: 'a b'}}                 | state-dcgm          | spec.dcgm",
      })
  void badInputBlocksItsPartAndNamesTheField(String spec, String state, String field) {
    var plan = plan(spec);

    assertThat(plan.problems()).containsOnlyKeys(state);
    assertThat(plan.problems().values())
        .extracting(Problem::message)
        .allMatch(message -> message.contains(field));
    assertThat(plan.workloads()).as("the others").isNotEmpty();
  }
}
