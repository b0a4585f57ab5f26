package dev.pitcrew.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.api.node.AgentDocument;
import org.junit.jupiter.api.Test;

/// The contract between operator and agent.
class AgentDocumentTest {
  private static final String TEXT =
      """
      {"apiVersion":"pitcrew.dev/v1alpha1","functions":["labels","teleport"],\
      "clusterPolicy":{"devicePlugin":{"enabled":false},"dcgm":{"enabled":"of a later version"}},\
      "fleet":{"name":"of a later version"}}\
      """;

  @Test
  void fieldOfALaterVersion_isKept() {
    assertThat(ApiJson.write(ApiJson.read(TEXT, AgentDocument.class))).isEqualTo(TEXT);
  }

  @Test
  void missingField_isAbsent() {
    var document = ApiJson.read("{\"apiVersion\": \"v\"}", AgentDocument.class);

    assertThat(document.functions()).isEmpty();
    assertThat(document.clusterPolicy().isAbsent()).isTrue();
    assertThat(document.clusterPolicy().devicePlugin().isEnabled()).isTrue();
  }
}
