package dev.pitcrew.agent.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.testbed.gpu.SimulatedHost;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What is left alone on each host, over the files of each, read as the agent reads them.
class HostProfileTest {
  private static final String CONTAINER = SimulatedNodeOptions.CONTAINER_ROOT;
  private static final String GOOGLES = "/home/kubernetes/bin/nvidia";

  @TempDir private Path folder;

  /// The owners of runtime, toolkit and driver, by their first letters.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "ubuntu                    | container | Plain                | PPP",
        "ubuntu                    | /         | Plain                | PPH",
        "ubuntu-with-toolkit       | /         | Plain                | HHH",
        "ubuntu-with-operand       | container | Plain                | PPP",
        "rhel                      | container | Plain                | PPP",
        "bottlerocket              | /         | Bottlerocket         | HHH",
        "bottlerocket              | container | Bottlerocket         | HHH",
        "talos                     | container | Talos                | HHH",
        "gke-cos                   | google    | ContainerOptimizedOS | HPH",
        "gke-ubuntu                | container | GKE                  | PPP",
        "gke-ubuntu                | google    | GKE                  | PPH",
        "eks-al2023                | /         | EKS                  | HHH",
        "eks-al2                   | /         | EKS                  | HHH",
        "aks-ubuntu                | /         | AKS                  | HHH",
        "aks-azurelinux            | /         | AKS                  | HHH",
        "aks-without-driver        | container | AKS                  | PPP",
        "flatcar                   | container | Flatcar              | HPH",
        "flatcar-own-configuration | container | Flatcar              | PPH",
        "rhcos-4.18                | container | CoreOS               | PPP",
        "rhcos-4.19                | container | CoreOS               | PPP",
        "dgx                       | /         | DGXOS                | PHH",
        "k3s                       | container | Plain                | HPP",
        "unknown-read-only         | container | Plain                | HPP",
        "unknown-etc-in-memory     | container | Plain                | HHP",
        "booted-over-network       | container | Plain                | PPP",
      })
  void eachHostIsRecognisedAndLeftAloneWhereItMustBe(
      String host, String driver, String profile, String owners) {
    HostProfile found = profile(host, driver);

    assertThat(found.kind().text()).isEqualTo(profile);
    assertThat(letters(found)).describedAs("%s", found).isEqualTo(owners);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "bottlerocket          | Bottlerocket OS 1.47.0 (aws-k8s-1.34-nvidia) | Bottlerocket's /etc is created again at each boot and its settings API owns containerd",
        "unknown-read-only     | Another Linux 3                             | /etc/containerd/config.toml lies on /, which is mounted read-only",
        "unknown-etc-in-memory | another                                      | /etc/containerd/config.toml lies on /etc, which is in memory and created again at each boot",
        "flatcar               | Flatcar Container Linux by Kinvolk 3227.2.4 (Oklo) | /usr/share/containerd/config.toml lies on /usr, which is mounted read-only",
        "aks-ubuntu            | Ubuntu 22.04.5 LTS                           | /etc/containerd/config.toml already has the handler nvidia-container-runtime, which starts /usr/bin/nvidia-container-runtime",
        "eks-al2023            | Amazon Linux 2023.10.20260202                | /etc/containerd/config.toml already has the handler nvidia, which starts /usr/bin/nvidia-container-runtime",
        "k3s                   | Ubuntu 24.04.3 LTS                           | k3s writes /var/lib/rancher/k3s/agent/etc/containerd/config.toml again at each start, from config.toml.tmpl beside it",
      })
  void reasonNamesWhatWasSeen(String host, String name, String reason) {
    HostProfile found = profile(host, "container");

    assertThat(found.name()).isEqualTo(name);
    assertThat(found.runtimeLeftAlone()).hasValue(reason);
  }

  @Test
  void driverIsWhereTheAgentLooksForIt() {
    SimulatedNode node = node("gke-cos", GOOGLES);
    var host = new HostRoot(node.hostRoot());

    assertThat(HostSigns.of(host).driver().orElseThrow().root())
        .isEqualTo(NodePlaces.finder(host, CONTAINER).now().filesOnHost());
  }

  @Test
  void labelsOfTheNodeSayOtherwise() {
    var labels =
        Map.of("pitcrew.dev/owner.runtime", "pitcrew", "pitcrew.dev/owner.toolkit", "another");
    HostProfile bottlerocket = profile("bottlerocket", "/", labels);
    assertThat(letters(bottlerocket)).isEqualTo("PHH");
    assertThat(bottlerocket.runtimeLeftAlone()).isEmpty();
    assertThat(bottlerocket.owner(HostPart.RUNTIME).reason())
        .isEqualTo("the Node's label pitcrew.dev/owner.runtime says so");

    assertThat(letters(profile("ubuntu", CONTAINER, Map.of("pitcrew.dev/owner.runtime", "host"))))
        .isEqualTo("HPP");
    assertThat(
            letters(
                profile(
                    "ubuntu", CONTAINER, Map.of("nvidia.com/gpu.deploy.driver", "pre-installed"))))
        .isEqualTo("PPH");
  }

  @Test
  void handlersThatBringNoGpuAreNoReasonToStayAway() {
    SimulatedNode node = node("ubuntu", CONTAINER);
    node.faults()
        .file(
            "/etc/containerd/config.toml",
            "version = 3\nimports = ['/etc/containerd/conf.d/*.toml']\n");
    var host = new HostRoot(node.hostRoot());
    String table = "[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.nvidia]\n";

    for (String program :
        List.of(
            "",
            "[plugins.x.runtimes.nvidia.options]\nBinaryName = ''",
            "[plugins.x.runtimes.nvidia.options]\nBinaryName = '/usr/bin/crun'")) {
      node.faults().file("/etc/containerd/conf.d/site.toml", table + program + "\n");
      assertThat(HostProfile.of(HostSigns.of(host), NodeMarks.NONE).runtimeLeftAlone()).isEmpty();
    }

    String options = table.replace("nvidia]", "nvidia.options]");
    node.faults()
        .file(
            "/etc/containerd/conf.d/site.toml", options + "BinaryName = '/opt/site/nvidia-runc'\n");
    assertThat(HostProfile.of(HostSigns.of(host), NodeMarks.NONE).runtimeLeftAlone())
        .hasValue(
            "/etc/containerd/conf.d/site.toml already has the handler nvidia, which starts /opt/site/nvidia-runc");
  }

  @Test
  void hostThatShowsNothingIsSetUp() {
    var empty = HostSigns.of(new HostRoot(folder));

    assertThat(letters(HostProfile.of(empty, NodeMarks.NONE))).isEqualTo("PPP");
    assertThat(HostSigns.of(new HostRoot(folder))).isEqualTo(empty);
  }

  private HostProfile profile(String host, String driver) {
    return profile(host, root(driver), Map.of());
  }

  private HostProfile profile(String host, String driverRoot, Map<String, String> more) {
    var simulated = SimulatedHost.named(host);
    var labels = new HashMap<>(simulated.labels());
    labels.putAll(more);
    return HostProfile.of(
        HostSigns.of(new HostRoot(node(host, driverRoot).hostRoot())),
        new NodeMarks(simulated.provider(), labels));
  }

  private SimulatedNode node(String host, String driverRoot) {
    return SimulatedNode.create(
        folder.resolve(host + driverRoot.length()),
        SimulatedNodeOptions.of("h100").withHost(host).withDriverRoot(driverRoot));
  }

  private static String root(String driver) {
    return switch (driver) {
      case "container" -> CONTAINER;
      case "google" -> GOOGLES;
      default -> driver;
    };
  }

  private static String letters(HostProfile profile) {
    return Arrays.stream(HostPart.values())
        .map(part -> profile.owner(part).owner().name().substring(0, 1))
        .reduce("", String::concat);
  }
}
