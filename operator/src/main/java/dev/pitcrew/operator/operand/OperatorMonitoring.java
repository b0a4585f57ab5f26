package dev.pitcrew.operator.operand;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.operator.render.Monitoring;
import dev.pitcrew.operator.render.Monitoring.Rule;
import dev.pitcrew.operator.render.Operand;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.render.ServiceMonitorSettings;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// How Prometheus finds the operator's own metrics.
final class OperatorMonitoring implements Operand {
  private static final String NAME = "gpu-operator";
  private static final String READERS = "prometheus-k8s";
  private static final String TOOLKIT = "gpu_operator_openshift_driver_toolkit_";
  private static final long HALF_AN_HOUR = 1800;

  @Override
  public String state() {
    return "state-operator-metrics";
  }

  @Override
  public String daemonSetName() {
    return "";
  }

  @Override
  public boolean isEnabled(ClusterPolicySpec spec) {
    return true;
  }

  @Override
  public List<HasMetadata> resources(RenderContext context) {
    String namespace = context.namespace();
    var objects = new ArrayList<HasMetadata>();
    Service service = Monitoring.scraped(NAME, namespace, "gpu-operator-metrics", 8080);
    objects.add(service);
    if (context.facts().serves("ServiceMonitor")) {
      objects.add(
          ServiceMonitorSettings.monitor(
              service, "operator", context.spec().operator().metrics().serviceMonitor()));
    }
    if (context.facts().isOpenShift()) {
      objects.add(readersRole(namespace));
      objects.add(readersBinding(namespace));
      if (context.facts().serves("PrometheusRule")) {
        objects.add(Monitoring.rules("nvidia-gpu-operator-metrics", NAME, namespace, alerts()));
      }
    }
    return objects;
  }

  private static Role readersRole(String namespace) {
    return new RoleBuilder()
        .withNewMetadata()
        .withName(READERS)
        .withNamespace(namespace)
        .withLabels(Map.of("app", NAME))
        .endMetadata()
        .addNewRule()
        .withApiGroups("")
        .withResources("services", "endpoints", "pods")
        .withVerbs("get", "list", "watch")
        .endRule()
        .build();
  }

  private static RoleBinding readersBinding(String namespace) {
    return new RoleBindingBuilder()
        .withNewMetadata()
        .withName(READERS)
        .withNamespace(namespace)
        .withLabels(Map.of("app", NAME))
        .endMetadata()
        .withNewRoleRef("rbac.authorization.k8s.io", "Role", READERS)
        .addNewSubject("", "ServiceAccount", READERS, "openshift-monitoring")
        .build();
  }

  private static List<Rule> alerts() {
    String impossible = TOOLKIT + "enabled == -1 AND " + TOOLKIT;
    String inUse = TOOLKIT + "enabled == 1 AND " + TOOLKIT;
    return List.of(
        new Rule(
            "GPUOperatorReconciliationFailed",
            "gpu_operator_reconciliation_status != 1",
            3600,
            "The ClusterPolicy has not been ready for an hour"),
        alert(
            "ReconciliationFailedNfdLabelsMissing",
            "gpu_operator_reconciliation_status != 1 AND gpu_operator_reconciliation_has_nfd_labels == 0",
            "No node carries feature-discovery labels"),
        alert(
            "OpenshiftDriverToolkitEnabledNfdTooOld",
            impossible + "nfd_too_old == 1",
            "Feature discovery does not label the CoreOS release"),
        alert(
            "OpenshiftDriverToolkitEnabledImageStreamMissing",
            impossible + "imagestream_missing == 1",
            "The ImageStream openshift/driver-toolkit does not exist"),
        alert(
            "OpenshiftDriverToolkitEnabledImageStreamBroken",
            inUse + "imagestream_broken == 1",
            "The ImageStream openshift/driver-toolkit has a tag without a name"),
        alert(
            "OpenshiftDriverToolkitEnabledImageTagsMissing",
            inUse + "rhcos_tags_missing == 1",
            "The ImageStream openshift/driver-toolkit lacks a CoreOS release of this cluster"),
        alert(
            "DriverAutoUpgradeFailures",
            "gpu_operator_driver_auto_upgrade_enabled == 1 AND gpu_operator_nodes_upgrades_failed > 0",
            "The driver upgrade failed on a node"));
  }

  private static Rule alert(String name, String expression, String summary) {
    return new Rule("GPUOperator" + name, expression, HALF_AN_HOUR, summary);
  }
}
