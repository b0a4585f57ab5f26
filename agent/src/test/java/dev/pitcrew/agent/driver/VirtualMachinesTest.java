package dev.pitcrew.agent.driver;

import static dev.pitcrew.agent.driver.PreparationBed.IMPATIENT;
import static dev.pitcrew.agent.driver.PreparationBed.LIMIT;
import static dev.pitcrew.agent.driver.PreparationBed.LONG_TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A GPU that is bound to `vfio-pci`, and a virtual machine that has it.
@WithControlPlane
class VirtualMachinesTest {
  private static final String GPU = "0000:0a:00.0";
  private static final String DEVICE = "/sys/bus/pci/devices/" + GPU;
  private static final String UNBIND = "/sys/bus/pci/drivers/vfio-pci/unbind";
  private static final String DESCRIPTOR = "/proc/4711/fd/9";

  @TempDir private Path folder;
  private PreparationBed bed;
  private FakeHost host;

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace) throws IOException {
    bed = PreparationBed.create(plane, namespace.name(), folder);
    host = bed.host();
    host.text(DEVICE + "/vendor", "0x10de\n");
    host.text(DEVICE + "/device", "0x2330\n");
    host.text(DEVICE + "/class", "0x030200\n");
    host.text(DEVICE + "/driver_override", "vfio-pci\n");
    host.link(DEVICE + "/iommu_group", "../../kernel/iommu_groups/12");
    host.link(DEVICE + "/driver", "../../drivers/vfio-pci");
    host.text(UNBIND, "");
    host.text("/proc/4711/comm", "qemu-kvm\n");
    host.link(DESCRIPTOR, "/dev/vfio/12");
  }

  @AfterEach
  void remove() {
    bed.close();
  }

  @Test
  void gpu_isUnboundOnceTheMachineHasEnded() throws Exception {
    try (var background = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<PreparationResult> result = background.submit(() -> bed.run("5678", LONG_TIMEOUT));
      await()
          .atMost(LIMIT)
          .until(() -> bed.said().contains(GPU + ": /dev/vfio/12 is open by process 4711"));
      assertThat(host.at(UNBIND)).isEmptyFile();

      Files.delete(host.at(DESCRIPTOR));

      assertThat(result.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
          .isInstanceOf(PreparationResult.MayStart.class);
    }
    assertThat(host.at(UNBIND)).hasContent(GPU);
    assertThat(bed.said()).isEmpty();
  }

  @Test
  void whereGpusAreForMachinesTheyStayWithThem() throws Exception {
    bed.label("nvidia.com/gpu.deploy.vfio-manager", "true");

    assertThat(bed.run("", IMPATIENT)).isInstanceOf(PreparationResult.MayStart.class);

    Files.delete(host.at(DESCRIPTOR));
    assertThat(bed.run("", IMPATIENT)).isInstanceOf(PreparationResult.MayStart.class);
    assertThat(host.at(UNBIND)).as("who comes next would bind it again").isEmptyFile();
    assertThat(host.at(DEVICE + "/driver_override")).hasContent("vfio-pci");
  }
}
