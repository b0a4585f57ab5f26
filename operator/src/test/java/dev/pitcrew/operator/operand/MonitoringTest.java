package dev.pitcrew.operator.operand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import dev.pitcrew.operator.testing.RenderedPods;
import io.fabric8.kubernetes.api.model.Service;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// DCGM, its exporter, and how Prometheus finds the metrics of both and of the operator.
class MonitoringTest {
  private static final String EXPORTER = "nvidia-dcgm-exporter";

  @Test
  void aServiceMonitorIsMadeOnlyWhereItsKindIsServed() {
    var policy =
        "{dcgmExporter: {serviceMonitor: {enabled: true}}, nodeStatusExporter: {enabled: true}}";

    assertThat(Rendered.of(policy, Facts.oneNode()).objects("ServiceMonitor")).isEmpty();
    assertThat(
            Rendered.of(policy, Facts.oneNode().serves("ServiceMonitor")).objects("ServiceMonitor"))
        .containsExactly("gpu-operator", EXPORTER, "nvidia-node-status-exporter");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{enabled: false}", "{interval: 5s}"})
  void theExportersMonitorMustBeAskedFor(String monitor) {
    var policy = "dcgmExporter: {serviceMonitor: " + monitor + "}";

    assertThat(
            Rendered.of(policy, Facts.oneNode().serves("ServiceMonitor")).objects("ServiceMonitor"))
        .doesNotContain(EXPORTER);
  }

  @Test
  void aServiceMonitorIsAsThePolicySays() {
    var rendered =
        Rendered.of(
            """
            dcgmExporter:
              serviceMonitor:
                enabled: true
                interval: 5s
                scrapeTimeout: 4s
                honorLabels: true
                additionalLabels: {team: gpu}
                relabelings: [{action: drop, sourceLabels: [x]}]
            """,
            Facts.oneNode().serves("ServiceMonitor"));

    assertThat(rendered.fields("ServiceMonitor", EXPORTER).toString())
        .contains("interval=5s", "scrapeTimeout=4s", "honorLabels=true", "action=drop")
        .contains("matchNames=[gpu-operator]");
  }

  // defect 36
  @Test
  void prometheusRulesAreMadeOnlyWhereTheirKindIsServed() {
    var policy = "nodeStatusExporter: {enabled: true}";

    assertThat(Rendered.of(policy, Facts.openShift()).objects("PrometheusRule")).isEmpty();
    assertThat(
            Rendered.of(policy, Facts.openShift().serves("PrometheusRule"))
                .objects("PrometheusRule"))
        .containsExactly(
            "nvidia-gpu-operator-metrics", EXPORTER, "nvidia-node-status-exporter-alerts");
  }

  // defect 36
  @Test
  void prometheusRulesGoWithTheirOperand() {
    assertThat(
            Rendered.of(
                    "dcgmExporter: {enabled: false}", Facts.openShift().serves("PrometheusRule"))
                .objects("PrometheusRule"))
        .containsExactly("nvidia-gpu-operator-metrics");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}                                                                        | false",
        "{enablePodLabels: true}                                                   | true",
        "{enablePodUID: true}                                                      | true",
        "{env: [{name: DCGM_EXPORTER_KUBERNETES_ENABLE_POD_LABELS, value: 'True'}]} | true",
        "{env: [{name: DCGM_EXPORTER_KUBERNETES_ENABLE_POD_UID, value: 'true'}]}   | true",
        "{env: [{name: DCGM_EXPORTER_KUBERNETES_ENABLE_POD_UID, value: 'no'}]}     | false",
      })
  void theExporterMayReadPodsOnlyIfItLooksAtThem(String exporter, boolean reads) {
    var rendered = Rendered.of("dcgmExporter: " + exporter, Facts.oneNode());
    var name = "nvidia-dcgm-exporter-read-pods";

    assertThat(rendered.objects("ClusterRole").contains(name)).isEqualTo(reads);
    assertThat(rendered.objects("ClusterRoleBinding").contains(name)).isEqualTo(reads);
    assertThat(rendered.daemonSet(EXPORTER).pod().getAutomountServiceAccountToken())
        .isEqualTo(reads);
  }

  @ParameterizedTest
  @CsvSource({"none, false", "'', false", "ns:metrics, true"})
  void metricsFromTheApiNeedAToken(String value, boolean token) {
    var pods = exporter("env: [{name: DCGM_EXPORTER_CONFIGMAP_DATA, value: '" + value + "'}]");

    assertThat(pods.pod().getAutomountServiceAccountToken()).isEqualTo(token);
  }

  @Test
  void theExporterAsksTheHostEngineWhereThereIsOne() {
    assertThat(exporter("{}").main().env("DCGM_REMOTE_HOSTENGINE_INFO"))
        .isEqualTo("nvidia-dcgm:5555");
    assertThat(
            Rendered.of("dcgm: {enabled: false}", Facts.oneNode()).daemonSet(EXPORTER).main().env())
        .doesNotContainKey("DCGM_REMOTE_HOSTENGINE_INFO");
  }

  // defect 29: the network of the host is the policy's word alone.
  @Test
  void anEngineOnLocalhostIsReachedOnlyWithTheHostsNetwork() {
    String env = "env: [{name: DCGM_REMOTE_HOSTENGINE_INFO, value: 'localhost:5555'}]";

    assertThat(exporter(env).main().env("DCGM_REMOTE_HOSTENGINE_INFO")).isEqualTo("localhost:5555");
    assertThat(exporter(env).pod().getHostNetwork()).isNull();
    assertThat(exporter(env + ", hostNetwork: true").pod().getHostNetwork()).isTrue();
  }

  @Test
  void theExporterHasWhatItsSectionSays() {
    var pods =
        exporter(
            "annotations: {note: x}, hostPID: true, enablePodLabels: true, enablePodUID: true, podLabelAllowlistRegex: [a.*, b], args: [-x], hpcJobMapping: {enabled: true, directory: /jobs}, config: {name: metrics}, service: {type: NodePort, internalTrafficPolicy: Local}");

    assertThat(pods.podAnnotations()).containsEntry("note", "x");
    assertThat(pods.pod().getHostPID()).isTrue();
    assertThat(pods.main().args()).containsExactly("-x");
    assertThat(pods.main().env())
        .contains(
            entry("DCGM_EXPORTER_KUBERNETES_ENABLE_POD_LABELS", "true"),
            entry("DCGM_EXPORTER_KUBERNETES_ENABLE_POD_UID", "true"),
            entry("DCGM_EXPORTER_KUBERNETES_POD_LABEL_ALLOWLIST_REGEX", "a.*,b"),
            entry("DCGM_HPC_JOB_MAPPING_DIR", "/jobs"),
            entry("DCGM_EXPORTER_COLLECTORS", "/etc/dcgm-exporter/dcgm-metrics.csv"));
    assertThat(pods.main().mounts())
        .contains(
            entry("/jobs", "hpc-job-mapping ro"),
            entry("/etc/dcgm-exporter/dcgm-metrics.csv", "metrics-config:dcgm-metrics.csv ro"));
    assertThat(pods.volumes())
        .contains(
            entry("hpc-job-mapping", "/jobs"),
            entry("metrics-config", "configMap metrics[dcgm-metrics.csv]"));
  }

  @Test
  void theExportersServiceIsAsThePolicySays() {
    var service =
        Rendered.of(
                "dcgmExporter: {service: {type: NodePort, internalTrafficPolicy: Local}}",
                Facts.oneNode())
            .object(Service.class, "Service", EXPORTER)
            .getSpec();

    assertThat(service.getType()).isEqualTo("NodePort");
    assertThat(service.getInternalTrafficPolicy()).isEqualTo("Local");
  }

  @Test
  void theHostEngineIsReachedOnItsOwnNodeOnly() {
    var service =
        Rendered.of("", Facts.oneNode()).object(Service.class, "Service", "nvidia-dcgm").getSpec();

    assertThat(service.getInternalTrafficPolicy()).isEqualTo("Local");
    assertThat(service.getPorts()).singleElement().extracting("port").isEqualTo(5555);
    assertThat(service.getSelector()).isEqualTo(Map.of("app", "nvidia-dcgm"));
  }

  private static RenderedPods exporter(String section) {
    String body = section.startsWith("{") ? section : "{" + section + "}";
    return Rendered.of("dcgmExporter: " + body, Facts.oneNode().configMap("metrics", "x"))
        .daemonSet(EXPORTER);
  }
}
