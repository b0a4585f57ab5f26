package dev.pitcrew.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.testing.RenderedContainer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContainerDraftTest {
  private final ContainerDraft draft = new ContainerDraft("c");

  @Test
  void aVariableSetAgainKeepsItsPlaceAndTakesTheLastValue() {
    draft.env("A", "1").env("B", "2").env("A", "3");

    assertThat(built().variables()).containsExactly("A", "B");
    assertThat(built().env("A")).isEqualTo("3");
  }

  // defect 55: value and valueFrom together are an invalid object.
  @Test
  void aValueReplacesAReferenceToAField() {
    draft.envFromField("NODE_NAME", "spec.nodeName").env("NODE_NAME", "fixed");

    assertThat(built().env("NODE_NAME")).isEqualTo("fixed");
    assertThat(draft.build().getEnv().getFirst().getValueFrom()).isNull();
  }

  @Test
  void aPathIsMountedOnce() {
    draft.mount("one", "/data").mountReadOnly("two", "/data");

    assertThat(built().mounts()).containsExactly(Map.entry("/data", "two ro"));
  }

  @ParameterizedTest
  @CsvSource({
    "Always, Always",
    "Never, Never",
    "IfNotPresent, IfNotPresent",
    "often, IfNotPresent"
  })
  void aPolicyThatIsNoneMeansIfNotPresent(String given, String pulled) {
    assertThat(new RenderedContainer(draft.pullPolicy(given).build()).pullPolicy())
        .isEqualTo(pulled);
  }

  @Test
  void noPolicyKeepsTheOneOfTheShape() {
    draft.pullPolicy("Always").pullPolicy("").pullPolicy(null);

    assertThat(built().pullPolicy()).isEqualTo("Always");
  }

  @Test
  void argumentsOfTheUserReplaceOursAndNoneLeavesThem() {
    draft.args("ours").argsIfAny(List.of());
    assertThat(draft.args()).containsExactly("ours");

    draft.argsIfAny(List.of("a", "b"));
    assertThat(draft.args()).containsExactly("a", "b");
  }

  private RenderedContainer built() {
    return new RenderedContainer(draft.build());
  }
}
