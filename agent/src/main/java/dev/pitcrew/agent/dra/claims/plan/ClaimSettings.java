package dev.pitcrew.agent.dra.claims.plan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.dra.claims.plan.AllocatedClaim.Result;
import dev.pitcrew.agent.dra.claims.plan.AllocatedClaim.Setting;
import dev.pitcrew.device.dra.ClaimDevice;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The settings of NVIDIA's DRA driver (`resource.nvidia.com/v1beta1`), decoded strictly: any user
/// who may create a claim writes them, so every tree has an answer and none an exception.
///
/// No setting changes anything yet: a sharing strategy is refused as NVIDIA's driver refuses it
/// while the feature gates TimeSlicingSettings and MPSSupport are off, which is their default.
public final class ClaimSettings {
  private static final String API = "resource.nvidia.com/v1beta1";
  private static final int LONGEST = 80;
  private static final int ALL = 100;
  private static final int DEFAULTS = 2;

  /// As the API server accepts quantities (apimachinery, `resource.Quantity`).
  private static final Pattern QUANTITY =
      Pattern.compile(
          "[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?");

  private static final Map<String, Schema> KINDS =
      Map.of(
          "GpuConfig",
          kind("sharing", sharing(true)),
          "MigDeviceConfig",
          kind("sharing", sharing(false)),
          "VfioDeviceConfig",
          kind(
              "iommu",
              object(
                  Map.of(
                      "backendPolicy",
                      oneOf("LegacyOnly", "PreferIommuFD"),
                      "enableAPIDevice",
                      ClaimSettings::bool))));

  private ClaimSettings() {}

  /// Why a value is not valid, with its field; empty for a valid one.
  private interface Schema extends BiFunction<String, JsonNode, Optional<String>> {}

  /// Whether the settings of a claim can be applied.
  public sealed interface Verdict {
    record Applies() implements Verdict {}

    /// @param reason names field, value and remedy
    record Refused(String reason) implements Verdict {}
  }

  /// @param devices those of the node, by name
  public static Verdict verdict(AllocatedClaim claim, Map<String, ClaimDevice> devices) {
    return claim.settings().stream()
        .flatMap(setting -> problem(setting, claim.results(), devices).stream())
        .findFirst()
        .<Verdict>map(Verdict.Refused::new)
        .orElseGet(Verdict.Applies::new);
  }

  /// Which setting is in force for a device, as a number by which NVIDIA's driver orders them: the
  /// defaults of MIG devices and of GPUs, then those of the claim. The last one that fits wins.
  static int inForce(AllocatedClaim claim, Result result, ClaimDevice device) {
    int last = device instanceof ClaimDevice.MigPart ? 0 : 1;
    for (int i = 0; i < claim.settings().size(); i++) {
      Setting setting = claim.settings().get(i);
      boolean fits = setting.parameters().path("kind").asText().equals(kindOf(device));
      if (fits && (setting.requests().isEmpty() || setting.names(result))) {
        last = DEFAULTS + i;
      }
    }
    return last;
  }

  private static Optional<String> problem(
      Setting setting, List<Result> results, Map<String, ClaimDevice> devices) {
    JsonNode parameters = setting.parameters();
    return invalid(setting.field(), parameters)
        .or(() -> misapplied(setting, results, devices))
        .or(() ->
            results.stream()
                .filter(result -> setting.requests().isEmpty() || setting.names(result))
                .flatMap(_ -> notProvided(setting).stream())
                .findFirst());
  }

  private static Optional<String> invalid(String field, JsonNode parameters) {
    if (!parameters.isObject()) {
      return Optional.of(field + " is not an object");
    }
    String version = parameters.path("apiVersion").asText("");
    String kind = parameters.path("kind").asText("");
    Schema schema = KINDS.get(kind);
    if (!version.equals(API) || schema == null) {
      return Optional.of(
          "%s is '%s' of '%s': use %s of %s"
              .formatted(field, cut(kind), cut(version), names(KINDS.keySet()), API));
    }
    return schema.apply(field, parameters);
  }

  /// A setting without requests is for the devices that its kind fits.
  private static Optional<String> misapplied(
      Setting setting, List<Result> results, Map<String, ClaimDevice> devices) {
    String kind = setting.parameters().path("kind").asText();
    return results.stream()
        .filter(setting::names)
        .flatMap(result -> {
          String wanted =
              Optional.ofNullable(devices.get(result.device()))
                  .map(ClaimSettings::kindOf)
                  .orElse(kind);
          return wanted.equals(kind)
              ? Stream.empty()
              : Stream.of(
                  "%s is a %s, and request %s has device %s, which takes a %s"
                      .formatted(setting.field(), kind, result.request(), result.device(), wanted));
        })
        .findFirst();
  }

