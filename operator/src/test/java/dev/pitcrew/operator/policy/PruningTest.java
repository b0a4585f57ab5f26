package dev.pitcrew.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.api.model.node.v1.RuntimeClassBuilder;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Which owned objects go. Only what the policy owns gets here at all: a DaemonSet of an
/// NVIDIADriver has another owner.
class PruningTest {
  @Test
  void nothingThatIsWantedGoes() {
    var plan = Rendered.of("", Facts.oneNode()).plan();
    var all = Stream.concat(plan.resources().stream(), plan.daemonSets().stream()).toList();

    assertThat(Pruning.unwanted(plan, all, Set.of())).isEmpty();
  }

  @Test
  void anOperandThatIsSwitchedOffGoesWithAllItsObjects() {
    var on = Rendered.of("", Facts.oneNode()).plan();
    var all = Stream.concat(on.resources().stream(), on.daemonSets().stream()).toList();
    var off = Rendered.of("dcgm: {enabled: false}", Facts.oneNode()).plan();

    assertThat(Pruning.unwanted(off, all, Set.of()))
        .extracting(object -> object.getKind() + "/" + object.getMetadata().getName())
        .contains("DaemonSet/nvidia-dcgm", "Service/nvidia-dcgm", "ServiceAccount/nvidia-dcgm")
        .allMatch(name -> name.endsWith("/nvidia-dcgm"));
  }

  // defect 44
  @ParameterizedTest
  @ValueSource(
      strings = {
        "nvidia-driver-daemonset",
        "nvidia-driver-daemonset-5.15.0-78-generic-ubuntu22.04",
        "nvidia-driver-daemonset-416.94.1",
        "nvidia-driver-daemonset-rocky9",
      })
  void allVariantsOfADriverThatIsSwitchedOffGo(String name) {
    assertThat(pruned("driver: {enabled: false}", Facts.oneNode(), name)).containsExactly(name);
  }

  @Test
  void aVariantWhoseNodesAreGoneGoes() {
    assertThat(pruned("", Facts.oneNode(), "nvidia-driver-daemonset-rocky9")).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "none, none, 1",
    "nvidia-driver-daemonset, none, 0",
    "nvidia-driver-daemonset, nvidia-driver-daemonset, 1",
    "nvidia-dcgm, none, 1",
  })
  void aDaemonSetWhoseSuccessorCouldNotBeCreatedStays(
      String unapplied, String present, int deleted) {
    var former = daemonSet("nvidia-driver-daemonset-rocky9");
    var owned = present.equals("none") ? List.of(former) : List.of(former, daemonSet(present));
    var plan = Rendered.of("", Facts.oneNode()).plan();

    var unwanted = Pruning.unwanted(plan, owned, Set.of(ObjectKey.of(daemonSet(unapplied))));

    assertThat(unwanted).hasSize(deleted).isSubsetOf(former);
  }

  // defect 44
  @Test
  void aRuntimeClassGoesWhenThePolicyNamesAnother() {
    var plan = Rendered.of("operator: {runtimeClass: gold}", Facts.oneNode()).plan();
    var old = new RuntimeClassBuilder().withNewMetadata().withName("nvidia").endMetadata().build();

    assertThat(Pruning.unwanted(plan, List.of(old), Set.of())).containsExactly(old);
  }

  @Test
  void terminatingObject_isNotDeletedAgain() {
    var ending =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName("of-an-operand-switched-off")
            .withNamespace("gpu-operator")
            .withDeletionTimestamp("2026-11-22T08:00:00Z")
            .endMetadata()
            .build();

    assertThat(Pruning.unwanted(Rendered.of("", Facts.oneNode()).plan(), List.of(ending), Set.of()))
        .isEmpty();
  }

  @Test
  void objectsOfOperandsThatTheReferenceRemoved_areDeleted() {
    assertThat(pruned("", Facts.oneNode(), "nvidia-kata-manager")).hasSize(1);
  }

  @Test
  void aClusterThatLosesItsLastGpuNodeKeepsItsDaemonSets() {
    assertThat(pruned("", Facts.cluster(), "nvidia-dcgm", "nvidia-driver-daemonset-416.94.1"))
        .isEmpty();
  }

  @Test
  void badInputKeepsTheDaemonSetsOfItsOperandAsTheyAre() {
    assertThat(
            pruned("driver: {secretEnv: gone}", Facts.oneNode(), "nvidia-driver-daemonset-rocky9"))
        .isEmpty();
    assertThat(
            pruned(
                "{toolkit: {version: '1'}, dcgm: {enabled: false}}",
                Facts.oneNode(),
                "nvidia-dcgm"))
        .as("another operand may still go")
        .hasSize(1);
  }

  @Test
  void blockedOperand_keepsItsOtherObjects_andNoneOfOthers() {
    var plan = Rendered.of("driver: {secretEnv: gone}", Facts.oneNode()).plan();

    assertThat(Pruning.unwanted(plan, List.of(script("nvidia-driver-startup-probe")), Set.of()))
        .isEmpty();
    assertThat(Pruning.unwanted(plan, List.of(script("of-an-operand-switched-off")), Set.of()))
        .hasSize(1);
  }

  private static HasMetadata script(String name) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("gpu-operator")
        .endMetadata()
        .build();
  }

  @Test
  void aNameThatStartsLikeAnotherOperandsIsNoVariantOfIt() {
    var policy = "{dcgm: {enabled: false}, dcgmExporter: {version: '1'}}";

    assertThat(pruned(policy, Facts.oneNode(), "nvidia-dcgm", "nvidia-dcgm-exporter"))
        .containsExactly("nvidia-dcgm");
  }

  @ParameterizedTest
  @ValueSource(strings = {"nvidia-driver-daemonset-rocky9", "nvidia-vgpu-manager-daemonset"})
  void driversThatAreLeftToNvidiaDriversKeepTheirPods(String name) {
    var plan = Rendered.of("driver: {useNvidiaDriverCRD: true}", Facts.oneNode()).plan();
    var running = daemonSet(name);

    assertThat(Pruning.unwanted(plan, List.of(running), Set.of())).isEmpty();
    assertThat(HandOver.of(plan, List.of(running)).leaving()).isEqualTo(List.of(running));
  }

  @Test
  void podsThatAreLeftToNvidiaDriversKeepWhatTheyUse() {
    var before = Rendered.of("", Facts.oneNode()).plan();
    var after = Rendered.of("driver: {useNvidiaDriverCRD: true}", Facts.oneNode()).plan();

    assertThat(Pruning.unwanted(after, List.copyOf(before.resources()), Set.of())).isEmpty();
    assertThat(after.resources())
        .extracting(object -> object.getMetadata().getName())
        .as("but nothing of it is created again")
        .doesNotContain("nvidia-driver");
  }

  private static HasMetadata daemonSet(String name) {
    return new DaemonSetBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("gpu-operator")
        .endMetadata()
        .build();
  }

  private static List<String> pruned(String policy, Facts facts, String... daemonSets) {
    List<HasMetadata> owned = Stream.of(daemonSets).map(PruningTest::daemonSet).toList();
    return Pruning.unwanted(Rendered.of(policy, facts).plan(), owned, Set.of()).stream()
        .map(object -> object.getMetadata().getName())
        .toList();
  }
}
