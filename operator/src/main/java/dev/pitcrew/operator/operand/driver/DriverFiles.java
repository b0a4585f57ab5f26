package dev.pitcrew.operator.operand.driver;

import static dev.pitcrew.operator.render.DaemonSetDraft.DIRECTORY;
import static dev.pitcrew.operator.render.DaemonSetDraft.FILE;
import static dev.pitcrew.operator.render.DaemonSetDraft.FILE_OR_CREATE;

import dev.pitcrew.operator.cluster.ClusterFacts;
import dev.pitcrew.operator.cluster.ContainerRuntime;
import dev.pitcrew.operator.render.ConfigMapFiles;
import dev.pitcrew.operator.render.ContainerDraft;
import dev.pitcrew.operator.render.Volumes;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Files that the driver container gets from ConfigMaps, Secrets and the host.
final class DriverFiles {
  private static final String TOKEN = "client_configuration_token.tok";
  private static final String LICENSE = "gridd.conf";
  private static final String TOPOLOGY = "nvidia-topologyd.conf";

  /// A path of the host that holds a vendor subscription.
  private record SubscriptionPath(String inside, String onHost, String type) {}

  private static final List<SubscriptionPath> RED_HAT =
      List.of(
          new SubscriptionPath(
              "/run/secrets/etc-pki-entitlement", "/etc/pki/entitlement", DIRECTORY),
          new SubscriptionPath("/run/secrets/redhat.repo", "/etc/yum.repos.d/redhat.repo", FILE),
          new SubscriptionPath("/run/secrets/rhsm", "/etc/rhsm", DIRECTORY));
  private static final List<SubscriptionPath> SUSE =
      List.of(
          new SubscriptionPath("/etc/SUSEConnect", "/etc/SUSEConnect", FILE_OR_CREATE),
          new SubscriptionPath("/etc/zypp/credentials.d", "/etc/zypp/credentials.d", DIRECTORY));

  private DriverFiles() {}

  static void licensing(DriverRendering rendering) {
    var references = rendering.settings().references();
    var items = new ArrayList<KeyToPath>();
    items.add(Volumes.file(LICENSE));
    if (references.licenseServer()) {
      items.add(Volumes.file(TOKEN));
    }
    Optional<Volume> volume =
        references
            .licensingSecret()
            .map(name -> Volumes.secret("licensing-config", name, items))
            .or(() ->
                references
                    .licensingConfigMap()
                    .map(name -> Volumes.configMap("licensing-config", name, items)));
    volume.ifPresent(licence -> {
      rendering.draft().volume(licence);
      ContainerDraft driver =
          rendering.driver().mountFile("licensing-config", "/drivers/" + LICENSE, LICENSE);
      if (references.licenseServer()) {
        driver.mountFile("licensing-config", "/drivers/ClientConfigToken/" + TOKEN, TOKEN);
      }
    });
  }

  static void topology(DriverRendering rendering) {
    rendering
        .settings()
        .references()
        .topology()
        .ifPresent(name -> {
          var items = List.of(Volumes.file(TOPOLOGY));
          rendering.draft().volume(Volumes.configMap("topology-config", name, items));
          rendering.driver().mountFile("topology-config", "/etc/nvidia/" + TOPOLOGY, TOPOLOGY);
        });
  }

  static void moduleParameters(DriverRendering rendering, String container) {
    rendering
        .settings()
        .references()
        .moduleParameters()
        .ifPresent(name -> mountAll(rendering, container, name, "/drivers"));
  }

  /// Precompiled modules of SUSE need what the host's kernel package brought.
  static void suseModules(DriverRendering rendering) {
    if (rendering.settings().precompiled() && rendering.variant().os().isSuse()) {
      rendering.draft().hostPath("lib-modules", "/lib/modules", DIRECTORY);
      rendering.driver().mountReadOnly("lib-modules", "/run/host/lib/modules");
    }
  }

  static void repositoriesAndCertificates(DriverRendering rendering) {
    repositoriesAndCertificates(rendering, DriverShape.DRIVER);
  }

  /// Package sources for a container that installs packages; ready-made modules need none.
  static void repositoriesAndCertificates(DriverRendering rendering, String container) {
    var references = rendering.settings().used();
    var os = rendering.variant().os();
    references
        .repositories()
        .ifPresent(name ->
            PackagePaths.repositories(os)
                .ifPresent(path -> mountAll(rendering, container, name, path)));
    references
        .certificates()
        .ifPresent(name ->
            PackagePaths.certificates(os)
                .ifPresent(path -> mountAll(rendering, container, name, path)));
  }

  static void subscription(DriverRendering rendering) {
    int number = 0;
    for (SubscriptionPath path : subscriptionPaths(rendering)) {
      String volume = "subscription-config-" + number++;
      rendering.draft().hostPath(volume, path.onHost(), path.type());
      rendering.driver().mountReadOnly(volume, path.inside());
    }
  }

  private static List<SubscriptionPath> subscriptionPaths(DriverRendering rendering) {
    if (rendering.settings().precompiled()) {
      return List.of();
    }
    ClusterFacts facts = rendering.context().facts();
    if (rendering.variant().os().isSuse()) {
      return SUSE;
    }
    boolean subscribed =
        rendering.variant().os().id().equals("rhel")
            && !facts.isOpenShift()
            && facts.runtime() != ContainerRuntime.CRIO
            && rendering.settings().references().repositories().isEmpty();
    return subscribed ? RED_HAT : List.of();
  }

  private static void mountAll(
      DriverRendering rendering, String container, String configMap, String directory) {
    ConfigMapFiles.mountAll(
        rendering.draft(),
        rendering.draft().find(container),
        configMap,
        directory,
        rendering.context());
  }
}
