package dev.pitcrew.image;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Where each jar lies in the image, so that what both processes need is there once.
///
/// @param places path below the image's `lib` to the jar
record ClassPaths(SortedMap<String, Path> places) {
  private static final String SHARED = "shared/";

  /// @param operator the jars of the operator
  /// @param agent the jars of the agent
  static ClassPaths of(List<Path> operator, List<Path> agent) {
    var places = new TreeMap<String, Path>();
    put(places, "operator/", operator, names(agent));
    put(places, "agent/", agent, names(operator));
    return new ClassPaths(places);
  }

  private static void put(
      SortedMap<String, Path> places, String folder, List<Path> jars, Collection<String> others) {
    for (var jar : jars) {
      var name = jar.getFileName().toString();
      places.put((others.contains(name) ? SHARED : folder) + name, jar);
    }
  }

  private static Collection<String> names(List<Path> jars) {
    return jars.stream().map(jar -> jar.getFileName().toString()).collect(Collectors.toSet());
  }
}
