package dev.pitcrew.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProcessOriginsTest {
  private static final String UID = "0a0a0a0a-1111-2222-3333-444444444444";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0a0a0a0a_1111_2222_3333_444444444444.slice/cri-containerd-ab.scope",
        "0::/../../kubepods-pod0a0a0a0a_1111_2222_3333_444444444444.slice/crio-ab.scope/container",
        "0::/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod0a0a0a0a_1111_2222_3333_444444444444.slice",
        "4:memory:/kubepods/besteffort/pod0a0a0a0a-1111-2222-3333-444444444444/ab\n1:name=systemd:/x",
        "0::/kubepods/pod0a0a0a0a-1111-2222-3333-444444444444",
        "1:cpu:/system.slice/containerd.service/kubepods-pod0a0a0a0a_1111_2222_3333_444444444444.slice:cri-containerd:ab"
      })
  void thePodOfAProcessStandsInItsCgroup(String cgroup) {
    assertThat(ProcessOrigins.podUid(cgroup)).contains(UID);
  }

  @Test
  void aStaticPodHasAnUidWithoutDashes() {
    assertThat(ProcessOrigins.podUid("0::/kubepods/pod0123456789abcdef0123456789abcdef/ab"))
        .contains("0123456789abcdef0123456789abcdef");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0::/",
        "0::/system.slice/sshd.service",
        "0::/user.slice/pod1/ab",
        "0::/machine.slice/libpod-0123456789abcdef0123456789abcdef.scope"
      })
  void aProcessOutsideOfPodsHasNone(String cgroup) {
    assertThat(ProcessOrigins.podUid(cgroup)).isEmpty();
  }

  @Test
  void container_isKnownByTheMountOfItsTerminationMessage() {
    String mounts =
        """
        900 800 0:50 / / rw,relatime - overlay overlay rw
        901 900 8:1 /var/lib/kubelet/pods/%1$s/volumes/kubernetes.io~empty-dir/x /x rw - ext4 /dev/sda1 rw
        902 900 8:1 /var/lib/kubelet/pods/%1$s/containers/my-side.car/0a1b2c3d /dev/y rw - ext4 /dev/sda1 rw
        903 900 8:1 /var/lib/kubelet/pods/%1$s/containers/train/0a1b2c3d /dev/termination-log rw - ext4 /dev/sda1 rw
        """
            .formatted(UID);

    assertThat(ProcessOrigins.container(mounts.lines(), UID)).contains("train");
    assertThat(ProcessOrigins.container(mounts.lines(), "0b0b0b0b-1111-2222-3333-444444444444"))
        .isEmpty();
    // A process that mounts on and on is not read on and on.
    Stream<String> endless = Stream.generate(() -> "1 1 0:50 / /x rw - tmpfs tmpfs rw");
    assertThat(ProcessOrigins.container(endless, UID)).isEmpty();
  }

  @Test
  void aNameWithParenthesesAndBlanksIsPassedOver() {
    String stat = "7 (a) S (b) 9) S 1 7 7 0 -1 0 0 0 0 0 1 2 3 4 20 0 1 0 12345 99 100";

    assertThat(ProcessOrigins.startedSeconds(stat)).contains(123.45);
    assertThat(ProcessOrigins.startedSeconds("7 (a) S 1")).isEmpty();
    assertThat(ProcessOrigins.startedSeconds("")).isEmpty();
  }
}
