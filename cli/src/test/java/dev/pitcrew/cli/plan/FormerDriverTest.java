package dev.pitcrew.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.cluster.DriverRevision;
import dev.pitcrew.cli.cluster.DriverSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FormerDriverTest {
  /// Images are those of the templates that a DaemonSet had, the newest last.
  @ParameterizedTest
  @CsvSource({
    "600.10.01, nv/driver:595.1-ubuntu22.04 nv/driver:600.10.01-ubuntu22.04, 595.1",
    "600.10.01, nv/driver:580.1-ubuntu22.04 nv/driver:595.1-ubuntu22.04 nv/driver:600.10.01-ubuntu22.04, 595.1",
    "600.10.01, nv/driver:600.10.01-ubuntu22.04 nv/driver:595.1-ubuntu22.04, 595.1", // rolled back
    "600, nv/driver:580-6.8.0-40-generic-ubuntu24.04 nv/driver:600-6.8.0-40-generic-ubuntu24.04, 580",
    "600.10.01, nv/driver:595.1-ubuntu20.04 nv/driver:600.10.01-ubuntu22.04, ''",
    "600.10.01, other/driver:595.1-ubuntu22.04 nv/driver:600.10.01-ubuntu22.04, ''",
    "600.10.01, nv/driver:600.10.01-ubuntu22.04, ''",
    "600.10.01, nv/driver:5%9-ubuntu22.04 nv/driver:600.10.01-ubuntu22.04, ''",
    "sha256:0123, nv/driver@sha256:0123, ''",
  })
  void former(String wanted, String images, String former) {
    var revisions = new ArrayList<DriverRevision>();
    for (String image : images.split(" ", -1)) {
      revisions.add(new DriverRevision("d", revisions.size() + 1, image));
    }
    var source = new DriverSource(true, "p", true, "", "", wanted, "nv/driver");

    assertThat(FormerDriver.versions(source, revisions))
        .isEqualTo(former.isEmpty() ? List.of() : List.of(former));
  }
}
