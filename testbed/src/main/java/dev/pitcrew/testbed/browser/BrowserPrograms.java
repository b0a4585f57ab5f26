package dev.pitcrew.testbed.browser;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// The browser and its driver, by the names that distributions give them.
final class BrowserPrograms {
  private BrowserPrograms() {}

  static boolean areInstalled() {
    return browser().isPresent() && driver().isPresent();
  }

  static Optional<Path> browser() {
    return find(List.of("chromium", "chromium-browser", "google-chrome"));
  }

  static Optional<Path> driver() {
    return find(List.of("chromedriver"));
  }

  private static Optional<Path> find(List<String> names) {
    String path = System.getenv().getOrDefault("PATH", "") + ":/usr/bin";
    return names.stream()
        .flatMap(name ->
            Arrays.stream(path.split(":", -1))
                .filter(folder -> !folder.isBlank())
                .map(folder -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
