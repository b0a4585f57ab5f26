package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.node.RealNode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.Year;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What the kubelet says of the devices of one resource, in its log, with the time to a
/// microsecond. It takes [#VERBOSITY] (pkg/kubelet/cm/devicemanager).
record KubeletLog(Path path, String resource) {
  /// The line of a KubeletConfiguration without which device lists are not logged.
  static final String VERBOSITY = "logging: {verbosity: 2}";

  /// Whole GPUs.
  static final String GPU = "nvidia.com/gpu";

  private static final Pattern LINE =
      Pattern.compile(
          "I(?<time>\\d{4} [0-9:.]{15})\\s+\\d+ \\S+] \"(?<what>[^\"]*)\".*"
              + " resourceName=\"(?<resource>[^\"]*)\"(?<rest>.*)");
  private static final Pattern HEALTHY = Pattern.compile("healthyCount=(\\d+)");
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd HH:mm:ss.SSSSSS");

  /// One line about the resource.
  ///
  /// @param healthy how many devices are healthy from now on, where the line says it
  record Said(Instant time, String what, Optional<Integer> healthy) {
    boolean isRegistration() {
      return what.startsWith("Got registration request");
    }

    /// Whether the stream of a plugin of the resource has ended.
    boolean isLoss() {
      return what.startsWith("Mark all resources Unhealthy");
    }

    /// Whether the kubelet has just taken a list with as many healthy devices.
    boolean isList(int healthyDevices) {
      return healthy.equals(Optional.of(healthyDevices));
    }
  }

  static KubeletLog of(RealNode node, String resource) {
    return new KubeletLog(node.path("/node/log/kubelet.log"), resource);
  }

  /// Where the log ends now.
  long end() {
    try {
      return Files.size(path);
    } catch (IOException e) {
      throw new UncheckedIOException("look at the kubelet's log " + path, e);
    }
  }

  /// What was said since the log ended at `mark`.
  List<Said> since(long mark) {
    try (var file = new RandomAccessFile(path.toFile(), "r")) {
      file.seek(mark);
      var bytes = new byte[Math.toIntExact(file.length() - mark)];
      file.readFully(bytes);
      return parse(new String(bytes, StandardCharsets.UTF_8), resource);
    } catch (IOException e) {
      throw new UncheckedIOException("read the kubelet's log " + path, e);
    }
  }

  static List<Said> parse(String text, String resource) {
    return text.lines()
        .map(LINE::matcher)
        .filter(Matcher::matches)
        .filter(line -> line.group("resource").equals(resource))
        .map(KubeletLog::said)
        .toList();
  }

  /// klog leaves the year and the zone out.
  private static Said said(Matcher line) {
    var time = LocalDateTime.parse(Year.now(ZoneId.systemDefault()) + line.group("time"), TIME);
    return new Said(
        time.atZone(ZoneId.systemDefault()).toInstant(),
        line.group("what"),
        HEALTHY
            .matcher(line.group("rest"))
            .results()
            .findFirst()
            .map(found -> Integer.valueOf(found.group(1))));
  }
}
