package dev.pitcrew.agent.dra.claims;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Claims are prepared and unprepared as NVIDIA's DRA driver did it.
class RecordedCasesTest {
  @TempDir private Path folder;

  /// @param values as many as the case has at least, so that no step is passed over
  @ParameterizedTest
  @CsvSource({
    "prepare-one, 60",
    "prepare-overlap, 100",
    "prepare-two-requests, 60",
    "config-errors, 100",
    "config-precedence, 40",
    "cp-boot, 30",
    "cp-corrupt, 6",
    "cp-empty-v1, 2",
    "cp-golden, 6",
    "timeslice, 60",
    "timeslice-admin, 20",
    "mps, 60",
    "mps-not-ready, 20",
    "mps-multiuser, 6",
    "mig-static-prepare, 150",
    "kubelet-gpu, 10",
    "kubelet-crash, 3",
    "dyn-prepare, 60",
    "dyn-config, 40",
    "dyn-ci-fails, 20",
    "dyn-restart, 8",
    "sched-partition, 20",
    "sched-extended-resource, 12",
    "shares-memory, 60",
    "sched-shares-memory, 60",
    "vfio-prepare, 60",
    "vfio-bad, 40",
  })
  void claimsArePreparedAsRecorded(String id, int values) throws IOException {
    try (var replay = new CaseReplay(id, folder)) {
      int compared = replay.play();
      System.out.printf("%s: %d values compared%n", id, compared);
      assertThat(compared).isGreaterThanOrEqualTo(values);
    }
  }
}
