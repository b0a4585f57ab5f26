package dev.pitcrew.operator.operand.driver;

import dev.pitcrew.operator.cluster.OsRelease;
import java.util.Optional;

/// Where the package manager of a driver container looks for repositories and certificates.
final class PackagePaths {
  private enum Family {
    RED_HAT("/etc/yum.repos.d", "/etc/pki/ca-trust/extracted/pem"),
    DEBIAN("/etc/apt/sources.list.d", "/usr/local/share/ca-certificates"),
    SUSE("/etc/zypp/repos.d", "/etc/pki/trust/anchors");

    private final String repositories;
    private final String certificates;

    Family(String repositories, String certificates) {
      this.repositories = repositories;
      this.certificates = certificates;
    }
  }

  private PackagePaths() {}

  static Optional<String> repositories(OsRelease os) {
    return family(os).map(family -> family.repositories);
  }

  static Optional<String> certificates(OsRelease os) {
    return family(os).map(family -> family.certificates);
  }

  private static Optional<Family> family(OsRelease os) {
    return switch (os.id()) {
      case "centos", "rhcos", "rhel", "rocky", "ol" -> Optional.of(Family.RED_HAT);
      case "debian", "ubuntu" -> Optional.of(Family.DEBIAN);
      case "sles", "sl-micro" -> Optional.of(Family.SUSE);
      default -> Optional.empty();
    };
  }
}