  private static String kindOf(ClaimDevice device) {
    return switch (device) {
      case ClaimDevice.WholeGpu _ -> "GpuConfig";
      case ClaimDevice.MigPart _ -> "MigDeviceConfig";
    };
  }

  private static Optional<String> notProvided(Setting setting) {
    JsonNode strategy = setting.parameters().at("/sharing/strategy");
    return strategy.isMissingNode()
        ? Optional.empty()
        : Optional.of(
            "%s.sharing.strategy is '%s', which this driver does not provide yet: remove sharing, or share a node's GPUs by the device plugin"
                .formatted(setting.field(), cut(strategy.asText())));
  }

  private static Schema sharing(boolean hasInterval) {
    Schema mps =
        object(
            Map.of(
                "defaultActiveThreadPercentage",
                ClaimSettings::percentage,
                "defaultPinnedDeviceMemoryLimit",
                ClaimSettings::quantity,
                "defaultPerDevicePinnedMemoryLimit",
                mapOf(ClaimSettings::quantity),
                "multiUser",
                ClaimSettings::bool));
    Schema fields =
        object(
            hasInterval
                ? Map.of(
                    "strategy",
                    oneOf("TimeSlicing", "MPS"),
                    "timeSlicingConfig",
                    object(Map.of("interval", oneOf("Default", "Short", "Medium", "Long"))),
                    "mpsConfig",
                    mps)
                : Map.of("strategy", oneOf("TimeSlicing", "MPS"), "mpsConfig", mps));
    return (field, value) -> fields.apply(field, value).or(() -> mixed(field, value));
  }

  private static Optional<String> mixed(String field, JsonNode sharing) {
    String strategy = sharing.path("strategy").asText("");
    if (strategy.isEmpty()) {
      return Optional.of(field + ".strategy is missing: use TimeSlicing or MPS");
    }
    String other = strategy.equals("MPS") ? "timeSlicingConfig" : "mpsConfig";
    return sharing.path(other).isObject()
        ? Optional.of(
            "%s.%s does not go with strategy %s: remove it".formatted(field, other, strategy))
        : Optional.empty();
  }

  private static Schema kind(String field, Schema schema) {
    return object(
        Map.of("apiVersion", ClaimSettings::text, "kind", ClaimSettings::text, field, schema));
  }

  private static Schema object(Map<String, Schema> fields) {
    return (field, value) -> {
      if (value.isNull()) {
        return Optional.empty();
      }
      if (!value.isObject()) {
        return Optional.of(field + " is not an object");
      }
      return value.properties().stream()
          .flatMap(entry -> {
            String below = field + "." + cut(entry.getKey());
            Schema schema = fields.get(entry.getKey());
            return schema == null
                ? Stream.of(
                    "%s is not known: %s has %s".formatted(below, field, names(fields.keySet())))
                : schema.apply(below, entry.getValue()).stream();
          })
          .findFirst();
    };
  }

  private static Schema mapOf(Schema values) {
    return (field, value) ->
        value.isObject()
            ? value.properties().stream()
                .flatMap(entry ->
                    values.apply(field + "." + cut(entry.getKey()), entry.getValue()).stream())
                .findFirst()
            : Optional.of(field + " is not an object");
  }

  private static Schema oneOf(String... allowed) {
    return (field, value) ->
        value.isTextual() && Set.of(allowed).contains(value.asText())
            ? Optional.empty()
            : Optional.of(
                "%s is '%s': use %s"
                    .formatted(field, cut(value.asText()), String.join(", ", allowed)));
  }

  private static Optional<String> text(String field, JsonNode value) {
    return value.isTextual() ? Optional.empty() : Optional.of(field + " is not a text");
  }

  private static Optional<String> bool(String field, JsonNode value) {
    return value.isBoolean() ? Optional.empty() : Optional.of(field + " is neither true nor false");
  }

  private static Optional<String> percentage(String field, JsonNode value) {
    boolean isWhole = value.isIntegralNumber() && value.canConvertToInt();
    return isWhole && value.asInt() >= 0 && value.asInt() <= ALL
        ? Optional.empty()
        : Optional.of(
            "%s is %s: use a whole number from 0 to 100".formatted(field, cut(value.toString())));
  }

  private static Optional<String> quantity(String field, JsonNode value) {
    return QUANTITY.matcher(value.asText()).matches()
        ? Optional.empty()
        : Optional.of(
            "%s is '%s': use a quantity such as 4Gi".formatted(field, cut(value.asText())));
  }

  private static String names(Set<String> names) {
    return names.stream().sorted().collect(Collectors.joining(", "));
  }

  /// A user's text goes into Events and logs.
  private static String cut(String text) {
    String plain = text.replaceAll("\\p{Cntrl}", "?");
    return plain.length() <= LONGEST ? plain : plain.substring(0, LONGEST) + "…";
  }
}
