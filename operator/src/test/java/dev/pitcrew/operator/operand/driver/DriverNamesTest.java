package dev.pitcrew.operator.operand.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.cluster.DriverPool;
import dev.pitcrew.operator.cluster.OsRelease;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DriverNamesTest {
  private static final String UID = "bfac7359-6033-45ce-88d6-53db0078526e";
  private static final String KERNEL = "5.15.0-70-generic";

  @ParameterizedTest
  @CsvSource({
    "ubuntu, 20.04, '', nvidia-gpu-driver-ubuntu20.04-67cc6dbb79",
    "ubuntu, 20.04, 5.15.0-70-generic, nvidia-gpu-driver-ubuntu20.04-59b779bcc5",
    "rocky, 9.6, 5.15.0-70-generic, nvidia-gpu-driver-rocky9-59b779bcc5",
    "ol, 9.7, 5.15.0-70-generic, nvidia-gpu-driver-ol9-59b779bcc5",
    "rhel, 10.1, 5.15.0-70-generic, nvidia-gpu-driver-rhel10-59b779bcc5",
  })
  void daemonSetsKeepTheNameThatTheyHave(String id, String version, String kernel, String name) {
    var os = new OsRelease(id, version);

    assertThat(DriverNames.of("gpu", "default", UID, pool(os, kernel, "")).app()).isEqualTo(name);
  }

  @Test
  void aNameThatIsTooLongLosesNothingOfItsHash() {
    var os = new OsRelease("redhatCoreOS", "4.14-414.92.202309282257");
    String name = DriverNames.of("gpu", "default", UID, pool(os, KERNEL, "")).app();

    assertThat(name)
        .hasSize(63)
        .isEqualTo("nvidia-gpu-driver-redhatCoreOS4.14-414.92.2023092822-59b779bcc5");
  }

  @Test
  void eachReleaseOfOpenShiftHasItsOwn() {
    var os = new OsRelease("rhcos", "4.14");
    String uid = "d5b3a1f2-38a9-4b72-bff1-21fd569fd305";

    assertThat(DriverNames.of("gpu", "a", uid, pool(os, "", "414.92.202309282257")).app())
        .isEqualTo("nvidia-gpu-driver-rhcos4.14-6f4fc4fc6");
  }

  @ParameterizedTest
  @CsvSource({
    "gpu, nvidia-gpu-driver-a-ubuntu22.04",
    "vgpu, nvidia-vgpu-driver-a-ubuntu22.04",
    "vgpu-host-manager, nvidia-vgpu-manager-a-ubuntu22.04",
  })
  void kernelsShareWhatTheirPodsRunUnder(String type, String account) {
    var os = new OsRelease("ubuntu", "22.04");

    assertThat(DriverNames.of(type, "a", UID, pool(os, KERNEL, "")).account()).isEqualTo(account);
    assertThat(DriverNames.of(type, "a", UID, pool(os, "", "")).account()).isEqualTo(account);
  }

  private static DriverPool pool(OsRelease os, String kernel, String release) {
    return new DriverPool(os, some(kernel), some(release), Map.of());
  }

  private static Optional<String> some(String text) {
    return Optional.of(text).filter(it -> !it.isEmpty());
  }
}
