package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Who writes an object: a GitOps tool, or users by hand.
public final class Managers {
  /// Of users and scripts: what they have set is in no values file.
  private static final Pattern BY_HAND = Pattern.compile("kubectl.*|k9s|lens|.*-edit|Mozilla.*");

  private static final String ARGO = "argocd.argoproj.io/";
  private static final String HELM_CONTROLLER = "helm.toolkit.fluxcd.io/";
  private static final String KUSTOMIZE = "kustomize.toolkit.fluxcd.io/";

  private Managers() {}

  /// Such as `Flux HelmRelease gpu-operator/gpu-operator`; empty where none has put its mark there.
  static String tool(Json metadata) {
    Json labels = metadata.at("labels");
    String tracked = metadata.at("annotations", ARGO + "tracking-id").text();
    String instance = labels.at(ARGO + "instance").text();
    if (!tracked.isEmpty() || !instance.isEmpty() || isWriter(metadata, "argocd-controller")) {
      String name = tracked.isEmpty() ? instance : tracked.replaceFirst(":.*", "");
      return ("Argo CD Application " + name).strip();
    }
    for (String prefix : List.of(HELM_CONTROLLER, KUSTOMIZE)) {
      String name = labels.at(prefix + "name").text();
      if (!name.isEmpty()) {
        return "Flux %s %s/%s"
            .formatted(
                prefix.equals(KUSTOMIZE) ? "Kustomization" : "HelmRelease",
                labels.at(prefix + "namespace").text(),
                name);
      }
    }
    return "";
  }

  private static boolean isWriter(Json metadata, String manager) {
    return metadata.at("managedFields").items().stream()
        .anyMatch(it -> it.at("manager").text().equals(manager));
  }

  /// Fields of the spec that users have set by hand, by the program with which they did.
  static Map<String, List<String>> byHand(Json metadata) {
    var fields = new TreeMap<String, List<String>>();
    for (Json manager : metadata.at("managedFields").items()) {
      String name = manager.at("manager").text();
      if (BY_HAND.matcher(name).matches() && manager.at("subresource").text().isEmpty()) {
        var paths = new ArrayList<String>();
        leaves("spec", manager.at("fieldsV1", "f:spec").value(), paths);
        if (!paths.isEmpty()) {
          fields.computeIfAbsent(name, _ -> new ArrayList<>()).addAll(paths);
        }
      }
    }
    return fields;
  }

  /// `f:name` is a field; what a list has (`k:`, `v:`) counts as the list.
  private static void leaves(String path, @Nullable Object fields, List<String> paths) {
    if (fields instanceof Map<?, ?> map) {
      List<String> names =
          map.keySet().stream()
              .map(String::valueOf)
              .filter(it -> it.startsWith("f:"))
              .sorted()
              .toList();
      names.forEach(it -> leaves(path + "." + it.substring(2), map.get(it), paths));
      if (names.isEmpty() && !path.equals("spec")) {
        paths.add(path);
      }
    }
  }
}
