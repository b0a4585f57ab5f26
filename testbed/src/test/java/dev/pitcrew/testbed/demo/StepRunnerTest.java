package dev.pitcrew.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.testbed.TestbedException;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class StepRunnerTest {
  private final StringWriter printed = new StringWriter();
  private final Screen screen = new Screen(new PrintWriter(printed), false);

  @Test
  void aStepThatHoldsGivesItsResultAndItsChecks() {
    var runner = new StepRunner(screen, true);

    assertThat(runner.play(new Counting(3, 3))).isEqualTo(3);
    assertThat(printed.toString()).contains("1  Counting", "checks that hold: 1 of 1");
    assertThat(runner.summary()).isEqualTo("1 step, checks that hold: 1 of 1");
  }

  @Test
  void aFailedCheckEndsTheStrictRun() {
    var runner = new StepRunner(screen, true);

    assertThatThrownBy(() -> runner.play(new Counting(3, 2)))
        .isInstanceOf(TestbedException.class)
        .hasMessage("step 1 (Counting): 1 check failed");
    assertThat(printed.toString())
        .contains("FAILED: nodes: expected 3, found 2. Look at the nodes.");
  }

  @Test
  void failedCheckThatDoesNotEndTheRun_isReported() {
    var runner = new StepRunner(screen, false);

    assertThat(runner.play(new Counting(3, 2))).isEqualTo(2);
    assertThat(printed.toString()).contains("FAILED: nodes");
    assertThat(runner.summary()).isEqualTo("1 step, checks that hold: 0 of 1");
  }

  private record Counting(int expected, int actual) implements Step<Integer> {
    @Override
    public String title() {
      return "Counting";
    }

    @Override
    public Integer play(Checks checks) {
      checks.equal("nodes", expected, actual, "Look at the nodes.");
      return actual;
    }
  }
}
