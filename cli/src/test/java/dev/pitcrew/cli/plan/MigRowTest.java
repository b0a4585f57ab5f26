package dev.pitcrew.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.Objects;
import dev.pitcrew.cli.cluster.FleetSettings;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.KubeNode;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// How GPUs are to be divided, and how they are.
class MigRowTest {
  private static final String IN_THE_WAY =
      "{desired: half, inTheWay: [{namespace: ml, name: train, uid: u}]}";

  @Test
  void layoutThatIsInForce_isNamed() {
    MigRow row =
        row(
            gpuNode("{desired: half, actual: half}", "True", "Reconfigured", "m"),
            node("half", ""));

    assertThat(row)
        .isEqualTo(
            new MigRow(
                "a", true, "half", "half", "Applied", "2026-11-29T10:00:00Z", List.of(), "", ""));
  }

  @Test
  void whatIsThere_isCounted_whileNoLayoutIsInForce() {
    MigRow row = row(gpuNode(IN_THE_WAY, "False", "Busy", "m"), node("half", "failed"));

    assertThat(row.ok()).isFalse();
    assertThat(row.current()).isEqualTo("1g.10gb x 2, 3g.40gb x 1");
    assertThat(row.waitsFor()).containsExactly("ml/train");
    assertThat(row.message()).isEqualTo("m");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Changing             | Wait  | wait, the change is under way",
        "WaitingForPods       | Wait  | kubectl delete pod -n ml train",
        "WaitingForPods       | Evict | wait until they have ended",
        "Busy                 | Wait  | kubectl delete pod -n ml train",
        "LayoutImpossible     | Wait  | kubectl label node a --overwrite nvidia.com/mig.config=all-disabled",
        "ChangeFailed         | Wait  | kubectl gpu explain node a",
      })
  void eachReason_hasARemedy(String reason, String busy, String next) {
    List<MigRow> rows =
        MigRow.of(
            List.of(gpuNode(IN_THE_WAY, "False", reason, "m")),
            Optional.empty(),
            Optional.of(new FleetSettings(false, 300, busy)));

    assertThat(rows).singleElement().extracting(MigRow::next).asString().contains(next);
    assertThat(rows.getFirst().state()).isEqualTo(reason);
  }

  @Test
  void labelThatIsNewer_isWhatIsWanted() {
    MigRow row =
        row(gpuNode("{desired: half, actual: half}", "True", "R", "m"), node("all-1g", "success"));

    assertThat(row.ok()).isFalse();
    assertThat(row.wanted()).isEqualTo("all-1g");
    assertThat(row.state()).isEqualTo("LabelChanged");
    assertThat(row.message()).contains("asks for all-1g", "last looked at half");
  }

  /// NVIDIA's MIG manager writes labels, and no GPUNode.
  @ParameterizedTest
  @CsvSource({
    "success, Applied, true",
    "failed, failed, false",
    "pending, pending, false",
    "'', '', true",
  })
  void withoutTheAgentsFunction_theLabelsSayIt(String label, String state, boolean ok) {
    MigRow row = row(Objects.gpuNode("a 1 Mig"), node("half", label));

    assertThat(row.wanted()).isEqualTo("half");
    assertThat(row.state()).isEqualTo(state);
    assertThat(row.ok()).isEqualTo(ok);
    assertThat(row.current()).isEqualTo("whole GPUs");
  }

  /// A status is written by a node, which is not trusted.
  @Test
  void nameThatIsNone_isNoPartOfACommand() {
    String mig = "{desired: half, inTheWay: [{namespace: ml, name: 'x; curl evil', uid: u}]}";

    assertThat(row(gpuNode(mig, "False", "Busy", "m"), node("half", "")).next())
        .isEqualTo("kubectl gpu who a");
  }

  @Test
  void gpusThatCannotBeDivided_areNotListed() {
    assertThat(MigRow.of(List.of(Objects.gpuNode("a 2")), Optional.empty(), Optional.empty()))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{nvidia.com/mig-1g.10gb: '2'} | nvidia.com/mig-1g.10gb | 1",
        "{nvidia.com/gpu: '3'}         | nvidia.com/gpu         | 2",
        "{}                            | ''                     | 0",
      })
  void profile_hasTheResourceByWhichPodsAskForIt(String capacity, String resource, String free) {
    KubeNode node =
        KubeNode.of(
            Objects.json(
                """
                metadata: {name: a}
                status:
                  capacity: %1$s
                  allocatable: %1$s
                  conditions: [{type: Ready, status: 'True'}]
                """
                    .formatted(capacity)));
    String asks = resource.isEmpty() ? "nvidia.com/gpu" : resource;
    var pods = new Holdings(List.of(Objects.pod("p", "a", asks + ": 1", "")));

    List<MigProfileRow> rows =
        MigProfileRow.of(
            List.of(gpuNode("{}", "True", "R", "m")),
            Optional.of(List.of(node)),
            Optional.of(pods));

    assertThat(rows).first().isEqualTo(new MigProfileRow("a", "1g.10gb", 2, 1, resource, free));
    assertThat(rows).extracting(MigProfileRow::profile).containsExactly("1g.10gb", "3g.40gb");
  }

  @Test
  void whatMayNotBeListed_isNotKnown() {
    assertThat(
            MigProfileRow.of(
                List.of(gpuNode("{}", "True", "R", "m")), Optional.empty(), Optional.empty()))
        .extracting(MigProfileRow::free)
        .containsOnly("?");
  }

  private static MigRow row(GpuNode node, KubeNode kubeNode) {
    return MigRow.of(List.of(node), Optional.of(List.of(kubeNode)), Optional.empty()).getFirst();
  }

  private static GpuNode gpuNode(String mig, String status, String reason, String message) {
    return GpuNode.of(
        Objects.json(
            """
            metadata: {name: a}
            status:
              mig: %s
              gpus:
              - {pciAddress: '0000:01:00.0', migCapable: true, instances: [{profile: 1g.10gb}, {profile: 1g.10gb}, {profile: 3g.40gb}]}
              conditions:
              - {type: MIGConfigured, status: '%s', reason: %s, message: %s, lastTransitionTime: '2026-11-29T10:00:00Z'}
            """
                .formatted(mig, status, reason, message)));
  }

  private static KubeNode node(String layout, String state) {
    return KubeNode.of(
        Objects.json(
            """
            metadata:
              name: a
              labels: {nvidia.com/mig.config: %s, nvidia.com/mig.config.state: '%s'}
            """
                .formatted(layout, state)));
  }
}
