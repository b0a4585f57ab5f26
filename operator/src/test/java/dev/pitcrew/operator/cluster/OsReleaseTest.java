package dev.pitcrew.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OsReleaseTest {
  @ParameterizedTest
  @CsvSource({
    "ubuntu, 22.04, ubuntu22.04",
    "rhel, 9.4, rhel9",
    "rocky, 9.6, rocky9",
    "ol, 8.10, ol8",
    "rhcos, 4.14, rhcos4.14",
    "sles, 15.5, sles15.5",
  })
  void imagesAreTaggedByVersionOrByMajorVersion(String id, String version, String tag) {
    assertThat(new OsRelease(id, version).imageTag()).isEqualTo(tag);
  }

  @Test
  void nodesAreChosenAsFinelyAsImagesAre() {
    String feature = "feature.node.kubernetes.io/system-os_release.";

    assertThat(new OsRelease("ubuntu", "22.04").nodeSelector())
        .isEqualTo(Map.of(feature + "ID", "ubuntu", feature + "VERSION_ID", "22.04"));
    assertThat(new OsRelease("rocky", "9.6").nodeSelector())
        .isEqualTo(Map.of(feature + "ID", "rocky", feature + "VERSION_ID.major", "9"));
    assertThat(new OsRelease("rhel", "9").nodeSelector())
        .isEqualTo(Map.of(feature + "ID", "rhel", feature + "VERSION_ID", "9"));
  }
}
