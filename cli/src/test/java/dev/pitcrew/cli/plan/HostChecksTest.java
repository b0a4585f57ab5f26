package dev.pitcrew.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.cluster.HostNode.Host;
import dev.pitcrew.cli.plan.Checks.Mark;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostChecksTest {
  @ParameterizedTest
  @CsvSource({
    "linux, Ubuntu 24.04.3 LTS, amd64, containerd://2.1.4, v1.36.3, GOOD",
    "linux, Ubuntu 24.04.3 LTS, arm64, containerd://1.7.28, v1.30.0, GOOD",
    "linux, Ubuntu 24.04.3 LTS, amd64, containerd://1.6.9, v1.36.3, BLOCKER",
    "linux, Ubuntu 24.04.3 LTS, amd64, cri-o://1.34.0, v1.36.3, GOOD",
    "linux, Ubuntu 24.04.3 LTS, s390x, containerd://2.1.4, v1.36.3, BLOCKER",
    "linux, Ubuntu 24.04.3 LTS, amd64, containerd://2.1.4, v1.29.9, WARNING",
    "linux, Bottlerocket OS 1.47.0, amd64, containerd://2.1.4, v1.36.3, WARNING",
    "windows, Windows Server 2025, amd64, containerd://2.1.4, v1.36.3, WARNING",
    "'', '', '', '', '', GOOD",
    "linux, x, amd64, containerd://99999999999.1, v1.36.3, GOOD",
  })
  void host(
      String system, String image, String architecture, String runtime, String kubelet, Mark mark) {
    var host = new Host(system, image, "6.8.0", architecture, runtime, kubelet);

    assertThat(HostChecks.of(host).mark()).isEqualTo(mark);
  }
}
