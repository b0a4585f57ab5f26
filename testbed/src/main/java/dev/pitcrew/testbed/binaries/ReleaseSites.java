package dev.pitcrew.testbed.binaries;

import java.net.URI;
import java.util.Locale;
import java.util.Optional;

/// Where the projects publish their programs, for this machine's system and processor.
record ReleaseSites(
    String kubernetes, String gitHub, String gitHubApi, String system, String processor) {
  static ReleaseSites official() {
    return new ReleaseSites(
        "https://dl.k8s.io",
        "https://github.com",
        "https://api.github.com",
        goSystem(System.getProperty("os.name", "")),
        goProcessor(System.getProperty("os.arch", "")));
  }

  /// Empty where the program is our own.
  Optional<Release> releaseOf(Binary binary) {
    return binary.module() == ToolModule.OPERANDS ? Optional.empty() : Optional.of(release(binary));
  }

  private Release release(Binary binary) {
    var version = binary.version();
    return switch (binary.module()) {
      case OPERANDS -> throw new IllegalArgumentException(binary + " has no release");
      case KUBERNETES -> {
        var file =
            "%s/release/v%s/bin/%s/%s/%s"
                .formatted(kubernetes, version, system, processor, binary.command());
        yield new Release(URI.create(file), URI.create(file + ".sha256"));
      }
      case ETCD -> {
        var folder = "%s/etcd-io/etcd/releases/download/v%s".formatted(gitHub, version);
        var file = "%s/etcd-v%s-%s-%s.tar.gz".formatted(folder, version, system, processor);
        yield new Release(URI.create(file), URI.create(folder + "/SHA256SUMS"));
      }
      case KWOK -> {
        var project = "kubernetes-sigs/kwok/releases";
        var file =
            "%s/%s/download/v%s/kwok-%s-%s".formatted(gitHub, project, version, system, processor);
        var release = "%s/repos/%s/tags/v%s".formatted(gitHubApi, project, version);
        yield new Release(URI.create(file), URI.create(release));
      }
      case CONTAINERD, CONTAINERD_1_7 -> {
        var file =
            "%s/containerd/containerd/releases/download/v%s/containerd-%s-%s-%s.tar.gz"
                .formatted(gitHub, version, version, system, processor);
        yield new Release(URI.create(file), URI.create(file + ".sha256sum"));
      }
      case PROMETHEUS -> {
        var folder = "%s/prometheus/prometheus/releases/download/v%s".formatted(gitHub, version);
        var file = "%s/prometheus-%s.%s-%s.tar.gz".formatted(folder, version, system, processor);
        yield new Release(URI.create(file), URI.create(folder + "/sha256sums.txt"));
      }
      case RUNC -> {
        var folder = "%s/opencontainers/runc/releases/download/v%s".formatted(gitHub, version);
        yield new Release(
            URI.create("%s/runc.%s".formatted(folder, processor)),
            URI.create(folder + "/runc.sha256sum"));
      }
      case CRANE -> {
        var folder =
            "%s/google/go-containerregistry/releases/download/v%s".formatted(gitHub, version);
        var file =
            "%s/go-containerregistry_%s_%s.tar.gz"
                .formatted(
                    folder,
                    system.equals("darwin") ? "Darwin" : "Linux",
                    processor.equals("amd64") ? "x86_64" : processor);
        yield new Release(URI.create(file), URI.create(folder + "/checksums.txt"));
      }
      case REGISTRY -> {
        var file =
            "%s/distribution/distribution/releases/download/v%s/registry_%s_%s_%s.tar.gz"
                .formatted(gitHub, version, version, system, processor);
        yield new Release(URI.create(file), URI.create(file + ".sha256"));
      }
      case CNI -> {
        var file =
            "%s/containernetworking/plugins/releases/download/v%s/cni-plugins-%s-%s-v%s.tgz"
                .formatted(gitHub, version, system, processor, version);
        yield new Release(URI.create(file), URI.create(file + ".sha256"));
      }
    };
  }

  private static String goSystem(String osName) {
    return osName.toLowerCase(Locale.ROOT).startsWith("mac") ? "darwin" : "linux";
  }

  private static String goProcessor(String osArch) {
    return switch (osArch) {
      case "aarch64" -> "arm64";
      case "x86_64" -> "amd64";
      default -> osArch;
    };
  }
}
