package dev.pitcrew.testrunner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testrunner.Job.Command;
import dev.pitcrew.testrunner.Job.TestClass;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JobQueueTest {
  private static final TestModule AGENT = new TestModule("agent", Path.of("/agent"));
  private static final TestModule OPERATOR = new TestModule("operator", Path.of("/operator"));
  private static final TestClass SHORT = new TestClass(AGENT, "dev.pitcrew.agent.ShortTest");
  private static final TestClass LONG = new TestClass(AGENT, "dev.pitcrew.agent.LongTest");
  private static final TestClass LONGER =
      new TestClass(OPERATOR, "dev.pitcrew.operator.LongerTest");
  private static final TestClass LONGEST =
      new TestClass(OPERATOR, "dev.pitcrew.operator.LongestTest");
  private static final Command PARITY = new Command("parity", List.of(), Path.of("/"));
  private static final Weights WEIGHTS =
      new Weights(
          Map.of(
              "agent ShortTest", 2.0,
              "agent LongTest", 10.0,
              "operator LongerTest", 11.0,
              "operator LongestTest", 30.0));

  @Test
  void laneWithModuleOpen_takesItsLongestClass() {
    var queue = new JobQueue(List.of(SHORT, LONG, LONGEST), WEIGHTS);

    assertThat(queue.next(Optional.of(AGENT))).contains(LONG);
    assertThat(queue.next(Optional.of(AGENT))).contains(SHORT);
    assertThat(queue.next(Optional.of(AGENT))).contains(LONGEST);
    assertThat(queue.next(Optional.of(OPERATOR))).isEmpty();
  }

  @Test
  void laneWithoutModule_takesCommandsFirst() {
    var queue = new JobQueue(List.of(LONGEST, PARITY), WEIGHTS);

    assertThat(queue.next(Optional.empty())).contains(PARITY);
    assertThat(queue.next(Optional.empty())).contains(LONGEST);
  }

  @Test
  void secondLane_opensTheModuleWithMostWorkForEachLane() {
    var queue = new JobQueue(List.of(SHORT, LONG, LONGER, LONGEST), WEIGHTS);

    assertThat(queue.next(Optional.empty())).contains(LONGEST);
    // 11 s of the operator's would be shared by two lanes; 12 s of the agent's have none.
    assertThat(queue.next(Optional.empty())).contains(LONG);
  }

  @Test
  void unknownClasses_areTakenLast() {
    var unknown = new TestClass(AGENT, "dev.pitcrew.agent.UnknownTest");
    var queue = new JobQueue(List.of(unknown, SHORT), WEIGHTS);

    assertThat(queue.next(Optional.of(AGENT))).contains(SHORT);
    assertThat(queue.next(Optional.of(AGENT))).contains(unknown);
  }
}
