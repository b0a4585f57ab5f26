package dev.pitcrew.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.render.Images.Source;
import dev.pitcrew.operator.testing.Policies;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImagesTest {
  private static final Images IMAGES = new Images(Map.of("DCGM_IMAGE", "from.env/dcgm:1"));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{image: 'a.io/b/c:1'}                                 | a.io/b/c:1",
        "{image: 'a.io:5000/c@sha256:0f'}                      | a.io:5000/c@sha256:0f",
        "{image: 'Mirror.Example:5000/b/c:RC_1'}               | Mirror.Example:5000/b/c:RC_1",
        "{image: 'c'}                                          | c",
        "{repository: a.io/b, image: c, version: '1'}          | a.io/b/c:1",
        "{repository: a.io/b, image: c, version: 'sha256:0f'}  | a.io/b/c@sha256:0f",
        "{}                                                    | from.env/dcgm:1",
        "{repository: '', image: '', version: ''}              | from.env/dcgm:1",
      })
  void aPathIsTakenWholeOrFromItsPartsOrFromTheEnvironment(String section, String path) {
    assertThat(IMAGES.problem(dcgm(section))).isEmpty();
    assertThat(IMAGES.path(dcgm(section))).isEqualTo(path);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{repository: a.io/b}",
        "{version: '1'}",
        "{repository: a.io/b, image: c}",
        "{repository: a.io/b, version: '1'}",
        "{image: c, version: '1'}",
      })
  void halfAnImageIsRefused(String section) {
    assertThat(IMAGES.problem(dcgm(section)).orElseThrow().message())
        .startsWith("spec.dcgm is ")
        .contains("set repository, image and version together");
  }

  @Test
  void anImageFromNowhereNamesFieldAndVariable() {
    assertThat(new Images(Map.of()).problem(dcgm("{}")).orElseThrow().message())
        .startsWith("spec.dcgm.image is empty")
        .contains("DCGM_IMAGE");
  }

  // defect 48: the pattern of the schema is not anchored.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "a.io/b c:1",
        "a.io/b:1 ",
        "https://a.io/b",
        "a.io/b:",
        "-x",
        "a.io/B/c:1",
        "a.io/b/C",
        "Driver:580",
      })
  void anImageThatIsNoneIsRefusedBeforeAPodFails(String image) {
    assertThat(IMAGES.problem(dcgm("{image: '" + image + "'}")).orElseThrow().message())
        .isEqualTo(
            "spec.dcgm is \"%s\": that is no image; give a path such as nvcr.io/nvidia/driver:580.95.05"
                .formatted(image));
  }

  @Test
  void theOperatingSystemIsAppendedUnlessADigestPins() {
    assertThat(Images.withOsTag("a.io/driver:580", "rhel9")).isEqualTo("a.io/driver:580-rhel9");
    assertThat(Images.withOsTag("a.io/driver@sha256:0f", "rhel9"))
        .isEqualTo("a.io/driver@sha256:0f");
  }

  private static Source dcgm(String section) {
    return new Source("spec.dcgm", Policies.from("dcgm: " + section).dcgm(), "DCGM_IMAGE");
  }
}
