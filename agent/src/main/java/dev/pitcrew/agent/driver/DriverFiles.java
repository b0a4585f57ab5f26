package dev.pitcrew.agent.driver;

import dev.pitcrew.agent.driver.plan.LoadedModules;
import dev.pitcrew.hardware.linux.KernelModules.Answer;
import dev.pitcrew.hardware.linux.MountPoints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// What is changed on the node itself. Each change may be made again.
record DriverFiles(DriverPlaces places, ModuleUnloader unloader) {

  /// Takes away what the last driver container left: its root, which went with it, and its process
  /// file.
  ///
  /// @return why it did not work
  Optional<String> tidy() {
    return MountPoints.detach(places.driver()).or(() -> remove(places.processFile()));
  }

  /// All that would pass a driver of the host off as a container's, or one that a container has
  /// begun to load for one that it has loaded.
  ///
  /// @return why it is still there
  Optional<String> forgetContainer() {
    return tidy().or(() -> remove(places.digestFile()));
  }

  /// A driver that has begun to go is none that could be kept, however far it gets: so its digest
  /// goes first.
  Optional<String> forgetDriver() {
    new StuckDriverFile(places.stuckDriverFile()).remove();
    return remove(places.digestFile());
  }

  /// Unloads one after the other, up to the first that stays.
  Answer unload(List<String> modules) throws InterruptedException {
    for (String module : modules) {
      switch (unloadOne(module)) {
        case Answer.Gone() -> {}
        case Answer.InUse(var words) -> {
          return new Answer.InUse(module + ": " + words);
        }
        case Answer.Refused(var words) -> {
          return new Answer.Refused(module + ": " + words);
        }
      }
    }
    return new Answer.Gone();
  }

  private Answer unloadOne(String module) throws InterruptedException {
    return unloader.unload(module);
  }

  /// The kernel's own driver would keep ours from the GPUs.
  ///
  /// @return why it stays
  Optional<String> unloadNouveau() throws InterruptedException {
    boolean isThere =
        HostObservation.modules(places.root()).byName().containsKey(LoadedModules.NOUVEAU);
    if (!isThere) {
      return Optional.empty();
    }
    return switch (unload(List.of(LoadedModules.NOUVEAU))) {
      case Answer.Gone() -> Optional.empty();
      case Answer.InUse(var words) ->
          Optional.of(words + ": a console may use it; blacklist nouveau on the host and reboot");
      case Answer.Refused(var words) -> Optional.of(words);
    };
  }

  private static Optional<String> remove(Path file) {
    try {
      Files.deleteIfExists(file);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("%s cannot be removed (%s)".formatted(file, e));
    }
  }
}
