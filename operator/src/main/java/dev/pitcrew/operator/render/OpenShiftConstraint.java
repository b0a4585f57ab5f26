package dev.pitcrew.operator.render;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A SecurityContextConstraints object: what OpenShift lets the pods of service accounts do.
///
/// @param name of the constraint
/// @param accounts service accounts that may use it
/// @param allCapabilities whether containers may ask for any capability
public record OpenShiftConstraint(
    String name,
    List<String> accounts,
    boolean hostIpc,
    boolean hostNetwork,
    boolean hostPid,
    boolean hostPorts,
    boolean allCapabilities) {

  public static OpenShiftConstraint named(String name) {
    return new OpenShiftConstraint(name, List.of(name), false, false, false, false, true);
  }

  public OpenShiftConstraint of(String... newAccounts) {
    return new OpenShiftConstraint(
        name, List.of(newAccounts), hostIpc, hostNetwork, hostPid, hostPorts, allCapabilities);
  }

  public OpenShiftConstraint withHostPid() {
    return new OpenShiftConstraint(
        name, accounts, hostIpc, hostNetwork, true, hostPorts, allCapabilities);
  }

  public OpenShiftConstraint withHostIpc() {
    return new OpenShiftConstraint(
        name, accounts, true, hostNetwork, hostPid, hostPorts, allCapabilities);
  }

  public OpenShiftConstraint withHostPorts() {
    return new OpenShiftConstraint(
        name, accounts, hostIpc, hostNetwork, hostPid, true, allCapabilities);
  }

  public OpenShiftConstraint withHostNetwork() {
    return new OpenShiftConstraint(
        name, accounts, hostIpc, true, hostPid, hostPorts, allCapabilities);
  }

  public OpenShiftConstraint withoutCapabilities() {
    return new OpenShiftConstraint(name, accounts, hostIpc, hostNetwork, hostPid, hostPorts, false);
  }

  public GenericKubernetesResource object(String namespace) {
    return new GenericKubernetesResourceBuilder()
        .withApiVersion("security.openshift.io/v1")
        .withKind("SecurityContextConstraints")
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withAdditionalProperties(fields(namespace))
        .build();
  }

  private Map<String, Object> fields(String namespace) {
    var anyone = Map.of("type", "RunAsAny");
    var fields = new LinkedHashMap<String, Object>();
    fields.put("allowHostDirVolumePlugin", true);
    fields.put("allowHostIPC", hostIpc);
    fields.put("allowHostNetwork", hostNetwork);
    fields.put("allowHostPID", hostPid);
    fields.put("allowHostPorts", hostPorts);
    fields.put("allowPrivilegeEscalation", true);
    fields.put("allowPrivilegedContainer", true);
    fields.put("readOnlyRootFilesystem", false);
    if (allCapabilities) {
      fields.put("allowedCapabilities", List.of("*"));
    }
    fields.put("fsGroup", anyone);
    fields.put("runAsUser", anyone);
    fields.put("seLinuxContext", anyone);
    fields.put("supplementalGroups", anyone);
    fields.put("volumes", List.of("*"));
    fields.put("groups", List.of("system:cluster-admins", "system:nodes", "system:masters"));
    fields.put(
        "users",
        accounts.stream()
            .map(account -> "system:serviceaccount:" + namespace + ":" + account)
            .toList());
    return fields;
  }
}
