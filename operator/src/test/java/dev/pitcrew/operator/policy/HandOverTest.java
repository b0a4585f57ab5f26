package dev.pitcrew.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which DaemonSets go while their pods stay, whatever an operator before has done of it.
class HandOverTest {
  private static final String DELETED = "2026-11-23T04:00:00Z";

  @ParameterizedTest
  @CsvSource({
    // useNvidiaDriverCRD, name, held, deleted, what becomes of it
    "true,  nvidia-driver-daemonset,             false, false, leaving",
    "true,  nvidia-driver-daemonset-ubuntu24.04, true,  false, leaving",
    "true,  nvidia-driver-daemonset-ubuntu24.04, true,  true,  leaving",
    "true,  nvidia-driver-daemonset,             false, true,  stays",
    "true,  nvidia-device-plugin-daemonset,      false, false, stays",
    "false, nvidia-driver-daemonset,             false, false, stays",
    "false, nvidia-driver-daemonset,             true,  false, released",
    "false, nvidia-driver-daemonset,             true,  true,  leaving",
    "false, nvidia-driver-daemonset,             false, true,  stays",
  })
  void begunHandOver_isFinished(
      boolean leftToDrivers, String name, boolean held, boolean deleted, String fate) {
    var plan =
        Rendered.of("driver: {useNvidiaDriverCRD: " + leftToDrivers + "}", Facts.oneNode()).plan();
    DaemonSet daemonSet = daemonSet(name, held, deleted ? DELETED : null);

    var handOver = HandOver.of(plan, List.of(daemonSet));

    assertThat(handOver.leaving().contains(daemonSet)).isEqualTo(fate.equals("leaving"));
    assertThat(handOver.released().contains(daemonSet)).isEqualTo(fate.equals("released"));
  }

  @ParameterizedTest
  @CsvSource({
    "false, false, stays",
    "false, true,  stays",
    "true,  false, released",
    "true,  true,  leaving",
  })
  void begunHandOver_isFinishedWithoutAPolicyToo(boolean held, boolean deleted, String fate) {
    DaemonSet daemonSet = daemonSet("nvidia-driver-daemonset", held, deleted ? DELETED : null);

    var handOver = HandOver.begun(List.of(daemonSet));

    assertThat(handOver.leaving().contains(daemonSet)).isEqualTo(fate.equals("leaving"));
    assertThat(handOver.released().contains(daemonSet)).isEqualTo(fate.equals("released"));
  }

  private static DaemonSet daemonSet(String name, boolean held, @Nullable String deleted) {
    return new DaemonSetBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("gpu-operator")
        .withFinalizers(held ? List.of(HandOver.FINALIZER, "example.com/other") : List.of())
        .withDeletionTimestamp(deleted)
        .endMetadata()
        .build();
  }
}
