package dev.pitcrew.operator.operand;

import static dev.pitcrew.operator.render.ContainerDraft.Propagation.HOST_TO_CONTAINER;
import static dev.pitcrew.operator.render.DaemonSetDraft.ANY;
import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY;
import static dev.pitcrew.operator.render.Identity.READ_NODES;
import static dev.pitcrew.operator.render.Identity.rule;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.operator.render.Check;
import dev.pitcrew.operator.render.CommonSettings;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Identity;
import dev.pitcrew.operator.render.Images.Source;
import dev.pitcrew.operator.render.Monitoring;
import dev.pitcrew.operator.render.Monitoring.Rule;
import dev.pitcrew.operator.render.OpenShiftConstraint;
import dev.pitcrew.operator.render.Operand;
import dev.pitcrew.operator.render.OperandSettings;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.render.SectionCheck;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Exports what the validation of each node found.
final class NodeStatusExporter implements Operand {
  private static final String NAME = "nvidia-node-status-exporter";
  static final int PORT = 8000;
  static final String PORT_NAME = "node-status";
  private static final long HALF_AN_HOUR = 1800;
  private static final Identity IDENTITY =
      Identity.named(NAME)
          .labelled(Map.of("app", NAME))
          .may(rule("", "pods", "get", "list"), rule("apps", "daemonsets", "get", "list", "watch"))
          .mayInCluster(READ_NODES);

  @Override
  public String state() {
    return "state-node-status-exporter";
  }

  @Override
  public String daemonSetName() {
    return NAME;
  }

  @Override
  public boolean isEnabled(ClusterPolicySpec spec) {
    return spec.nodeStatusExporter().isEnabled();
  }

  @Override
  public List<Check> checks() {
    return List.of(SectionCheck.of(NodeStatusExporter::image));
  }

  @Override
  public List<HasMetadata> resources(RenderContext context) {
    String namespace = context.namespace();
    var objects = new ArrayList<>(IDENTITY.objects(namespace));
    objects.addAll(monitoring(Monitoring.scraped(NAME, namespace, PORT_NAME, PORT), context));
    if (context.facts().isOpenShift()) {
      objects.add(OpenShiftConstraint.named(NAME).object(namespace));
    }
    return objects;
  }

  /// The same for Prometheus, but the pods are the agent's.
  @Override
  public List<HasMetadata> ofAgent(RenderContext context) {
    return monitoring(
        Agent.serve(Monitoring.scraped(NAME, context.namespace(), PORT_NAME, PORT)), context);
  }

  private static List<HasMetadata> monitoring(Service service, RenderContext context) {
    var objects = new ArrayList<HasMetadata>(List.of(service));
    if (context.facts().serves("ServiceMonitor")) {
      objects.add(Monitoring.serviceMonitor(service, PORT_NAME, Map.of(), Map.of()));
    }
    if (context.facts().isOpenShift() && context.facts().serves("PrometheusRule")) {
      objects.add(Monitoring.rules(NAME + "-alerts", NAME, context.namespace(), alerts()));
    }
    return objects;
  }

  @Override
  public List<DaemonSet> daemonSets(RenderContext context) {
    var draft = CommonSettings.under(shape(), context);
    var section = context.spec().nodeStatusExporter();
    OperandSettings.apply(draft, section, context.images().path(image(context)));
    OperandSettings.env(draft.main(), section.env());
    draft.main().runAsRoot();
    return List.of(CommonSettings.finish(draft, context));
  }

  private static List<Rule> alerts() {
    String driverWorks = " AND gpu_operator_node_driver_validation == 1";
    return List.of(
        alert("", "gpu_operator_node_device_plugin_devices_total == 0", "No GPU is allocatable"),
        alert("Driver", "gpu_operator_node_driver_validation == 0", "The driver is not validated"),
        alert(
            "Toolkit",
            "gpu_operator_node_toolkit_ready == 0" + driverWorks,
            "The container toolkit is not ready"),
        alert(
            "Cuda",
            "gpu_operator_node_cuda_ready == 0" + driverWorks,
            "The CUDA validation has not passed"));
  }

  private static Rule alert(String part, String expression, String summary) {
    return new Rule(
        "GPUOperatorNodeDeployment" + part + "Failed", expression, HALF_AN_HOUR, summary);
  }

  private static Source image(RenderContext context) {
    return new Source(
        "spec.nodeStatusExporter", context.spec().nodeStatusExporter(), "VALIDATOR_IMAGE");
  }

  private static DaemonSetDraft shape() {
    return DaemonSetDraft.ofApp(NAME, "node-status-exporter")
        .openShiftConstraint(NAME)
        .container(
            new ContainerDraft(NAME)
                .pullPolicy("Always")
                .command("nvidia-validator")
                .env("NVIDIA_VISIBLE_DEVICES", "void")
                .env("COMPONENT", "metrics")
                .env("METRICS_PORT", Integer.toString(PORT))
                .envFromField("NODE_NAME", "spec.nodeName")
                .envFromField("OPERATOR_NAMESPACE", "metadata.namespace")
                .port(PORT_NAME, PORT)
                .privileged()
                .mount("run-nvidia", "/run/nvidia", HOST_TO_CONTAINER)
                .mountHostRoot())
        .hostPath("run-nvidia", "/run/nvidia", DIRECTORY)
        .hostPath("host-root", "/", ANY);
  }
}
