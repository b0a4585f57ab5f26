package dev.pitcrew.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Our definitions of the reference's resources against the facts about the reference's own.
class ContractTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nvidia.com_clusterpolicies",
        "nvidia.com_nvidiadrivers",
        "nvidia.com_gpuclusters",
        "resource.nvidia.com_computedomains",
        "resource.nvidia.com_computedomaincliques"
      })
  void theSchemaIsTheReferencesAndNothingElse(String name) {
    var definition = Definitions.definition(name + ".yaml");
    var contract = contract(name.substring(name.indexOf('_') + 1));

    var expected = new TreeMap<String, JsonNode>();
    contract
        .at("/versions/0/schema")
        .properties()
        .forEach(e -> expected.put(e.getKey(), e.getValue()));
    assertThat(SchemaFacts.of(Definitions.schema(definition)))
        .containsExactlyInAnyOrderEntriesOf(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nvidia.com_clusterpolicies",
        "nvidia.com_nvidiadrivers",
        "nvidia.com_gpuclusters",
        "resource.nvidia.com_computedomains",
        "resource.nvidia.com_computedomaincliques"
      })
  void namesScopeColumnsAndSubresourcesAreTheReferences(String name) {
    var definition = Definitions.definition(name + ".yaml");
    var contract = contract(name.substring(name.indexOf('_') + 1));

    assertThat(definition.at("/metadata/name")).isEqualTo(contract.path("name"));
    for (var field : new String[] {"group", "names", "scope"}) {
      assertThat(definition.path("spec").path(field)).as(field).isEqualTo(contract.path(field));
    }
    assertThat(definition.at("/spec/versions")).hasSize(contract.path("versions").size());
    assertThat(versionFacts(definition.at("/spec/versions/0")))
        .isEqualTo(versionFactsOfContract(contract.at("/versions/0")));
  }

  private static JsonNode versionFacts(JsonNode version) {
    var facts = JsonNodeFactory.instance.objectNode();
    version
        .properties()
        .forEach(e -> {
          if (!e.getKey().equals("schema")) {
            facts.set(e.getKey(), e.getValue());
          }
        });
    return facts;
  }

  private static JsonNode versionFactsOfContract(JsonNode version) {
    var facts = versionFacts(version).<ObjectNode>deepCopy();
    var columns = facts.remove("columns");
    if (!columns.isEmpty()) {
      facts.set("additionalPrinterColumns", columns);
    }
    if (facts.path("subresources").isEmpty()) {
      facts.remove("subresources");
    }
    return facts;
  }

  private static JsonNode contract(String plural) {
    return ApiJson.read(Definitions.resource("/contract/" + plural + ".json"), JsonNode.class);
  }
}
