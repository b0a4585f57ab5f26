package dev.pitcrew.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What can be configured for every operand: its image, and how its main container runs.
public interface OperandSpec extends ImageSpec {

  /// The switch as the user set it; [#isEnabled()] is what it means.
  @Nullable Boolean enabled();

  /// Arguments of the operand's main container.
  List<String> args();

  /// Variables that are set over the operand's own.
  List<EnvVar> env();

  /// Compute resources; absent also for operands whose section has none.
  default Resources resources() {
    return Resources.ABSENT;
  }

  /// Whether the pod uses the host's network; absent also for operands whose section has no such
  /// field.
  default @Nullable Boolean hostNetwork() {
    return null;
  }

  /// Whether the operand is wanted.
  default boolean isEnabled() {
    return Boolean.TRUE.equals(enabled());
  }
}
