package dev.pitcrew.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContainerRuntimeTest {
  @ParameterizedTest
  @CsvSource({
    "containerd://2.1.4, CONTAINERD",
    "cri-o://1.30.1, CRIO",
    "docker://20.10, DOCKER",
  })
  void node_reportsItsRuntime(String version, ContainerRuntime runtime) {
    assertThat(ContainerRuntime.ofVersion(version)).contains(runtime);
  }

  @Test
  void anUnknownRuntimeIsNone() {
    assertThat(ContainerRuntime.ofVersion("rkt://1")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "'', CONTAINERD",
    "rkt://1, CONTAINERD",
    "cri-o://1, CRIO",
    "cri-o://1 containerd://2, CONTAINERD",
    "cri-o://1 docker://20, DOCKER",
    "docker://20 rkt://1, DOCKER",
  })
  void oneContainerdNode_decidesTheRuntime_elseTheLastKnownCounts(
      String versions, ContainerRuntime runtime) {
    assertThat(ContainerRuntime.ofCluster(List.of(versions.split(" ")))).isEqualTo(runtime);
  }
}
