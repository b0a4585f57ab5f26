package dev.pitcrew.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DefinitionsTest {

  static List<String> files() {
    return Crds.files();
  }

  @ParameterizedTest
  @MethodSource("files")
  void everyFileIsNamedAsItsDefinition(String file) {
    var definition = Definitions.definition(file);

    assertThat(file)
        .isEqualTo(
            "%s_%s.yaml",
            definition.at("/spec/group").textValue(),
            definition.at("/spec/names/plural").textValue());
    assertThat(definition.at("/metadata/name").textValue())
        .isEqualTo(
            definition.at("/spec/names/plural").textValue()
                + "."
                + definition.at("/spec/group").textValue());
  }

  @ParameterizedTest
  @MethodSource("files")
  void everyFieldIsDescribed(String file) {
    assertThat(undescribed("", Definitions.schema(Definitions.definition(file)))).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("files")
  void everyRuleSaysWhatIsWrong(String file) {
    var rules =
        Definitions.definition(file).findValues("x-kubernetes-validations").stream()
            .flatMap(JsonNode::valueStream);

    assertThat(rules).allSatisfy(rule -> assertThat(rule.path("message").asText()).isNotBlank());
  }

  @Test
  void anUnknownFileIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Crds.yaml("../secret"))
        .withMessageContaining("no definition ../secret");
  }

  private static List<String> undescribed(String path, JsonNode schema) {
    var found = new ArrayList<String>();
    for (var field : schema.path("properties").properties()) {
      var name = path + "." + field.getKey();
      if (field.getValue().path("description").asText().isBlank()) {
        found.add(name);
      }
      found.addAll(undescribed(name, field.getValue()));
    }
    if (schema.has("items")) {
      found.addAll(undescribed(path + "[]", schema.path("items")));
    }
    if (schema.has("additionalProperties")) {
      found.addAll(undescribed(path + "{}", schema.path("additionalProperties")));
    }
    return found;
  }
}
