package dev.pitcrew.hardware.driver;

import java.util.List;

/// A library and the links under which programs look for it.
public record DriverLibrary(DriverFile file, List<Link> links) {
  public DriverLibrary {
    links = List.copyOf(links);
  }
}
