package dev.pitcrew.operator.computedomain;

import dev.pitcrew.operator.operand.dra.DomainDaemonRights;
import dev.pitcrew.operator.render.Probes;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/// The objects of a ComputeDomain, as NVIDIA's controller makes them: claim template and DaemonSet
/// of the IMEX daemons, and the claim template of workloads.
///
/// @param namespace of the daemons
/// @param image of NVIDIA's DRA driver, which has the program `compute-domain-daemon`
/// @param pullSecrets of that image
public record DomainObjects(
    Domain domain, String namespace, String image, List<String> pullSecrets) {
  /// Classes of the devices that claims for domains are allocated.
  public static final String DAEMON_CLASS = "compute-domain-daemon.nvidia.com";

  public static final String CHANNEL_CLASS = "compute-domain-default-channel.nvidia.com";

  private static final String DRIVER = "compute-domain.nvidia.com";
  private static final String PROGRAM = "compute-domain-daemon";
  private static final String VERBOSITY = "4";
  private static final String MAX_NODES = "18";

  /// Of the DRA driver 0.5, each with its default. The daemon reports to cliques with
  /// ComputeDomainCliques, which is what the status is made from.
  private static final List<String> GATES_ON =
      List.of(
          "ComputeDomainCliques",
          "ContextualLogging",
          "CrashOnNVLinkFabricErrors",
          "IMEXDaemonsWithDNSNames",
          "LoggingBetaOptions");

  private static final List<String> GATES_OFF =
      List.of(
          "AllAlpha",
          "AllBeta",
          "ConsumableShares",
          "DRAListTypeAttributes",
          "DeviceMetadata",
          "DynamicMIG",
          "FabricManagerPartitioning",
          "HostManagedIMEXDaemon",
          "LoggingAlphaOptions",
          "MPSSupport",
          "NVMLDeviceHealthCheck",
          "PassthroughSupport",
          "TimeSlicingSettings");

  public DomainObjects {
    pullSecrets = List.copyOf(pullSecrets);
  }

  /// In the order in which they are made: pods find the templates of their claims there.
  public List<HasMetadata> all() {
    return List.of(daemonTemplate(), daemonSet(), workloadTemplate());
  }

  /// The claims of the daemons.
  public GenericKubernetesResource daemonTemplate() {
    return template(
        Domain.daemons(domain.uid()),
        namespace,
        DomainLabels.DAEMON,
        "daemon",
        DAEMON_CLASS,
        settings("ComputeDomainDaemonConfig", Map.of()));
  }

  /// The claims of workloads.
  public GenericKubernetesResource workloadTemplate() {
    return template(
        domain.template(),
        domain.namespace(),
        DomainLabels.WORKLOAD,
        "channel",
        CHANNEL_CLASS,
        settings("ComputeDomainChannelConfig", Map.of("allocationMode", domain.allocationMode())));
  }

  private Map<String, Object> settings(String kind, Map<String, String> more) {
    Map<String, Object> parameters = new TreeMap<>(more);
    parameters.put("apiVersion", "resource.nvidia.com/v1beta1");
    parameters.put("kind", kind);
    parameters.put("domainID", domain.uid());
    return Map.of("driver", DRIVER, "parameters", parameters);
  }

  private GenericKubernetesResource template(
      String name,
      String where,
      String target,
      String request,
      String deviceClass,
      Map<String, Object> settings) {
    Map<String, Object> exactly =
        Map.of("deviceClassName", deviceClass, "allocationMode", "ExactCount", "count", 1);
    Map<String, Object> devices =
        Map.of(
            "requests", List.of(Map.of("name", request, "exactly", exactly)),
            "config", List.of(Map.of("requests", List.of(request), "opaque", settings)));
    return new GenericKubernetesResourceBuilder()
        .withApiVersion("resource.k8s.io/v1")
        .withKind("ResourceClaimTemplate")
        .withNewMetadata()
        .withName(name)
        .withNamespace(where)
        .withLabels(Map.of(DomainLabels.DOMAIN, domain.uid(), DomainLabels.TARGET, target))
        .withFinalizers(DomainLabels.FINALIZER)
        .endMetadata()
        .withAdditionalProperties(Map.of("spec", Map.of("spec", Map.of("devices", devices))))
        .build();
  }

  /// The daemons, on the nodes that the agents label for the domain.
  public DaemonSet daemonSet() {
    String name = Domain.daemons(domain.uid());
    Map<String, String> label = Map.of(DomainLabels.DOMAIN, domain.uid());
    return new DaemonSetBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(namespace)
        .withLabels(label)
        .withFinalizers(DomainLabels.FINALIZER)
        .endMetadata()
        .withNewSpec()
        .withNewSelector()
        .withMatchLabels(label)
        .endSelector()
        .withNewUpdateStrategy()
        .withType("RollingUpdate")
        .withNewRollingUpdate()
        .withMaxUnavailable(new IntOrString(1))
        .withMaxSurge(new IntOrString(0))
        .endRollingUpdate()
        .endUpdateStrategy()
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(label)
        .endMetadata()
        .withNewSpec()
        .withServiceAccountName(DomainDaemonRights.ACCOUNT)
        .withNodeSelector(label)
        .withTolerations(
            Stream.of("NoSchedule", "NoExecute", "PreferNoSchedule")
                .map(DomainObjects::toleration)
                .toList())
        .withImagePullSecrets(pullSecrets.stream().map(LocalObjectReference::new).toList())
        .addNewResourceClaim()
        .withName(PROGRAM)
        .withResourceClaimTemplateName(name)
        .endResourceClaim()
        .addNewContainer()
        .withName(PROGRAM)
        .withImage(image)
        .withImagePullPolicy("IfNotPresent")
        .withCommand(command("run"))
        .withEnv(environment())
        .withNewResources()
        .addNewClaim()
        .withName(PROGRAM)
        .endClaim()
        .endResources()
        .withStartupProbe(probe(1, 1200))
        .withLivenessProbe(probe(60, 20))
        .withReadinessProbe(probe(10, 1))
        .endContainer()
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }

  private static List<String> command(String last) {
    return List.of(PROGRAM, "-v", "$(LOG_VERBOSITY)", last);
  }

  private static Probe probe(int seconds, int failures) {
    return Probes.exec(command("check").toArray(String[]::new))
        .withTimeoutSeconds(10)
        .withPeriodSeconds(seconds)
        .withFailureThreshold(failures)
        .build();
  }

  private static Toleration toleration(String effect) {
    return new TolerationBuilder().withOperator("Exists").withEffect(effect).build();
  }

  private static List<EnvVar> environment() {
    var variables = new ArrayList<EnvVar>();
    variables.add(value("LOG_VERBOSITY", VERBOSITY));
    variables.add(value("MAX_NODES_PER_IMEX_DOMAIN", MAX_NODES));
    variables.add(field("NODE_NAME", "spec.nodeName"));
    variables.add(field("POD_IP", "status.podIP"));
    variables.add(field("POD_UID", "metadata.uid"));
    variables.add(field("POD_NAME", "metadata.name"));
    variables.add(field("POD_NAMESPACE", "metadata.namespace"));
    variables.add(value("NVIDIA_VISIBLE_DEVICES", "void"));
    variables.add(value("FEATURE_GATES", gates()));
    return variables;
  }

  /// Each ends with a comma, as NVIDIA's controller writes them: a text that differs would replace
  /// the daemons of running domains.
  private static String gates() {
    var text = new StringBuilder();
    Stream.concat(
            GATES_ON.stream().map(gate -> gate + "=true"),
            GATES_OFF.stream().map(gate -> gate + "=false"))
        .sorted()
        .forEach(gate -> text.append(gate).append(','));
    return text.toString();
  }

  private static EnvVar value(String name, String value) {
    return new EnvVarBuilder().withName(name).withValue(value).build();
  }

  private static EnvVar field(String name, String path) {
    return new EnvVarBuilder()
        .withName(name)
        .withNewValueFrom()
        .withNewFieldRef()
        .withApiVersion("v1")
        .withFieldPath(path)
        .endFieldRef()
        .endValueFrom()
        .build();
  }
}
