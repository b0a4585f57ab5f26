package dev.pitcrew.testbed.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/// The machine that figures were taken on, without its name.
record Machine(String processor, int cores, long memoryGib, String kernel, String jdk) {
  private static final Path PROC = Path.of("/proc");
  private static final long KIB_PER_GIB = 1 << 20;

  static Machine here() {
    return new Machine(
        field("cpuinfo", "model name"),
        Runtime.getRuntime().availableProcessors(),
        Math.round(
            Double.parseDouble(field("meminfo", "MemTotal").replace(" kB", "")) / KIB_PER_GIB),
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        System.getProperty("java.vendor") + " " + System.getProperty("java.vm.version"));
  }

  String markdown() {
    return "%s, %d cores, %d GiB of memory, %s, JDK %s"
        .formatted(processor, cores, memoryGib, kernel, jdk);
  }

  private static String field(String file, String name) {
    var line = Pattern.compile("(?m)^" + name + "\\s*:\\s*(?<value>.*)$");
    try {
      var found = line.matcher(Files.readString(PROC.resolve(file)));
      return found.find() ? found.group("value").strip() : "unknown";
    } catch (IOException e) {
      throw new UncheckedIOException("read /proc/" + file, e);
    }
  }
}
