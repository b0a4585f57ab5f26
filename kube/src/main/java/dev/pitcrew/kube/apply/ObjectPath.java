package dev.pitcrew.kube.apply;

import io.fabric8.kubernetes.api.Pluralize;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Where the API server serves an object.
final class ObjectPath {

  private ObjectPath() {}

  static String of(HasMetadata object) {
    String root = object.getApiVersion().contains("/") ? "/apis/" : "/api/";
    @Nullable String namespace = object.getMetadata().getNamespace();
    String scope = namespace == null || namespace.isEmpty() ? "" : "/namespaces/" + namespace;
    return root
        + object.getApiVersion()
        + scope
        + "/"
        + plural(object)
        + "/"
        + object.getMetadata().getName();
  }

  private static String plural(HasMetadata object) {
    return object instanceof GenericKubernetesResource
        ? Pluralize.toPlural(object.getKind().toLowerCase(Locale.ROOT))
        : object.getPlural();
  }
}
