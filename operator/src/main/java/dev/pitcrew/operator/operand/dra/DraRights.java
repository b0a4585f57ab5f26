package dev.pitcrew.operator.operand.dra;

import static dev.pitcrew.operator.render.Identity.rule;

import dev.pitcrew.operator.render.Identity;
import dev.pitcrew.operator.render.OpenShiftConstraint;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The accounts of the DRA driver and what they may do, as its images need it. A ClusterRole cannot
/// hold ResourceSlices to a node; [DraSlicePolicy] does.
final class DraRights {
  static final String PLUGIN = "nvidia-dra-driver-kubeletplugin";
  static final String CONTROLLER = "nvidia-dra-driver-controller";
  static final String NAME_LABEL = "app.kubernetes.io/name";
  static final String COMPONENT_LABEL = "app.kubernetes.io/component";
  static final String DRIVER = "nvidia-dra-driver";

  private static final String DOMAINS = "resource.nvidia.com";
  private static final String RESOURCES = "resource.k8s.io";

  private DraRights() {}

  static List<HasMetadata> of(DraContext context) {
    String namespace = context.namespace();
    boolean hasDomains = context.spec().draDriver().computeDomains().isEnabled();
    Identity plugin = identity(PLUGIN, "nvidia-dra-driver-kubelet-plugin");
    var objects = new ArrayList<HasMetadata>(List.of(plugin.account(namespace)));
    if (hasDomains) {
      if (!context.isDomainController()) {
        objects.addAll(controller(namespace));
      }
      objects.addAll(DomainDaemonRights.of(namespace));
      objects.addAll(role(plugin, PLUGIN, namespace, rule(DOMAINS, "computedomaincliques", "get")));
    }
    if (context.isOn("MPSSupport")) {
      objects.addAll(
          role(
              plugin,
              PLUGIN + "-mps",
              namespace,
              rule(
                  "apps",
                  "deployments",
                  "get",
                  "list",
                  "watch",
                  "create",
                  "update",
                  "patch",
                  "delete")));
    }
    objects.addAll(
        role(plugin, PLUGIN + "-driver-validation", namespace, rule("apps", "daemonsets", "list")));
    objects.addAll(
        clusterRole(
            plugin,
            PLUGIN,
            namespace,
            rule(DOMAINS, "computedomains", "get", "list", "watch"),
            DraObjects.READ_CLAIMS,
            rule(RESOURCES, "resourceslices", "get", "list", "watch", "create", "update", "delete"),
            rule("", "nodes", "get", "list", "watch", "update", "patch"),
            rule("", "pods", "get", "list", "watch")));
    if (context.facts().isOpenShift()) {
      objects.add(
          OpenShiftConstraint.named(DRIVER)
              .of(PLUGIN, DomainDaemonRights.ACCOUNT)
              .withHostNetwork()
              .withHostPorts()
              .object(namespace));
    }
    return objects;
  }

  private static List<HasMetadata> controller(String namespace) {
    Identity controller = identity(CONTROLLER, CONTROLLER);
    var objects = new ArrayList<HasMetadata>(List.of(controller.account(namespace)));
    objects.addAll(
        clusterRole(
            controller,
            CONTROLLER,
            namespace,
            rule(DOMAINS, "computedomains", "get", "list", "watch", "update"),
            rule(DOMAINS, "computedomains/status", "update"),
            rule(
                RESOURCES,
                "resourceclaimtemplates",
                "get",
                "list",
                "watch",
                "create",
                "update",
                "delete"),
            rule("coordination.k8s.io", "leases", "get", "create", "update"),
            rule("", "nodes", "get", "list", "watch", "update"),
            rule("", "pods", "get", "list", "watch")));
    objects.addAll(
        role(
            controller,
            CONTROLLER,
            namespace,
            rule(
                "apps",
                "daemonsets",
                "get",
                "list",
                "watch",
                "create",
                "update",
                "patch",
                "delete"),
            rule(DOMAINS, "computedomaincliques", "get", "list", "watch", "update")));
    return objects;
  }

  private static Identity identity(String account, String component) {
    return Identity.withoutRights(account, Map.of(NAME_LABEL, DRIVER, COMPONENT_LABEL, component));
  }

  private static List<HasMetadata> role(
      Identity account, String name, String namespace, PolicyRule... rules) {
    return account.withinNamespace(name, Map.of(), List.of(rules), namespace);
  }

  private static List<HasMetadata> clusterRole(
      Identity account, String name, String namespace, PolicyRule... rules) {
    return account.clusterWide(name, Map.of(), List.of(rules), namespace);
  }
}
