package dev.pitcrew.agent.status.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.validation.Check;
import dev.pitcrew.agent.validation.Component;
import dev.pitcrew.agent.validation.Validation;
import dev.pitcrew.api.node.ValidationState;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What the condition `Validated` says.
class ValidatedVerdictTest {

  @Test
  void uncheckedComponent_isNamedThoughNoCheckFailed() {
    Verdict verdict =
        verdict(
            passed(Component.DRIVER, "", "driver 580 answers"),
            passed(Component.CUDA, "NotChecked", "not checked: GPU 1: why; what to do"),
            passed(Component.PLUGIN, "", "the Node has 2"));

    assertThat(verdict.status()).isEqualTo(Verdict.TRUE);
    assertThat(verdict.message())
        .isEqualTo("these work: driver, plugin; cuda: not checked: GPU 1: why; what to do");
  }

  @Test
  void workingComponents_areNamed() {
    Verdict verdict =
        verdict(
            passed(Component.DRIVER, "", "it answers"), passed(Component.CUDA, "", "it computes"));

    assertThat(verdict.message()).isEqualTo("these work: driver, cuda");
  }

  private static Check passed(Component component, String reason, String message) {
    return new Check(component, ValidationState.PASSED, reason, message);
  }

  private static Verdict verdict(Check... table) {
    var validation =
        new Validation(Optional.empty(), List.of(), false, Optional.of(List.of(table)));
    return ValidatedVerdict.of(TestNode.well(2).withValidation(validation).facts()).orElseThrow();
  }
}
