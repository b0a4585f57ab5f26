package dev.pitcrew.operator.operand;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Runtime classes, roles, OpenShift's constraints and packaged files.
class ClusterObjectsTest {
  private static final String EVERYTHING =
      """
      sandboxWorkloads: {enabled: true, mode: %s}
      migManager: {enabled: true}
      nodeStatusExporter: {enabled: true}
      vgpuManager: {enabled: true}
      vgpuDeviceManager: {enabled: true}
      vfioManager: {enabled: true}
      sandboxDevicePlugin: {enabled: true}
      kataSandboxDevicePlugin: {enabled: true}
      ccManager: {enabled: true}
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}                                                | nvidia nvidia-legacy nvidia-cdi",
        "cdi: {enabled: false}                             | nvidia",
        "operator: {runtimeClass: gold}                    | gold nvidia-legacy nvidia-cdi",
        "operator: {runtimeClass: nvidia-cdi}              | nvidia-cdi nvidia-legacy",
        "cdi: {enabled: true, nriPluginEnabled: true}      | ''",
      })
  void runtimeClassesFollowTheWayInWhichDevicesAreInjected(String policy, String classes) {
    assertThat(String.join(" ", Rendered.of(policy, Facts.oneNode()).objects("RuntimeClass")))
        .isEqualTo(classes);
  }

  // defect 15
  @ParameterizedTest
  @ValueSource(strings = {"kubevirt", "kata"})
  void everyConstraintHasANameOfItsOwnAndIsForTheAccountOfThatName(String mode) {
    var rendered = Rendered.of(EVERYTHING.formatted(mode), Facts.openShift());
    var constraints = rendered.objects("SecurityContextConstraints");

    assertThat(constraints).doesNotHaveDuplicates().contains("nvidia-vfio-manager");
    for (String name : constraints) {
      assertThat(rendered.fields("SecurityContextConstraints", name))
          .containsEntry("users", List.of("system:serviceaccount:gpu-operator:" + name));
      assertThat(rendered.objects()).contains("ServiceAccount/" + name);
    }
  }

  // defect 15
  @Test
  void theCcManagerHasItsOwnConstraint() {
    assertThat(
            Rendered.of(EVERYTHING.formatted("kata"), Facts.openShift())
                .objects("SecurityContextConstraints"))
        .contains("nvidia-cc-manager", "nvidia-vfio-manager");
  }

  @Test
  void otherClustersHaveNoConstraints() {
    assertThat(
            Rendered.of(EVERYTHING.formatted("kata"), Facts.oneNode())
                .objects("SecurityContextConstraints"))
        .isEmpty();
  }

  // defect 34
  @ParameterizedTest
  @ValueSource(strings = {"kubevirt", "kata"})
  void noRoleMayUseEveryConstraint(String mode) {
    var rendered = Rendered.of(EVERYTHING.formatted(mode), Facts.openShift());

    assertThat(rendered.objects("Role"))
        .flatMap(name -> rendered.object(Role.class, "Role", name).getRules())
        .filteredOn(rule -> rule.getResources().contains("securitycontextconstraints"))
        .isNotEmpty()
        .allSatisfy(ClusterObjectsTest::isNarrow);
  }

  // defect 34
  @ParameterizedTest
  @ValueSource(strings = {"kubevirt", "kata"})
  void everyPodHasItsAccount(String mode) {
    var rendered = Rendered.of(EVERYTHING.formatted(mode), Facts.oneNode());
    var accounts = rendered.objects("ServiceAccount");

    assertThat(rendered.daemonSets())
        .hasSizeGreaterThan(14)
        .allSatisfy(name ->
            assertThat(accounts)
                .as(name)
                .contains(rendered.daemonSet(name).pod().getServiceAccountName()));
  }

  // defect 54: an RTX 6000 and an RTX 8000 have one id, as have an A2 and an A16.
  @Test
  void onlyProductsThatShareAnIdAreInTheDefaultVgpuLayoutTwice() {
    var config =
        Rendered.of(EVERYTHING.formatted("kubevirt"), Facts.oneNode())
            .configMap("default-vgpu-devices-config")
            .getData()
            .getOrDefault("config.yaml", "");
    JsonNode layout =
        Serialization.unmarshal(config, JsonNode.class).path("vgpu-configs").path("default");
    var devices = new ArrayList<String>();
    layout.forEach(entry -> {
      JsonNode filter = entry.path("device-filter");
      if (filter.isArray()) {
        filter.forEach(device -> devices.add(device.asText()));
      } else {
        devices.add(filter.asText());
      }
    });

    var seen = new HashSet<String>();
    assertThat(devices).hasSizeGreaterThan(10);
    assertThat(devices)
        .filteredOn(device -> !seen.add(device))
        .containsExactly("0x1E7810DE", "0x25B610DE");
  }

  private static void isNarrow(PolicyRule rule) {
    assertThat(rule.getResourceNames()).isNotEmpty();
  }
}
