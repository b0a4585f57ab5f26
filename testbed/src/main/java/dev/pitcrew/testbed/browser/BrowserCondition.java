package dev.pitcrew.testbed.browser;

import dev.pitcrew.testbed.binaries.DebianPackages;
import dev.pitcrew.testbed.binaries.Progress;
import java.util.List;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/// See [NeedsBrowser].
public final class BrowserCondition implements ExecutionCondition {
  private static final List<String> PACKAGES = List.of("chromium", "chromium-driver");

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    if (!BrowserPrograms.areInstalled() && DebianPackages.canBeInstalled()) {
      DebianPackages.install(PACKAGES, Progress.standardError());
    }
    return BrowserPrograms.areInstalled()
        ? ConditionEvaluationResult.enabled("Chromium is there")
        : ConditionEvaluationResult.disabled(
            "no chromium and chromedriver in PATH: as root, apt-get install "
                + String.join(" ", PACKAGES)
                + "; on Ubuntu, whose packages are snaps, put both programs of one version into PATH");
  }
}
