package dev.pitcrew.agent.host;

import dev.pitcrew.hardware.HostRoot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A handler that a file gives a container runtime.
///
/// @param name for which a RuntimeClass may ask
/// @param program that starts its containers; an empty text where the file names none
public record RuntimeHandler(String file, String name, String program) {
  private static final String NVIDIA = "nvidia";
  private static final String WRAPPER = "nvidia-container-runtime";
  private static final Set<String> PLAIN = Set.of("", "runc", "crun");

  /// The table of a handler or of its options, as containerd and CRI-O have it.
  private static final Pattern TABLE =
      Pattern.compile(
          "^\\s*\\[[^\\]#]*\\bruntimes\\.(?:\"([^\"]+)\"|'([^']+)'|([\\w-]+))(?:\\.options)?\\]");

  private static final Pattern ANY_TABLE = Pattern.compile("^\\s*\\[");
  private static final Pattern PROGRAM =
      Pattern.compile("^\\s*(?:BinaryName|runtime_path)\\s*=\\s*[\"']([^\"']*)[\"']");

  /// Docker's.
  private static final Pattern MEMBER =
      Pattern.compile("\"([^\"]+)\"\\s*:\\s*\\{[^{}]*?\"path\"\\s*:\\s*\"([^\"]*)\"");

  /// Those that a file has, in their order.
  static List<RuntimeHandler> in(HostRoot host, String file) {
    String text = host.text(file).orElse("");
    return file.endsWith(".json") ? inJson(file, text) : inToml(file, text);
  }

  /// Whether it brings GPUs into containers. AKS calls its own `nvidia-container-runtime`, and has
  /// that program under other names too. One of the right name that starts what all containers
  /// start with does not bring any on its own, and may be ours.
  boolean isForGpus() {
    return programName().startsWith(WRAPPER) || (name.startsWith(NVIDIA) && !isPlain());
  }

  private boolean isPlain() {
    return PLAIN.contains(programName());
  }

  /// Whether NVIDIA's container toolkit has made it as an operand of the cluster, which goes with
  /// that operand: its programs lie in a folder `toolkit` below `spec.toolkit.installDir`.
  boolean isOfOperand() {
    return program.contains("/toolkit/" + WRAPPER);
  }

  private String programName() {
    return program.substring(program.lastIndexOf('/') + 1);
  }

  private static List<RuntimeHandler> inToml(String file, String text) {
    Map<String, String> programs = new LinkedHashMap<>();
    Optional<String> current = Optional.empty();
    for (String line : text.lines().toList()) {
      Matcher table = TABLE.matcher(line);
      Matcher program = PROGRAM.matcher(line);
      if (table.find()) {
        current = Optional.of(name(table));
        programs.putIfAbsent(current.get(), "");
      } else if (ANY_TABLE.matcher(line).find()) {
        current = Optional.empty();
      } else if (current.isPresent() && program.find()) {
        programs.put(current.get(), program.group(1));
      }
    }
    return programs.entrySet().stream()
        .map(each -> new RuntimeHandler(file, each.getKey(), each.getValue()))
        .toList();
  }

  private static String name(Matcher table) {
    for (int group = 1; group <= table.groupCount(); group++) {
      if (table.group(group) != null) {
        return table.group(group);
      }
    }
    return "";
  }

  private static List<RuntimeHandler> inJson(String file, String text) {
    List<RuntimeHandler> handlers = new ArrayList<>();
    Matcher member = MEMBER.matcher(text);
    while (member.find()) {
      handlers.add(new RuntimeHandler(file, member.group(1), member.group(2)));
    }
    return List.copyOf(handlers);
  }
}
