package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.api.ProbeSpec;
import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.operator.cluster.NodePool;
import dev.pitcrew.operator.cluster.OsRelease;
import dev.pitcrew.operator.render.Check;
import dev.pitcrew.operator.render.Images.Source;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.render.References;
import dev.pitcrew.operator.render.RenderContext;
import dev.pitcrew.operator.render.SectionCheck;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// What must be true before a driver DaemonSet of a ClusterPolicy can be rendered.
public final class DriverChecks {
  static final List<Check> ALL =
      List.of(
          DriverChecks::image,
          DriverChecks::managerImage,
          DriverChecks::probes,
          DriverChecks::gds,
          DriverChecks::gdrcopy,
          DriverChecks::operatingSystems,
          DriverChecks::kernels,
          DriverChecks::packagePaths,
          configMap("kernelModuleConfig.name", references -> references.moduleParameters()),
          configMap("repoConfig.configMapName", references -> references.repositories()),
          configMap("certConfig.name", references -> references.certificates()),
          configMap("virtualTopology.config", references -> references.topology()),
          References.secret(
              "spec.driver.licensingConfig.secretName",
              spec -> DriverSettings.of(spec).used().licensingSecret()),
          configMap("licensingConfig.configMapName", references -> references.licensingConfigMap()),
          References.secret(
              "spec.driver.secretEnv",
              spec -> DriverSettings.of(spec).references().secretEnvironment()));

  private static final Pattern VERSION =
      Pattern.compile("v?(\\d{1,6})(?:\\.(\\d{1,6}))?(?:\\.(\\d{1,6}))?(?:[-+].*)?");
  private static final long[] FIRST_OPEN_GDS = {2, 17, 5};

  private DriverChecks() {}

  private static Check configMap(
      String field, Function<DriverSettings.References, Optional<String>> reference) {
    return References.configMap(
        "spec.driver." + field, spec -> reference.apply(DriverSettings.of(spec).used()));
  }

  private static Optional<Problem> image(RenderContext context) {
    DriverSettings settings = DriverSettings.of(context.spec());
    return DriverImages.check(settings)
        .problem(context)
        .or(() -> SectionCheck.fields(settings.image()));
  }

  private static Optional<Problem> managerImage(RenderContext context) {
    return SectionCheck.of(at -> DriverSettings.of(at.spec()).managerImage()).problem(context);
  }

  /// The API server takes no other value for the two probes that restart a container.
  private static Optional<Problem> probes(RenderContext context) {
    DriverSettings settings = DriverSettings.of(context.spec());
    return successes("spec.driver.startupProbe", settings.startupProbe())
        .or(() -> successes("spec.driver.livenessProbe", settings.livenessProbe()));
  }

  static Optional<Problem> successes(String probe, ProbeSpec given) {
    return Optional.ofNullable(given.successThreshold())
        .filter(threshold -> threshold > 1)
        .map(threshold ->
            Problem.of(
                "SpecInvalid",
                probe + ".successThreshold",
                threshold,
                "only a readiness probe may ask for more than one success; set it to 1"));
  }

  private static Optional<Problem> gds(RenderContext context) {
    var gds = context.spec().gds();
    return addon(context, "spec.gds", gds.isEnabled(), DriverSettings::gdsImage)
        .or(() ->
            Optional.ofNullable(gds.version())
                .filter(_ -> gds.isEnabled())
                .filter(DriverChecks::needsOpenModules)
                .filter(_ -> "proprietary".equals(context.spec().driver().kernelModuleType()))
                .map(version ->
                    Problem.of(
                        "SpecInvalid",
                        "spec.gds.version",
                        version,
                        "since 2.17.5 GPUDirect Storage needs the open kernel modules; set spec.driver.kernelModuleType to open or auto")));
  }

