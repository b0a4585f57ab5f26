package dev.pitcrew.agent.realnode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/// Names the place at which agents of a node end; they may run already. An agent that recovered
/// from one kill can so be the one that is killed next.
///
/// @param folder this process and the node see it under the same name
record KillSwitch(Path folder) {
  /// @param places all that may be armed, as [KillAgent] takes them
  static KillSwitch in(Path folder, Collection<String> places) {
    try {
      Files.createDirectories(folder);
      KillAgent.jarIn(folder);
      var created = new KillSwitch(folder);
      Files.write(created.list(), places.stream().distinct().toList());
      created.disarm();
      return created;
    } catch (IOException e) {
      throw new UncheckedIOException("prepare " + folder, e);
    }
  }

  /// From now on, agents end at this place.
  void arm(String place) {
    Path draft = folder.resolve("draft");
    try {
      Files.writeString(draft, place);
      Files.move(draft, armed(), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException("arm " + place, e);
    }
  }

  void disarm() {
    try {
      Files.deleteIfExists(armed());
    } catch (IOException e) {
      throw new UncheckedIOException("disarm", e);
    }
  }

  /// How to start an agent that it can kill.
  JvmOnNode.Surroundings surroundings() {
    return new JvmOnNode.Surroundings(
        Map.of(),
        List.of("-Djdk.attach.allowAttachSelf=true", "-XX:+EnableDynamicAgentLoading", flag()),
        KillableMain.class.getName());
  }

  private String flag() {
    return "-D" + KillableMain.SWITCH + "=" + folder;
  }

  /// Whether it is a JVM that was started in these surroundings.
  boolean isOf(ProcessHandle process) {
    try {
      Path proc = Path.of("/proc", Long.toString(process.pid()));
      return Files.readString(proc.resolve("comm")).equals("java\n")
          && Files.readString(proc.resolve("cmdline")).contains(flag() + "\0");
    } catch (IOException _) {
      return false; // it has ended
    }
  }

  List<String> places() throws IOException {
    return Files.readAllLines(list());
  }

  private Path list() {
    return folder.resolve("places");
  }

  /// Holds the place that is armed, if there is one.
  Path armed() {
    return folder.resolve("armed");
  }

  Path jar() {
    return folder.resolve(KillAgent.JAR);
  }
}
