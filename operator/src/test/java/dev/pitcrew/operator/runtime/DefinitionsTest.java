package dev.pitcrew.operator.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.api.Crds;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DefinitionsTest {
  @Test
  void ourOwnDefinitionLacksNothing() {
    assertThat(missing(policies())).isEmpty();
    assertThat(missing(gpuNodes())).isEmpty();
  }

  @Test
  void theListOfFieldsIsThatOfTheDefinition() {
    var definition =
        new KubernetesSerialization().unmarshal(policies(), GenericKubernetesResource.class);

    assertThat(Crds.policyFields())
        .as("api/src/main/resources/crds/nvidia.com_clusterpolicies.fields")
        .containsExactlyElementsOf(
            Definitions.fields(definition.getAdditionalProperties(), "spec"));
  }

  @Test
  void fieldsOfAnOlderDefinitionAreNamedWithThoseBelowThem() {
    var older = policies().replace("hostPaths:", "formerPaths:");
    assertThat(missing(older))
        .containsExactly(
            "spec.hostPaths",
            "spec.hostPaths.driverInstallDir",
            "spec.hostPaths.kubeletRootDir",
            "spec.hostPaths.rootFS");
  }

  @Test
  void sectionsOfAStatusThatAnOlderDefinitionLacksAreNamed() {
    assertThat(missing(gpuNodes().replaceFirst("\n( +)agent:\n", "\n$1former:\n")))
        .containsExactly("status.agent");
  }

  @Test
  void aDefinitionThatIsNotInstalledIsNotOutdated() {
    assertThat(Definitions.missingFields(Optional.empty())).isEmpty();
  }

  @Test
  void theSchemaIsNotKept() {
    assertThat(slim(policies()).getAdditionalProperties()).doesNotContainKey("spec");
  }

  private static Set<String> missing(String yaml) {
    return Definitions.missingFields(Optional.of(slim(yaml)));
  }

  private static GenericKubernetesResource slim(String yaml) {
    return Definitions.slim(
        new KubernetesSerialization().unmarshal(yaml, GenericKubernetesResource.class));
  }

  private static String gpuNodes() {
    return Crds.yaml("pitcrew.dev_gpunodes.yaml");
  }

  private static String policies() {
    return Crds.yaml("nvidia.com_clusterpolicies.yaml");
  }
}
