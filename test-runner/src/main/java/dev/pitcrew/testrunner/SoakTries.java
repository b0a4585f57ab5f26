package dev.pitcrew.testrunner;

import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/// Tries each property ten times as often in a soak, which the system property `pitcrew.soak` says
/// it is. jqwik finds this class by its service file.
public final class SoakTries implements AroundPropertyHook {
  private static final boolean IS_ON = Boolean.getBoolean("pitcrew.soak");
  private static final int FACTOR = 10;

  /// What jqwik tries where a property does not say how often.
  private static final int DEFAULT_TRIES = 1000;

  @Override
  public PropertyExecutionResult aroundProperty(
      PropertyLifecycleContext context, PropertyExecutor property) {
    if (IS_ON) {
      int usual = context.attributes().tries().orElse(DEFAULT_TRIES);
      context.attributes().setTries(usual * FACTOR);
      System.out.printf(
          "%s%s.%s: %d tries instead of %d%n",
          Report.SOAK_LINE,
          context.containerClass().getName(),
          context.targetMethod().getName(),
          usual * FACTOR,
          usual);
    }
    return property.execute();
  }

  @Override
  public PropagationMode propagateTo() {
    return PropagationMode.ALL_DESCENDANTS;
  }
}
