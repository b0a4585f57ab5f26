package dev.pitcrew.agent.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class ControllerLoopTest {
  private final StateStore<State> store =
      new StateStore<>(() -> new State(Optional.empty(), 0), it -> it);

  private final List<String> inputs = new CopyOnWriteArrayList<>();

  private record State(Optional<String> input, int other) {
    State with(String value) {
      return new State(Optional.of(value), other);
    }

    State without() {
      return new State(Optional.empty(), other);
    }

    State next() {
      return new State(input, other + 1);
    }
  }

  @Test
  void aControllerReconcilesWhenItsInputChanges() {
    try (var _ = start()) {
      store.update(now -> now.with("a"));
      await().until(() -> inputs.equals(List.of("a")));

      store.update(now -> now.with("b"));
      await().until(() -> inputs.equals(List.of("a", "b")));
    }
  }

  @Test
  void aChangeOfAnythingElseDoesNotWakeAController() {
    try (var _ = start()) {
      store.update(now -> now.with("a"));
      await().until(() -> inputs.size() == 1);

      for (int i = 0; i < 100; i++) {
        store.update(State::next);
      }
      store.update(now -> now.with("b"));

      await().until(() -> inputs.contains("b"));
      assertThat(inputs).containsExactly("a", "b");
    }
  }

  @Test
  void aControllerWithoutInputIsNotCalled() {
    store.update(now -> now.with("a"));
    try (var _ = start()) {
      await().until(() -> inputs.size() == 1);
      store.update(State::without);
      store.update(now -> now.with("b"));

      await().until(() -> inputs.contains("b"));
      assertThat(inputs).containsExactly("a", "b");
    }
  }

  /// A driver that was unloaded and loaded again is the same, and its files are not.
  @Test
  void anInputThatWasAwayReconcilesAgain() {
    store.update(now -> now.with("a"));
    try (var _ = start()) {
      await().until(() -> inputs.size() == 1);
      store.update(State::without);
      store.update(now -> now.with("a"));

      await().until(() -> inputs.equals(List.of("a", "a")));
    }
  }

  @Test
  void aControllerIsWokenWithTheSameInput() {
    store.update(now -> now.with("a"));
    try (var loop = start()) {
      await().until(() -> inputs.size() == 1);
      loop.wake();

      await().until(() -> inputs.equals(List.of("a", "a")));
    }
  }

  /// Values of the cluster and of devices are in the state: one that a projection fails on is no
  /// reason for the others to stop, nor for the watch that reports it.
  @Test
  void aProjectionThatFailsStopsNoOtherController() {
    var others = new CopyOnWriteArrayList<Integer>();
    try (var _ = start(state -> state.input().map(ControllerLoopTest::notBad));
        var _ =
            ControllerLoop.start(
                "other",
                store,
                state -> Optional.of(state.other()),
                input -> {
                  others.add(input);
                  return Controller.RESYNC;
                })) {
      store.update(now -> now.with("a"));
      await().until(() -> inputs.equals(List.of("a")));

      store.update(now -> now.with("bad").next());
      await().until(() -> others.contains(1));
      assertThat(inputs).as("what was known stays").containsExactly("a");

      store.update(now -> now.with("c"));
      await().until(() -> inputs.equals(List.of("a", "c")));
    }
  }

  @Test
  void aProjectionThatFailsAtFirstIsTriedAtTheNextUpdate() {
    store.update(now -> now.with("bad"));
    try (var _ = start(state -> state.input().map(ControllerLoopTest::notBad))) {
      store.update(now -> now.with("a"));
      await().until(() -> inputs.equals(List.of("a")));
    }
  }

  private static String notBad(String value) {
    if (value.equals("bad")) {
      throw new IllegalArgumentException(value);
    }
    return value;
  }

  @Test
  void busyController_reconcilesTheLastInputOfABurst() throws InterruptedException {
    var running = new Semaphore(0);
    var mayEnd = new Semaphore(0);
    store.update(now -> now.with("first"));
    try (var _ =
        ControllerLoop.start(
            "test",
            store,
            State::input,
            input -> {
              running.release();
              mayEnd.acquire();
              inputs.add(input);
              return Controller.RESYNC;
            })) {
      running.acquire();
      for (int i = 0; i <= 9; i++) {
        String value = String.valueOf(i);
        store.update(now -> now.with(value));
      }
      mayEnd.release(2);

      await().until(() -> inputs.equals(List.of("first", "9")));
    }
  }

  @Test
  void aControllerIsCalledAgainWhenItAsksForIt() {
    store.update(now -> now.with("a"));
    try (var _ =
        ControllerLoop.start(
            "test",
            store,
            State::input,
            input -> {
              inputs.add(input);
              return inputs.size() < 3 ? Duration.ofMillis(1) : Controller.RESYNC;
            })) {
      await().until(() -> inputs.equals(List.of("a", "a", "a")));
    }
  }

  private ControllerLoop start() {
    return start(State::input);
  }

  private ControllerLoop start(Function<State, Optional<String>> projection) {
    return ControllerLoop.start(
        "test",
        store,
        projection,
        input -> {
          inputs.add(input);
          return Controller.RESYNC;
        });
  }
}
