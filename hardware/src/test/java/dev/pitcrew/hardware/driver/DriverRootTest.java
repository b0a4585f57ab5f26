package dev.pitcrew.hardware.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverRootTest {
  @TempDir Path host = Path.of("");

  /// As on a machine whose image brings the driver to `/usr/local/nvidia`: the cache has the names
  /// that programs link against, and no file with a version in its name.
  @Test
  void versionIsThatOfTheFileBehindTheNameInTheCache() throws IOException {
    new Tree(host)
        .file("/usr/local/nvidia/lib64/libcuda.so.580.159.04")
        .link("/usr/local/nvidia/lib64/libcuda.so.1", "libcuda.so.580.159.04")
        .file(
            "/etc/ld.so.cache",
            LibraryCacheTest.cache(0x0303, "libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1"));
    DriverRoot root = DriverRoot.find(new HostRoot(host)).orElseThrow();

    assertThat(root.hasCuda()).isTrue();
    assertThat(root.version()).contains("580.159.04");
  }

  @Test
  void driverContainersRootComesFirst() throws IOException {
    new Tree(host)
        .file("/usr/lib64/libcuda.so.550.1.1")
        .file("/run/nvidia/driver/usr/lib64/libcuda.so.560.1.1")
        .folder("/run/nvidia/driver/dev");
    DriverRoot root = DriverRoot.find(new HostRoot(host)).orElseThrow();
    assertThat(root.filesOnHost()).isEqualTo("/run/nvidia/driver");
    assertThat(root.devicesOnHost()).isEqualTo("/run/nvidia/driver");
  }

  @Test
  void hostsOwnDriverIsNext() throws IOException {
    new Tree(host)
        .file("/usr/lib64/libcuda.so.550.1.1")
        .folder("/run/nvidia/driver")
        .folder("/dev");
    assertThat(DriverRoot.find(new HostRoot(host)).orElseThrow().filesOnHost()).isEqualTo("/");
  }

  @Test
  void devicesOfAnInstallersFolderAreTheHosts() throws IOException {
    new Tree(host).file("/home/kubernetes/bin/nvidia/lib64/libcuda.so.550.1.1");
    DriverRoot root = DriverRoot.find(new HostRoot(host)).orElseThrow();
    assertThat(root.filesOnHost()).isEqualTo("/home/kubernetes/bin/nvidia");
    assertThat(root.devicesOnHost()).isEqualTo("/");
    assertThat(root.devices().folder()).isEqualTo(host);
  }

  @Test
  void linkToADriverRootIsFollowedOnTheHostAndNotHere() throws IOException {
    new Tree(host).folder("/opt/driver").link("/run/nvidia/driver", "/opt/driver");
    DriverRoot root = DriverRoot.below(new HostRoot(host), "/run/nvidia/driver", Optional.empty());
    assertThat(root.files().folder()).isEqualTo(host.resolve("opt/driver"));
    assertThat(root.filesOnHost()).isEqualTo("/run/nvidia/driver");
  }

  @Test
  void driverRootWithoutDevicesTakesTheHosts() throws IOException {
    HostRoot driver = new HostRoot(host.resolve("driver-root"));
    DriverRoot root =
        DriverRoot.at(driver, "/run/nvidia/driver", new HostRoot(host), Optional.empty());
    assertThat(root.devices()).isEqualTo(new HostRoot(host));
    assertThat(root.devicesOnHost()).isEqualTo("/");

    new Tree(host).folder("/driver-root/dev");
    root = DriverRoot.at(driver, "/run/nvidia/driver", new HostRoot(host), Optional.empty());
    assertThat(root.devices()).isEqualTo(driver);
    assertThat(root.devicesOnHost()).isEqualTo("/run/nvidia/driver");
  }

  @Test
  void withoutADriverThereIsNoRoot() {
    assertThat(DriverRoot.find(new HostRoot(host))).isEmpty();
  }
}
