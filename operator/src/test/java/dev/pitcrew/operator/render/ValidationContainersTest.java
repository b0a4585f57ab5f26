package dev.pitcrew.operator.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import dev.pitcrew.operator.testing.RenderedContainer;
import org.junit.jupiter.api.Test;

/// What every init container that validates gets, in whichever operand it is.
class ValidationContainersTest {
  private static final String POLICY =
      """
      validator:
        repository: a.io
        image: validator
        version: '2'
        imagePullPolicy: Always
        imagePullSecrets: [keys]
        resources: {requests: {cpu: 7m}}
        env: [{name: ALL, value: x}]
        driver: {env: [{name: FOR_DRIVER, value: d}]}
        toolkit: {env: [{name: FOR_TOOLKIT, value: t}]}
      toolkit: {imagePullSecrets: [more, keys]}
      """;

  private final Rendered rendered = Rendered.of(POLICY, Facts.oneNode());

  @Test
  void validationContainers_runTheValidatorsImageAsRoot() {
    var waiting = container("nvidia-dcgm", "toolkit-validation");

    assertThat(waiting.image()).isEqualTo("a.io/validator:2");
    assertThat(waiting.pullPolicy()).isEqualTo("Always");
    assertThat(waiting.user()).isZero();
    assertThat(waiting.requests()).containsExactly(entry("cpu", "7m"));
  }

  @Test
  void thoseOfDriverAndToolkitGetTheirOwnVariables() {
    assertThat(container("nvidia-dcgm", "toolkit-validation").env())
        .containsEntry("FOR_TOOLKIT", "t")
        .doesNotContainKeys("FOR_DRIVER", "ALL");
    assertThat(container("nvidia-container-toolkit-daemonset", "driver-validation").env())
        .containsEntry("FOR_DRIVER", "d")
        .doesNotContainKey("FOR_TOOLKIT");
  }

  @Test
  void thePodGetsThePullSecretsOfBothWithoutRepeatingOne() {
    assertThat(rendered.daemonSet("nvidia-container-toolkit-daemonset").pullSecrets())
        .containsExactly("keys", "more");
    assertThat(rendered.daemonSet("nvidia-dcgm").pullSecrets()).containsExactly("keys");
  }

  @Test
  void theOperandsOwnContainerIsNotTouched() {
    var main = rendered.daemonSet("nvidia-dcgm").main();

    assertThat(main.image()).isEqualTo("example.com/dcgm:1");
    assertThat(main.requests()).isEmpty();
    assertThat(main.user()).isEqualTo(-1);
  }

  private RenderedContainer container(String daemonSet, String name) {
    return rendered.daemonSet(daemonSet).container(name);
  }
}
