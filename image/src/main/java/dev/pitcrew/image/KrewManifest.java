package dev.pitcrew.image;

import java.nio.file.Path;

/// What krew, the manager of kubectl plugins, reads to install the plugin
/// (krew.googlecontainertools.github.com/v1alpha2).
///
/// @param address of the archive; its bare name where it is not known yet, which does for `kubectl
///   krew install --manifest=FILE --archive=FILE`
/// @param architecture as Go names it
record KrewManifest(String version, String architecture, String address, String sha256) {
  private static final String TEXT =
      """
      apiVersion: krew.googlecontainertools.github.com/v1alpha2
      kind: Plugin
      metadata:
        name: gpu
      spec:
        version: v%s
        shortDescription: Show the GPUs of a cluster and what does not work
        description: |
          Shows policies, nodes, GPUs and driver roll-outs of a cluster that
          Pitcrew runs, explains why a pod, a node or a policy waits, and
          collects a bundle for support. Commands that change something
          have --dry-run=server, and name the way back.
        caveats: |
          Needs Pitcrew with its node agent in the cluster.
        platforms:
        - selector:
            matchLabels:
              os: linux
              arch: %s
          uri: %s
          sha256: %s
          bin: ./%s
      """;

  static KrewManifest of(String version, String architecture, String address, Path archive) {
    return new KrewManifest(version, architecture, address, Sbom.sha256(archive));
  }

  String yaml() {
    return TEXT.formatted(version, architecture, address, sha256, PluginArchive.LAUNCHER);
  }
}
