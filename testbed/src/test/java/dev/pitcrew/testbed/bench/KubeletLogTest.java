package dev.pitcrew.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class KubeletLogTest {
  private static final String LOG =
      """
      I0214 09:30:03.617665     170 server.go:161] "Got registration request from device plugin with resource" resourceName="nvidia.com/gpu"
      I0214 09:30:03.617700     170 server.go:161] "Got registration request from device plugin with resource" resourceName="example.com/nic"
      I0214 09:30:04.354710     170 client.go:97] "State pushed for device plugin" resource="nvidia.com/gpu" resourceCapacity=8
      I0214 09:30:04.360430     170 manager.go:319] "Processed device updates for resource" resourceName="nvidia.com/gpu" totalCount=8 healthyCount=7
      no line of klog
      """;

  @Test
  void registrationsAndListsOfTheResourceAreRead() {
    var said = KubeletLog.parse(LOG, KubeletLog.GPU);
    assertThat(said).hasSize(2);
    assertThat(said.getFirst().isRegistration()).isTrue();
    assertThat(said.getLast().isRegistration()).isFalse();
    assertThat(said.getLast().isList(7)).isTrue();
    assertThat(said.getLast().isList(8)).isFalse();
  }

  @Test
  void timesAreOfMicroseconds() {
    var said = KubeletLog.parse(LOG, KubeletLog.GPU);
    assertThat(Duration.between(said.getFirst().time(), said.getLast().time()))
        .isEqualTo(Duration.ofNanos(742_765_000));
  }
}
