package dev.pitcrew.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Whatever a schema allows goes through the records without losing or changing a value.
class RoundTripTest {

  static Stream<Arguments> samples() {
    return Definitions.all()
        .flatMap(definition ->
            Stream.of(Samples.values())
                .map(sample ->
                    Arguments.of(
                        Definitions.kind(definition), sample, sample.document(definition))));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("samples")
  void everyFieldOfTheSchemaComesBack(String kind, Samples sample, ObjectNode document) {
    var read = ApiJson.read(document, Definitions.recordOf(kind));

    assertThat(reparsed(read)).isEqualTo(reparsed(document));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("samples")
  void everyFieldOfTheSchemaHasAComponent(String kind, Samples sample, ObjectNode document) {
    assertThat(unknownFields(kind, ApiJson.read(document, Definitions.recordOf(kind)))).isEmpty();
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("samples")
  void fieldsOfLaterVersionsComeBackAtEveryDepth(String kind, Samples sample, ObjectNode document) {
    addLaterFields(document);

    var read = ApiJson.read(document, Definitions.recordOf(kind));

    assertThat(reparsed(read)).isEqualTo(reparsed(document));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'spec':{}}",
        "{'spec':{'driver':{},'toolkit':{},'operator':{'metrics':{'serviceMonitor':{}}}},'status':{}}",
        "{'spec':{'driver':{'enabled':false,'version':'','args':[],'env':[{'name':'A'}]}}}",
        "{'spec':{'driver':{'resources':{'limits':{'cpu':2,'memory':'1Gi'}}}}}",
        "{'spec':{'daemonsets':{'labels':{'b':'2','a':'1'},'podSecurityContext':{'runAsUser':0}}}}"
      })
  void fieldThatADocumentLeavesOut_isNotAdded(String json) {
    var document = ApiJson.read(json.replace('\'', '"'), JsonNode.class);

    var read = ApiJson.read(document, Definitions.recordOf("ClusterPolicy"));

    assertThat(reparsed(read)).isEqualTo(document);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "operand-tuning",
        "gpucluster-and-policy",
        "nvidiadriver-two-pools",
        "sandbox-three-workloads",
        "rdma-gds-gdrcopy",
        "invalid-missing-section"
      })
  void recordedUserDocumentsComeBack(String scenario) {
    var documents = Definitions.documents(Definitions.resource("/scenarios/" + scenario + ".yaml"));

    assertThat(documents)
        .isNotEmpty()
        .allSatisfy(document -> {
          var kind = document.path("kind").textValue();
          var read = ApiJson.read(document, Definitions.recordOf(kind));
          assertThat(reparsed(read)).isEqualTo(reparsed(document));
          assertThat(unknownFields(kind, read)).isEmpty();
        });
  }

  /// Through text, since a tree distinguishes an int from a long of the same value.
  private static JsonNode reparsed(Object value) {
    return ApiJson.read(ApiJson.write(value), JsonNode.class);
  }

  private static void addLaterFields(JsonNode node) {
    node.forEach(RoundTripTest::addLaterFields);
    if (node instanceof ObjectNode object && !isMap(object)) {
      object.putObject("laterObject").putArray("values").add(1).addNull();
      object.put("laterText", "");
    }
  }

  /// Maps hold values of one type: the samples' maps have one of two known keys, or nothing.
  private static boolean isMap(ObjectNode object) {
    return object.has("zeta") || object.isEmpty();
  }

  private static List<String> unknownFields(String path, @Nullable Object value) {
    return switch (value) {
      case Section section ->
          Stream.concat(
                  section.unknown().keySet().stream().map(name -> path + "." + name),
                  Stream.of(section.getClass().getRecordComponents())
                      .flatMap(
                          c -> unknownFields(path + "." + c.getName(), read(section, c)).stream()))
              .toList();
      case Collection<?> items ->
          items.stream().flatMap(i -> unknownFields(path + "[]", i).stream()).toList();
      case Map<?, ?> map -> unknownFields(path + "{}", map.values());
      case null, default -> List.of();
    };
  }

  private static @Nullable Object read(Section section, RecordComponent component) {
    try {
      return component.getAccessor().invoke(section);
    } catch (ReflectiveOperationException broken) {
      throw new LinkageError(component.getName(), broken);
    }
  }
}
