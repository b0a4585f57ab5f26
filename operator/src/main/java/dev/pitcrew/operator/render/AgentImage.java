package dev.pitcrew.operator.render;

import dev.pitcrew.api.fleetpolicy.AgentImageSpec;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The image of the node agent: the operator's own, of which a FleetPolicy may replace each part.
public final class AgentImage {
  /// The operator's own image, set by the chart.
  public static final String VARIABLE = "PITCREW_IMAGE";

  private AgentImage() {}

  public static Optional<Problem> problem(AgentImageSpec given, RenderContext context) {
    return isWhole(given) || !own(context).isEmpty()
        ? Optional.empty()
        : Optional.of(
            Problem.of(
                "ImageInvalid",
                "FleetPolicy spec.agent.image",
                Objects.requireNonNullElse(given.image(), ""),
                "the operator does not know its own image ("
                    + VARIABLE
                    + " is not set), so give repository, image and version"));
  }

  public static String path(AgentImageSpec given, RenderContext context) {
    String own = own(context);
    int name = own.lastIndexOf('/') + 1;
    int tag = Math.max(own.indexOf(':', name), own.indexOf('@', name));
    String repository = name == 0 ? "" : own.substring(0, name - 1);
    String image = own.substring(name, tag < 0 ? own.length() : tag);
    String version = tag < 0 ? "" : own.substring(tag + 1);
    return join(
        orElse(given.repository(), repository),
        orElse(given.image(), image),
        orElse(given.version(), version));
  }

  private static String join(String repository, String image, String version) {
    String path = repository.isEmpty() ? image : repository + "/" + image;
    return version.isEmpty() ? path : path + Images.separator(version) + version;
  }

  private static boolean isWhole(AgentImageSpec given) {
    return given.repository() != null && given.image() != null && given.version() != null;
  }

  private static String own(RenderContext context) {
    return context.images().environment().getOrDefault(VARIABLE, "");
  }

  private static String orElse(@Nullable String given, String own) {
    return given == null || given.isEmpty() ? own : given;
  }
}