  /// Whether this version of nvidia-fs works with the open kernel modules only, as an image that is
  /// named by its digest is taken to. See [GPUDirect
  /// Storage](https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-operator-rdma.html).
  public static boolean needsOpenModules(String gdsVersion) {
    Matcher parts = VERSION.matcher(gdsVersion);
    if (!parts.matches()) {
      return gdsVersion.startsWith("sha256");
    }
    for (int part = 0; part < FIRST_OPEN_GDS.length; part++) {
      String text = parts.group(part + 1);
      long number = text == null ? 0 : Long.parseLong(text);
      if (number != FIRST_OPEN_GDS[part]) {
        return number > FIRST_OPEN_GDS[part];
      }
    }
    return true;
  }

  private static Optional<Problem> gdrcopy(RenderContext context) {
    return addon(
        context,
        "spec.gdrcopy",
        context.spec().gdrcopy().isEnabled(),
        DriverSettings::gdrcopyImage);
  }

  private static Optional<Problem> addon(
      RenderContext context,
      String field,
      boolean enabled,
      Function<DriverSettings, Source> image) {
    if (!enabled) {
      return Optional.empty();
    }
    if (context.spec().driver().isPrecompiled()) {
      return Optional.of(
          Problem.of(
              "SpecInvalid",
              field + ".enabled",
              true,
              "it cannot be built beside precompiled drivers; switch it or spec.driver.usePrecompiled off"));
    }
    return SectionCheck.of(at -> image.apply(DriverSettings.of(at.spec()))).problem(context);
  }

  /// Without any operating system there is no image to render.
  public static Optional<Problem> operatingSystems(RenderContext context) {
    Set<String> nodes = context.facts().unlabelledGpuNodes();
    return nodes.isEmpty() || !context.facts().pools().isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Problem(
                "NodeLabelsMissing",
                "no GPU node has the labels %s and %s, so no driver image can be chosen: see that feature discovery runs on %s"
                    .formatted(
                        NodeLabels.OS_ID, NodeLabels.OS_VERSION_ID, String.join(", ", nodes))));
  }

  /// One kernel on two operating systems would need two images under one name.
  private static Optional<Problem> kernels(RenderContext context) {
    if (!context.spec().driver().isPrecompiled()) {
      return Optional.empty();
    }
    if (context.facts().pools().stream().anyMatch(pool -> pool.kernel().isEmpty())) {
      return Optional.of(
          new Problem(
              "NodeLabelsMissing",
              "spec.driver.usePrecompiled is \"true\": a GPU node lacks the label "
                  + NodeLabels.KERNEL_VERSION
                  + "; see that feature discovery runs there"));
    }
    Map<String, Set<OsRelease>> systems =
        context.facts().pools().stream()
            .collect(
                Collectors.groupingBy(
                    NodePool::kernel, Collectors.mapping(NodePool::os, Collectors.toSet())));
    return systems.entrySet().stream()
        .filter(entry -> entry.getValue().size() > 1)
        .findFirst()
        .map(entry ->
            Problem.of(
                "SpecInvalid",
                "spec.driver.usePrecompiled",
                true,
                "kernel %s runs on %s, and precompiled drivers need one operating system per kernel"
                    .formatted(
                        entry.getKey(),
                        entry.getValue().stream()
                            .map(OsRelease::name)
                            .sorted()
                            .collect(Collectors.joining(" and ")))));
  }

  private static Optional<Problem> packagePaths(RenderContext context) {
    ClusterPolicySpec spec = context.spec();
    var references = DriverSettings.of(spec).used();
    if (references.repositories().isEmpty() && references.certificates().isEmpty()) {
      return Optional.empty();
    }
    return context.facts().pools().stream()
        .map(NodePool::os)
        .filter(os -> PackagePaths.repositories(os).isEmpty())
        .findFirst()
        .map(os ->
            Problem.of(
                "SpecInvalid",
                references.repositories().isPresent()
                    ? "spec.driver.repoConfig.configMapName"
                    : "spec.driver.certConfig.name",
                references.repositories().or(references::certificates).orElse(""),
                "where package files belong on " + os.name() + " is not known; clear the field"));
  }
}
