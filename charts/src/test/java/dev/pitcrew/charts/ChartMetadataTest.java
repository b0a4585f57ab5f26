package dev.pitcrew.charts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/// What catalogues of charts, such as Artifact Hub, show of the chart.
class ChartMetadataTest {
  private static final String ICON = "data:image/svg+xml;base64,";
  private static final JsonNode CHART = Yaml.document(Path.of("pitcrew/Chart.yaml"));

  @Test
  void everyDefinitionIsListedWithItsServedVersion() throws IOException {
    var definitions = new TreeMap<String, List<String>>();
    try (var files = Files.list(Path.of("pitcrew/crds"))) {
      files
          .map(Yaml::document)
          .forEach(crd ->
              definitions.put(
                  crd.at("/metadata/name").asText(),
                  List.of(
                      crd.at("/spec/names/kind").asText(),
                      crd.at("/spec/versions/0/name").asText())));
    }

    assertThat(listed()).isEqualTo(definitions);
  }

  private static Map<String, List<String>> listed() {
    var listed = new TreeMap<String, List<String>>();
    var text = "crds:\n" + CHART.path("annotations").path("artifacthub.io/crds").asText();
    StreamSupport.stream(Yaml.documents(text).getFirst().path("crds").spliterator(), false)
        .forEach(crd -> {
          assertThat(crd.path("displayName").asText()).isNotBlank();
          assertThat(crd.path("description").asText()).isNotBlank();
          listed.put(
              crd.path("name").asText(),
              List.of(crd.path("kind").asText(), crd.path("version").asText()));
        });
    return listed;
  }

  @Test
  void theIconIsAnImageInTheFileItself() {
    var icon = CHART.path("icon").asText();

    assertThat(icon).startsWith(ICON);
    assertThat(
            new String(
                Base64.getDecoder().decode(icon.substring(ICON.length())), StandardCharsets.UTF_8))
        .startsWith("<svg xmlns=")
        .endsWith("</svg>");
  }

  /// No site, no maintainers and no registry that do not exist.
  @Test
  void namesNothingThatCannotBeReached() {
    assertThat(CHART.has("home")).isFalse();
    assertThat(CHART.has("sources")).isFalse();
    assertThat(CHART.has("maintainers")).isFalse();
  }
}
