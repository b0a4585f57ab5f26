package dev.pitcrew.operator.render;

import dev.pitcrew.api.ProbeSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The numbers that a user gives for a probe, over ours. Zero counts as not given, as in the Go
/// types that wrote older resources.
public final class ProbeSettings {
  private ProbeSettings() {}

  public static Probe over(Probe ours, ProbeSpec given) {
    var probe = new ProbeBuilder(ours);
    ifGiven(given.initialDelaySeconds(), probe::withInitialDelaySeconds);
    ifGiven(given.timeoutSeconds(), probe::withTimeoutSeconds);
    ifGiven(given.periodSeconds(), probe::withPeriodSeconds);
    ifGiven(given.successThreshold(), probe::withSuccessThreshold);
    ifGiven(given.failureThreshold(), probe::withFailureThreshold);
    return probe.build();
  }

  private static void ifGiven(@Nullable Integer value, Consumer<Integer> field) {
    if (value != null && value != 0) {
      field.accept(value);
    }
  }
}
