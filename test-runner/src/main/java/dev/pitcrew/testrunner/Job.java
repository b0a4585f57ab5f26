package dev.pitcrew.testrunner;

import java.nio.file.Path;
import java.util.List;

/// What a lane runs in one go.
sealed interface Job {
  /// How the job is called in reports.
  String name();

  /// A test class of a module.
  ///
  /// @param className with its package
  record TestClass(TestModule module, String className) implements Job {
    @Override
    public String name() {
      var root = "dev.pitcrew." + module.name().replace("-", "") + ".";
      return module.name()
          + " "
          + (className.startsWith(root) ? className.substring(root.length()) : className);
    }

    Path source() {
      return module
          .folder()
          .resolve("src/test/java")
          .resolve(className.replace('.', '/') + ".java");
    }
  }

  /// A command of the project that checks something, such as the tests of the C programs.
  record Command(String name, List<String> words, Path folder) implements Job {}
}
