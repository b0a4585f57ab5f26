package dev.pitcrew.kube.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.core.Backoff;
import dev.pitcrew.core.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScheduleTest {

  private static final Duration START = Duration.ofHours(1);

  /// Always draws the largest delay, so that back-off is its ceiling.
  private static final RandomGenerator LARGEST =
      new RandomGenerator() {
        @Override
        public long nextLong() {
          return 0;
        }

        @Override
        public long nextLong(long bound) {
          return bound - 1;
        }
      };

  private final List<String> measured = new ArrayList<>();
  private final Schedule<String> schedule = new Schedule<>(options());

  /// One step a word: `+a` adds a, `+a@5` adds it after 5 s, `=a` or `=-` takes and expects a or
  /// nothing, `done:a`, `blocked:a`, `failed:a`, `wait5:a` end a, and a number sets the clock to
  /// that second.
  @ParameterizedTest
  @CsvSource({
    "keys come in the order in which they were added,   +a +b =a =b =-",
    "a key added twice comes once,                      +a +a =a =-",
    "a key in work is not handed out again,             +a =a +a =- done:a =a done:a =-",
    "many additions while in work count as one,         +a =a +a +a +a done:a =a done:a =-",
    "a later key overtakes a key in work,               +a =a +a +b =b done:a =a",
    "a done key stays away,                             +a =a done:a 1000 =-",
    "a blocked key stays away,                          +a =a blocked:a 1000 =-",
    "a waiting key comes back in time,                  +a =a wait5:a 4 =- 5 =a",
    "an event ends the wait,                            +a =a wait5:a 1 +a =a done:a 5 =-",
    "an event in work beats the wait,                   +a =a +a wait5:a =a done:a 5 =-",
    "a key added for later comes later,                 +a@5 4 =- 5 =a",
    "the earlier of two moments counts,                 +a@5 +a@3 3 =a done:a 5 =-",
    "the earlier moment is not put off,                 +a@3 +a@5 3 =a done:a 5 =-",
    "a due key needs no moment,                         +a +a@5 =a done:a 5 =-",
    "a moment set in work outlives the work,            +a =a +a@5 done:a 5 =a",
    "a failed key comes back after a back-off,          +a =a failed:a =- 1 =a",
    "the back-off doubles,                              +a =a failed:a 1 =a failed:a 2 =- 3 =a failed:a 6 =- 7 =a",
    "the back-off has a cap,                            +a =a failed:a 1 =a failed:a 3 =a failed:a 7 =a failed:a 14 =- 15 =a failed:a 22 =- 23 =a",
    "success resets the back-off,                       +a =a failed:a 1 =a failed:a 3 =a done:a +a =a failed:a 4 =a",
    "a wait resets the back-off,                        +a =a failed:a 1 =a failed:a 3 =a wait1:a 4 =a failed:a 5 =a",
    "an event ends the back-off,                        +a =a failed:a +a =a done:a 1 =-",
    "waiting keys come in the order of their moments,   +a@5 +b@3 9 =b =a",
  })
  void keysAreDueWhenTheyShouldBe(String rule, String steps) {
    Duration now = START;
    for (String step : steps.split(" ", -1)) {
      if (Character.isDigit(step.charAt(0))) {
        now = START.plusSeconds(Long.parseLong(step));
      } else if (step.startsWith("=")) {
        assertThat(schedule.take(now))
            .as(rule)
            .isEqualTo(Optional.of(step.substring(1)).filter(key -> !key.equals("-")));
      } else {
        carryOut(step, now);
      }
    }
  }

  @Test
  void theNextWakeIsTheEarliestMoment() {
    assertThat(schedule.nextWake()).isEmpty();
    schedule.addAt("a", START.plusSeconds(5));
    schedule.addAt("b", START.plusSeconds(3));
    assertThat(schedule.nextWake()).contains(START.plusSeconds(3));
  }

  @Test
  void depthLatencyAndRetriesAreMeasured() {
    schedule.add("a", START);
    schedule.take(START.plusSeconds(2));
    schedule.end("a", Outcome.failed(new IllegalStateException()), START.plusSeconds(2));
    assertThat(measured).containsExactly("depth 1", "depth 0", "waited PT2S", "retried");
  }

  private void carryOut(String step, Duration now) {
    if (step.startsWith("+")) {
      String[] parts = step.substring(1).split("@", -1);
      if (parts.length == 1) {
        schedule.add(parts[0], now);
      } else {
        schedule.addAt(parts[0], now.plusSeconds(Long.parseLong(parts[1])));
      }
    } else {
      String[] parts = step.split(":", -1);
      schedule.end(parts[1], outcome(parts[0]), now);
    }
  }

  private static Outcome outcome(String word) {
    return switch (word) {
      case "done" -> Outcome.done();
      case "blocked" -> Outcome.blocked("Reason", "message");
      case "failed" -> Outcome.failed(new IllegalStateException());
      default ->
          Outcome.wait(Duration.ofSeconds(Long.parseLong(word.substring("wait".length()))), "test");
    };
  }

  private QueueOptions options() {
    return QueueOptions.named("test", 1)
        .backingOff(new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(8)), LARGEST)
        .measuredBy(
            new QueueMetrics() {
              @Override
              public void depth(int keys) {
                measured.add("depth " + keys);
              }

              @Override
              public void waited(Duration latency) {
                measured.add("waited " + latency);
              }

              @Override
              public void retried() {
                measured.add("retried");
              }
            });
  }
}
