package dev.pitcrew.agent.validation;

import dev.pitcrew.agent.state.WholeFile;
import dev.pitcrew.api.node.ValidationState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// The files of NVIDIA's operator validator, such as `driver-ready`, for which containers of other
/// operands wait. Here they are levels: each is there exactly while its check passes. Files of
/// others in the folder are not touched, and neither is any while the agent does not validate.
public final class StatusFiles {
  /// The file ends up in a shell of those who wait for it.
  private static final Pattern HARMLESS = Pattern.compile("/[A-Za-z0-9._/+-]*");

  /// Where NVIDIA's operator validator has them on the host.
  static final String ON_HOST = "/run/nvidia/validations";

  private static final String HOST = "/";

  private final Path folder;

  /// @param folder such as `/run/nvidia/validations`
  public StatusFiles(Path folder) {
    this.folder = folder;
  }

  /// Makes the files say what the checks say; one that says it already is not touched.
  ///
  /// @return what could not be done
  public List<String> keep(List<Check> checks, DriverFacts.Files driver) {
    return plan(checks, driver).entrySet().stream()
        .flatMap(file -> keep(file.getKey(), file.getValue()).stream())
        .toList();
  }

  /// The content of each file; empty where there is to be none. What is not known stays as it is.
  static Map<String, Optional<String>> plan(List<Check> checks, DriverFacts.Files driver) {
    Map<String, Optional<String>> files = new TreeMap<>();
    for (Check check : checks) {
      if (check.state() != ValidationState.UNKNOWN) {
        check.component().statusFile().ifPresent(name -> files.put(name, content(check, driver)));
      }
    }
    return files;
  }

  private static Optional<String> content(Check check, DriverFacts.Files driver) {
    if (!check.isPassed()) {
      return Optional.empty();
    }
    return check.component() == Component.DRIVER ? roots(driver) : Optional.of("");
  }

  /// Where NVIDIA's operands find the driver: they mount the host's root at `/host` and the
  /// driver's at `/driver-root`.
  private static Optional<String> roots(DriverFacts.Files driver) {
    boolean isHost = driver.rootOnHost().equals(HOST);
    boolean hasDevices = !isHost && driver.devicesOnHost().equals(driver.rootOnHost());
    String lines =
        """
        IS_HOST_DRIVER=%s
        NVIDIA_DRIVER_ROOT=%s
        DRIVER_ROOT_CTR_PATH=%s
        NVIDIA_DEV_ROOT=%s
        DEV_ROOT_CTR_PATH=%s
        """
            .formatted(
                isHost,
                driver.rootOnHost(),
                isHost ? "/host" : "/driver-root",
                hasDevices ? driver.rootOnHost() : HOST,
                hasDevices ? "/driver-root" : "/host");
    return Optional.of(lines).filter(_ -> HARMLESS.matcher(driver.rootOnHost()).matches());
  }

  private Optional<String> keep(String name, Optional<String> content) {
    Path file = folder.resolve(name);
    try {
      if (content.isEmpty()) {
        WholeFile.remove(file);
      } else if (!says(file, content.get())) {
        WholeFile.replaceForAll(file, content.get());
      }
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(
          "%s cannot be kept up to date (%s): make %s writable for the agent; containers that wait for it do not start"
              .formatted(file, e, folder));
    }
  }

  private static boolean says(Path file, String content) throws IOException {
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    return Files.isRegularFile(file)
        && Files.size(file) == bytes.length
        && Files.readString(file).equals(content);
  }
}
