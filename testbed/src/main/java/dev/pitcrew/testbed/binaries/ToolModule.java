package dev.pitcrew.testbed.binaries;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/// A Go module of our own under `tools/` whose go.mod and go.sum pin what is built. One module per
/// upstream project, because their dependency versions differ.
public enum ToolModule {
  ETCD("etcd", "go.etcd.io/etcd/server/v3", "main.go", 60),
  KUBERNETES("kubernetes", "k8s.io/kubernetes", "tools.go", 370),
  KWOK("kwok", "sigs.k8s.io/kwok", "tools.go", 75),
  CONTAINERD("containerd", "github.com/containerd/containerd/v2", "tools.go", 65),
  CNI("cni", "github.com/containernetworking/plugins", "tools.go", 25),
  RUNC("runc", "github.com/opencontainers/runc", "tools.go", 30),
  PROMETHEUS("prometheus", "github.com/prometheus/prometheus", "tools.go", 110),
  CONTAINERD_1_7("containerd-1.7", "github.com/containerd/containerd", "tools.go", 70),
  /// Stand-ins for what runs in the images of operands of the NVIDIA GPU Operator.
  OPERANDS("operands", "k8s.io/kubelet", "main.go", 60),
  CRANE("crane", "github.com/google/go-containerregistry", "tools.go", 15),
  REGISTRY("registry", "github.com/distribution/distribution/v3", "main.go", 50);

  /// As a Go module it cannot have its real version, which is 3.
  private static final Pattern PROMETHEUS_MODULE = Pattern.compile("0\\.3(\\d+)\\.(\\d+)");

  private final String folder;
  private final String upstream;
  private final String source;
  private final Duration usualBuildTime;

  ToolModule(String folder, String upstream, String source, int usualSeconds) {
    this.folder = folder;
    this.upstream = upstream;
    this.source = source;
    this.usualBuildTime = Duration.ofSeconds(usualSeconds);
  }

  /// The project's short name, which is also the folder's.
  String project() {
    return folder;
  }

  /// How long a build of all its programs took on two idle cores, with sources to be fetched. The
  /// Go cache was empty for etcd and CNI, and had what Kubernetes left for the others.
  Duration usualBuildTime() {
    return usualBuildTime;
  }

  /// The upstream project's version without a leading `v`, as go.mod pins it.
  public String version() {
    var pin = Pattern.compile(Pattern.quote(upstream) + " v(\\S+)").matcher(text("go.mod"));
    if (!pin.find()) {
      throw new IllegalStateException("tools/" + folder + "/go.mod does not require " + upstream);
    }
    return this == PROMETHEUS
        ? PROMETHEUS_MODULE.matcher(pin.group(1)).replaceFirst("3.$1.$2")
        : pin.group(1);
  }

  /// Flags for the Go linker, from which programs learn their version.
  String linkerFlags() {
    return switch (this) {
      case ETCD, KWOK -> "-s -w";
      case KUBERNETES -> kubernetesFlags();
      case CONTAINERD, CONTAINERD_1_7 -> "-s -w -X " + upstream + "/version.Version=v" + version();
      case PROMETHEUS -> "-s -w -X github.com/prometheus/common/version.Version=" + version();
      case CNI -> "-s -w -X " + upstream + "/pkg/utils/buildversion.BuildVersion=v" + version();
      case RUNC, OPERANDS -> "-s -w -X main.version=" + version();
      case CRANE -> "-s -w -X " + upstream + "/cmd/crane/cmd.Version=" + version();
      case REGISTRY -> "-s -w -X " + upstream + "/version.version=" + version();
    };
  }

  /// Go's build tags. The test bed discovers no targets in a cloud, and the libraries for that are
  /// nine tenths of Prometheus. Every pod's sandbox asks runc for a seccomp profile.
  String buildTags() {
    return switch (this) {
      case PROMETHEUS -> "remove_all_sd";
      case RUNC -> "seccomp";
      default -> "";
    };
  }

  /// What Go's C compiler gets by the environment. runc is compiled against the header that lies in
  /// the workshop, and linked with the library of the machine: only a package for developers has
  /// the name `libseccomp.so`.
  Map<String, String> environment(Path workshop) {
    return switch (this) {
      case RUNC ->
          Map.of(
              "PKG_CONFIG", "true",
              "CGO_CFLAGS", "-O2 -I" + workshop,
              "CGO_LDFLAGS", "-l:libseccomp.so.2");
      case OPERANDS -> Map.of("CGO_ENABLED", "0"); // its image has no libraries
      default -> Map.of();
    };
  }

  /// Without its version `/version` says v0.0.0, and every chart with a `kubeVersion` refuses to
  /// install.
  private String kubernetesFlags() {
    var numbers = version().split("\\.", -1);
    return String.join(
        " ",
        "-s -w",
        "-X k8s.io/component-base/version.gitVersion=v" + version(),
        "-X k8s.io/component-base/version.gitMajor=" + numbers[0],
        "-X k8s.io/component-base/version.gitMinor=" + numbers[1],
        "-X k8s.io/client-go/pkg/version.gitVersion=v" + version());
  }

  /// File name to content, in a fixed order.
  Map<String, String> contents() {
    var contents = new LinkedHashMap<String, String>();
    List.of("go.mod", "go.sum", source).forEach(file -> contents.put(file, text(file)));
    if (this == RUNC) {
      contents.put("seccomp.h", text("seccomp.h"));
    }
    return contents;
  }

  /// Writes the module into `target`, so that it builds from the jar as well as from a checkout.
  void unpackInto(Path target) throws IOException {
    for (var file : contents().entrySet()) {
      Files.writeString(target.resolve(file.getKey()), file.getValue());
    }
  }

  private String text(String file) {
    var resource = "/dev/pitcrew/testbed/tools/" + folder + "/" + file;
    try (var stream = ToolModule.class.getResourceAsStream(resource)) {
      return new String(
          Objects.requireNonNull(stream, resource).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("read " + resource, e);
    }
  }
}
