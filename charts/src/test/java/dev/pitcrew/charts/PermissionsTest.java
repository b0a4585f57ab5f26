package dev.pitcrew.charts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PermissionsTest {
  private static final Set<String> ROLES = Set.of("ClusterRole", "Role");
  private static final Set<String> WRITING =
      Set.of("create", "update", "patch", "delete", "deletecollection");
  private static final Rendered DEFAULTS = PitcrewChart.shared().render("{}");

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{platform: {openshift: true}, operator: {cleanupCRD: true}}"})
  void everyGroupResourceAndVerbIsNamed(String values) {
    assertThat(permissions(PitcrewChart.shared().render(values)))
        .isNotEmpty()
        .noneMatch(permission -> permission.resource().contains("*"))
        .noneMatch(permission -> permission.verb().contains("*"))
        .noneMatch(
            permission -> Set.of("escalate", "bind", "impersonate").contains(permission.verb()));
  }

  @ParameterizedTest
  @CsvSource({"cluster, ClusterRole", "namespace, Role"})
  void theOperatorHoldsWhatOperandsAreGranted(String scope, String kind) throws IOException {
    var clusterWide = held("ClusterRole/gpu-operator", "ClusterRole/gpu-operator-operands");
    var held =
        kind.equals("ClusterRole")
            ? clusterWide
            : Stream.concat(
                    clusterWide.stream(),
                    held("Role/gpu-operator", "Role/gpu-operator-operands").stream())
                .toList();

    assertThat(granted(scope))
        .isNotEmpty()
        .allSatisfy(permission -> assertThat(held).anyMatch(p -> p.covers(permission)));
  }

  @Test
  void nothingIsHeldForOperandsThatNoneIsGranted() throws IOException {
    assertThat(held("ClusterRole/gpu-operator-operands"))
        .allSatisfy(p -> assertThat(granted("cluster")).anyMatch(p::covers));
    assertThat(held("Role/gpu-operator-operands"))
        .allSatisfy(p -> assertThat(granted("namespace")).anyMatch(p::covers));
  }

  @Test
  void secretsAreReadInTheOwnNamespaceOnly() {
    var clusterWide = DEFAULTS.ofKinds(Set.of("ClusterRole")).flatMap(Permission::of);

    assertThat(clusterWide).noneMatch(p -> p.resource().equals("core/secrets"));
    assertThat(permissions(DEFAULTS))
        .filteredOn(p -> p.resource().equals("core/secrets"))
        .noneMatch(p -> WRITING.contains(p.verb()));
  }

  @Test
  void onlyTheOwnNamespaceIsLabelled() {
    assertThat(permissions(DEFAULTS))
        .filteredOn(p -> p.resource().equals("core/namespaces") && WRITING.contains(p.verb()))
        .containsExactly(Permission.parse("core/namespaces[gpu-operator] patch"));
  }

  @Test
  void constraintsAreWrittenOnOpenShiftOnly() {
    var write = Permission.parse("security.openshift.io/securitycontextconstraints create");

    assertThat(permissions(DEFAULTS)).doesNotContain(write);
    assertThat(permissions(PitcrewChart.shared().render("{platform: {openshift: true}}")))
        .contains(write);
  }

  @Test
  void definitionsAreDeletedOnlyIfTheUserSaysSo() {
    var asked = PitcrewChart.shared().render("{operator: {cleanupCRD: true}}");

    assertThat(permissions(DEFAULTS)).noneMatch(PermissionsTest::deletesDefinitions);
    assertThat(permissions(asked))
        .filteredOn(PermissionsTest::deletesDefinitions)
        .hasSize(7)
        .allMatch(p -> p.name().isPresent());
  }

  @Test
  void theUpgradeHookTouchesOurDefinitionsAndTheFleetPolicyOnly() {
    var permissions = Permission.of(DEFAULTS.object("ClusterRole/gpu-operator-upgrade-crd"));
    assertThat(permissions.filter(p -> !p.resource().equals("pitcrew.dev/fleetpolicies")))
        .hasSize(7 * 5)
        .allMatch(p -> p.resource().equals("apiextensions.k8s.io/customresourcedefinitions"))
        .allMatch(p -> p.name().isPresent());
    assertThat(Permission.of(DEFAULTS.object("ClusterRole/gpu-operator-upgrade-crd")))
        .filteredOn(p -> p.resource().equals("pitcrew.dev/fleetpolicies"))
        .extracting(Permission::verb, Permission::name)
        .containsExactlyInAnyOrder(
            tuple("get", Optional.of("fleet")),
            tuple("patch", Optional.of("fleet")),
            tuple("create", Optional.empty()));
  }

  private static boolean deletesDefinitions(Permission permission) {
    return permission.resource().equals("apiextensions.k8s.io/customresourcedefinitions")
        && permission.verb().equals("delete");
  }

  private static List<Permission> permissions(Rendered rendered) {
    return rendered.ofKinds(ROLES).flatMap(Permission::of).toList();
  }

  private static List<Permission> held(String... roles) {
    return Stream.of(roles).map(DEFAULTS::object).flatMap(Permission::of).toList();
  }

  private static List<Permission> granted(String scope) throws IOException {
    try (var lines = Files.lines(Path.of("src/test/resources/operand-permissions.txt"))) {
      return lines
          .filter(line -> line.startsWith(scope + " "))
          .map(line -> Permission.parse(line.substring(scope.length() + 1)))
          .toList();
    }
  }
}
