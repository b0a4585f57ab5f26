package dev.pitcrew.operator.scenario;

import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;

/// A test class with one cluster and one operator for all its tests. Each test finds them as the
/// class began, since [#restore] fails the test that leaves anything behind; after a failed test
/// both are made again. See [SharedOperatorExtension].
@ExtendWith(SharedOperatorExtension.class)
@WithControlPlane
@TestInstance(Lifecycle.PER_CLASS)
interface SharedOperator {
  /// Called before each test.
  default void begin() {}

  /// Undoes what a test did, as its user would, and throws where the cluster does not come back to
  /// where the class began.
  void restore() throws IOException, InterruptedException;

  /// Empties the cluster and starts another operator.
  void renew() throws IOException, InterruptedException;

  /// Ends the operator and empties the cluster.
  void leave();

  /// Not overridden, since JUnit calls no method that overrides one with its annotation.
  @AfterAll
  default void leaveAtLast() {
    leave();
  }
}
