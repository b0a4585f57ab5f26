package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.operator.cluster.OpenShift;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Volumes;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.KeyToPath;
import java.util.List;
import java.util.Locale;

/// What a driver container on OpenShift must know of the cluster: its version, its proxy and the
/// certificates it trusts.
final class OpenShiftSettings {
  static final String TRUSTED_CA = "gpu-operator-trusted-ca";
  private static final String BUNDLE = "ca-bundle.crt";

  private OpenShiftSettings() {}

  static void apply(DriverRendering rendering) {
    if (rendering.settings().precompiled()) {
      return;
    }
    rendering.context().facts().openShift().ifPresent(cluster -> apply(rendering, cluster));
  }

  /// The ConfigMap into which OpenShift injects its bundle; applied without data, so that the
  /// injected one stays.
  static ConfigMap trustedCa(String namespace) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(TRUSTED_CA)
        .withNamespace(namespace)
        .addToLabels("config.openshift.io/inject-trusted-cabundle", "true")
        .endMetadata()
        .build();
  }

  private static void apply(DriverRendering rendering, OpenShift cluster) {
    DaemonSetDraft draft = rendering.draft();
    rendering.driver().env("OPENSHIFT_VERSION", cluster.version());
    draft
        .allContainers()
        .filter(container -> container.name().contains("nvidia-driver"))
        .forEach(container -> proxy(container, cluster));
    if (cluster.trustedCa().isPresent()) {
      draft.volume(
          Volumes.configMap(
              TRUSTED_CA, TRUSTED_CA, List.of(new KeyToPath(BUNDLE, null, "tls-ca-bundle.pem"))));
      rendering.driver().mountReadOnly(TRUSTED_CA, "/etc/pki/ca-trust/extracted/pem");
    }
  }

  /// Programs look for either spelling.
  private static void proxy(ContainerDraft container, OpenShift cluster) {
    cluster
        .proxy()
        .forEach(
            (name, value) -> container.env(name, value).env(name.toLowerCase(Locale.ROOT), value));
  }
}
