package dev.pitcrew.agent.cluster;

import java.util.Optional;
import java.util.regex.Pattern;

/// Which object of the cluster. Every part has been checked, so that none can lead elsewhere.
///
/// See [API concepts](https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris).
public final class ObjectPath {
  private static final Pattern API_VERSION = Pattern.compile("([a-z0-9][a-z0-9.-]*/)?v[a-z0-9]+");
  private static final Pattern WORD = Pattern.compile("[a-z0-9]([a-z0-9-]*[a-z0-9])?");

  /// A DNS subdomain name (RFC 1123), as most kinds want it.
  private static final Pattern NAME =
      Pattern.compile("[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*");

  private static final String CORE = "/api/";
  private static final int LONGEST_NAME = 253;

  private final String collection;
  private final String name;
  private final Optional<String> subresource;

  private ObjectPath(String collection, String name, Optional<String> subresource) {
    this.collection = collection;
    this.name = name;
    this.subresource = subresource;
  }

  /// An object of the cluster, such as `v1`, `nodes`, `n1`.
  ///
  /// @param apiVersion `v1`, or group and version
  /// @throws IllegalArgumentException for what cannot be part of a path; see [#isName]
  public static ObjectPath of(String apiVersion, String resource, String name) {
    return new ObjectPath(
        root(apiVersion) + "/" + checked(WORD, "resource", resource),
        checkedName(name),
        Optional.empty());
  }

  /// An object of a namespace, such as `v1`, `configmaps`, `default`, `c1`.
  public static ObjectPath of(String apiVersion, String resource, String namespace, String name) {
    return new ObjectPath(
        "%s/namespaces/%s/%s"
            .formatted(
                root(apiVersion),
                checked(WORD, "namespace", namespace),
                checked(WORD, "resource", resource)),
        checkedName(name),
        Optional.empty());
  }

  /// An object of the cluster that is yet to be created, and which the server names after its
  /// `metadata.generateName`.
  public static ObjectPath unnamed(String apiVersion, String resource) {
    return new ObjectPath(
        root(apiVersion) + "/" + checked(WORD, "resource", resource), "", Optional.empty());
  }

  /// Whether an object can have this name: for names that people write.
  public static boolean isName(String name) {
    return name.length() <= LONGEST_NAME && NAME.matcher(name).matches();
  }

  /// The subresource `status` of this object.
  public ObjectPath status() {
    return new ObjectPath(collection, name, Optional.of("status"));
  }

  public String name() {
    return name;
  }

  /// Whether every API server serves this kind.
  boolean isCore() {
    return collection.startsWith(CORE);
  }

  /// The path of all objects of this kind, in the namespace if there is one.
  String collection() {
    return collection;
  }

  @Override
  public String toString() {
    return collection + "/" + name + subresource.map(part -> "/" + part).orElse("");
  }

  private static String root(String apiVersion) {
    return (apiVersion.contains("/") ? "/apis/" : CORE)
        + checked(API_VERSION, "API version", apiVersion);
  }

  private static String checkedName(String name) {
    if (!isName(name)) {
      throw new IllegalArgumentException(
          "name: '%s' is not a DNS subdomain name of at most %d characters"
              .formatted(name, LONGEST_NAME));
    }
    return name;
  }

  private static String checked(Pattern allowed, String what, String value) {
    if (!allowed.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "%s: '%s' does not match %s".formatted(what, value, allowed));
    }
    return value;
  }
}
