package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.operator.cluster.DriverPool;
import dev.pitcrew.operator.operand.driver.DriverSettings.References;
import dev.pitcrew.operator.render.Check;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.render.SectionCheck;
import java.util.List;
import java.util.Optional;

/// What must be true of the fields of an NVIDIADriver before its DaemonSets can be rendered.
public final class NvidiaDriverChecks {
  private NvidiaDriverChecks() {}

  /// The first problem.
  ///
  /// @param pools of its nodes
  public static Optional<Problem> problem(
      DriverSettings settings, List<DriverPool> pools, RenderContext context) {
    return Check.first(checks(settings, pools), context);
  }

  private static List<Check> checks(DriverSettings settings, List<DriverPool> pools) {
    References names = settings.used();
    return List.of(
        DriverImages.check(settings),
        _ -> SectionCheck.fields(settings.image()),
        SectionCheck.of(_ -> settings.managerImage()),
        context ->
            settings.gds().isEnabled()
                ? SectionCheck.of(_ -> settings.gdsImage()).problem(context)
                : Optional.empty(),
        context ->
            settings.gdrcopy().isEnabled()
                ? SectionCheck.of(_ -> settings.gdrcopyImage()).problem(context)
                : Optional.empty(),
        _ -> DriverChecks.successes("spec.startupProbe", settings.startupProbe()),
        _ -> packagePaths(settings, pools),
        configMap("spec.kernelModuleConfig.name", names.moduleParameters()),
        configMap("spec.repoConfig.name", names.repositories()),
        configMap("spec.certConfig.name", names.certificates()),
        configMap("spec.virtualTopologyConfig.name", names.topology()),
        secret("spec.licensingConfig.secretName", names.licensingSecret()),
        configMap("spec.licensingConfig.name", names.licensingConfigMap()));
  }

  private static Optional<Problem> packagePaths(DriverSettings settings, List<DriverPool> pools) {
    References names = settings.used();
    if (names.repositories().isEmpty() && names.certificates().isEmpty()) {
      return Optional.empty();
    }
    return pools.stream()
        .map(DriverPool::os)
        .filter(os -> PackagePaths.repositories(os).isEmpty())
        .findFirst()
        .map(os ->
            Problem.of(
                "SpecInvalid",
                names.repositories().isPresent() ? "spec.repoConfig.name" : "spec.certConfig.name",
                names.repositories().or(names::certificates).orElse(""),
                "where package files belong on " + os.name() + " is not known; clear the field"));
  }

  private static Check configMap(String field, Optional<String> name) {
    return dev.pitcrew.operator.render.References.configMap(field, _ -> name);
  }

  private static Check secret(String field, Optional<String> name) {
    return dev.pitcrew.operator.render.References.secret(field, _ -> name);
  }
}
