package dev.pitcrew.agent.realnode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Names the place at which agents of a node end; they may run already. An agent that recovered
/// from one kill can so be the one that is killed next.
///
/// @param folder this process and the node see it under the same name
record KillSwitch(Path folder) {
  static final String ARMED = "armed";

  /// See native/redefine: a JVM with `-javaagent` uses no AOT cache.
  private static final Path LIBRARY = Path.of("../native/build/redefine.so");

  /// @param places all that may be armed, as [KillAgent] takes them
  /// @param jvm what it kills
  static KillSwitch of(Collection<String> places, JvmOnNode jvm) {
    try {
      var folder = Files.createTempDirectory(jvm.folder(), "kills-");
      var classes = Files.createDirectories(folder.resolve("classes"));
      try (var program = new URLClassLoader(jvm.classPathUrls(), null)) {
        KillAgent.changeInto(classes, Set.copyOf(places), program);
      }
      KillCheck.jarIn(folder);
      Files.copy(LIBRARY, folder.resolve(LIBRARY.getFileName()));
      return new KillSwitch(folder);
    } catch (IOException e) {
      throw new UncheckedIOException("prepare a switch in " + jvm.folder(), e);
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
    var library = folder.resolve(LIBRARY.getFileName());
    return new JvmOnNode.Surroundings(
        Map.of(), List.of("-agentpath:" + library + "=" + folder, flag()));
  }

  private String flag() {
    return "-D" + KillCheck.FOLDER + "=" + folder;
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

  /// Holds the place that is armed, if there is one.
  Path armed() {
    return folder.resolve(ARMED);
  }
}
