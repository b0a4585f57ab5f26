package dev.pitcrew.testbed.trouble;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import io.fabric8.kubernetes.api.model.flowcontrol.v1.FlowSchema;
import io.fabric8.kubernetes.api.model.flowcontrol.v1.FlowSchemaStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// An API server that has no room for one user and answers it 429 with Retry-After: 1, while all
/// others are served. It lasts until it is closed, a minute at the most.
///
/// API priority and fairness (KEP-1040) does it: the user shares a priority level without a queue
/// with an [Occupant] of its only seat.
public final class Overload implements AutoCloseable {
  private static final long LIMIT_SECONDS = 120;
  private static final String LEVEL =
      """
      apiVersion: flowcontrol.apiserver.k8s.io/v1
      kind: PriorityLevelConfiguration
      metadata:
        name: overload
      spec:
        type: Limited
        limited:
          nominalConcurrencyShares: 0
          lendablePercent: 0
          borrowingLimitPercent: 0
          limitResponse:
            type: Reject
      """;

  /// Only the precedence 1 goes before it, which is taken.
  private static final String SCHEMA =
      """
      apiVersion: flowcontrol.apiserver.k8s.io/v1
      kind: FlowSchema
      metadata:
        name: %s
      spec:
        matchingPrecedence: 2
        priorityLevelConfiguration:
          name: overload
        rules:
        - subjects:
          - kind: User
            user:
              name: '%s'
          resourceRules:
          - verbs: [%s]
            apiGroups: ['*']
            resources: ['*']
            namespaces: ['*']
            clusterScope: true
      """;

  private final KubernetesClient client;
  private @Nullable Occupant occupant;

  private Overload(KubernetesClient client) {
    this.client = client;
  }

  /// Refuses every request of `user`; watches that run go on.
  public static Overload of(ControlPlane controlPlane, String user) {
    return of(controlPlane, user, "'*'");
  }

  /// Refuses what would change something.
  public static Overload ofWrites(ControlPlane controlPlane, String user) {
    return of(controlPlane, user, "create, update, patch, delete");
  }

  private static Overload of(ControlPlane controlPlane, String user, String verbs) {
    var overload = new Overload(controlPlane.client());
    try {
      overload.create(LEVEL);
      overload.refuse("overload-occupant", Occupant.USER, "'*'");
      overload.occupant = Occupant.enter(controlPlane);
      overload.refuse("overload", user, verbs);
      return overload;
    } catch (RuntimeException | Error e) {
      overload.close();
      throw e;
    }
  }

  private void refuse(String schema, String user, String verbs) {
    create(SCHEMA.formatted(schema, user, verbs));
    client
        .flowControl()
        .v1()
        .flowSchema()
        .withName(schema)
        .waitUntilCondition(Overload::isInForce, LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    for (var schema : List.of("overload", "overload-occupant")) {
      client.flowControl().v1().flowSchema().withName(schema).delete();
    }
    client.flowControl().v1().priorityLevelConfigurations().withName("overload").delete();
    if (occupant != null) {
      occupant.close();
    }
  }

  private void create(String yaml) {
    client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))).create();
  }

  /// The API server reports on a schema once it follows it.
  private static boolean isInForce(FlowSchema schema) {
    return Optional.ofNullable(schema.getStatus()).map(FlowSchemaStatus::getConditions).stream()
        .flatMap(List::stream)
        .anyMatch(condition ->
            condition.getType().equals("Dangling") && condition.getStatus().equals("False"));
  }
}
