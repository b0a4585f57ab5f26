package dev.pitcrew.kube.apply;

import static java.net.HttpURLConnection.HTTP_BAD_REQUEST;
import static java.net.HttpURLConnection.HTTP_FORBIDDEN;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.kube.ObjectKey;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes objects as desired by forced server-side apply, and only when something that we own
/// differs.
///
/// It remembers per object what it asked for, which fields the API server then recorded as ours and
/// what they said. An object is applied again when the question changes or when a newer version of
/// the object says something else in one of our fields. Changes of fields that others own cost
/// nothing. After a restart each object is applied once.
///
/// Safe for use by many threads as long as no two of them handle the same object at once.
public final class Applier {

  /// The field manager of the NVIDIA GPU Operator.
  public static final Set<String> FORMER_MANAGERS = Set.of("gpu-operator");

  private static final Logger log = LoggerFactory.getLogger(Applier.class);
  private static final int TAKEOVER_ATTEMPTS = 3;

  private final KubernetesClient client;
  private final KubernetesSerialization json;
  private final FieldManager manager;
  private final Writes writes;
  private final Takeover takeover;
  private final Patches patches;
  private final Map<ObjectKey, Remembered> memory = new ConcurrentHashMap<>();

  /// What is being applied and has not been reported gone since. Forgetting an object removes it
  /// from here first and from the memory second; an apply adds it to the memory first and checks
  /// here second: a late answer does not stay.
  private final Set<ObjectKey> underWay = ConcurrentHashMap.newKeySet();

  public Applier(KubernetesClient client, FieldManager manager) {
    this(client, manager, new Writes(), FORMER_MANAGERS);
  }

  /// An applier that counts its writes in `writes` and takes over what `formerManagers` set by
  /// update.
  public Applier(
      KubernetesClient client, FieldManager manager, Writes writes, Set<String> formerManagers) {
    this.client = client;
    this.json = client.getKubernetesSerialization();
    this.manager = manager;
    this.writes = writes;
    this.takeover = new Takeover(manager, formerManagers);
    this.patches = new Patches(client, manager, writes);
  }

  /// One that writes under another name, takes nothing over and counts its writes here.
  public Applier as(FieldManager other) {
    return new Applier(client, other, writes, Set.of());
  }

  /// Where all writes of this applier are counted.
  public Writes writes() {
    return writes;
  }

  /// Makes the object as desired. The object is remembered, so it must not be changed afterwards.
  ///
  /// @param live the object as a cache shows it; absent means not there yet, or not seen yet when
  ///   we have applied it before
  /// @throws KubeException when the API server cannot be reached or refuses for another reason than
  ///   the object's content
  public ApplyResult apply(HasMetadata desired, Optional<? extends HasMetadata> live) {
    ObjectKey key = ObjectKey.of(desired);
    @Nullable Remembered known = memory.get(key);
    if (known != null && known.question().equals(desired) && isAsAnswered(key, known, live)) {
      return new ApplyResult.Unchanged();
    }
    return valueOrRefusal(() -> {
      if (known == null) {
        live.filter(takeover::concerns).ifPresent(_ -> takeOver(desired));
      }
      return new ApplyResult.Applied(send(key, desired));
    });
  }

  /// Whether the API server has already answered us with a later version of the object than this
  /// one: the cache that shows it has not caught up yet.
  public boolean isAheadOf(HasMetadata live) {
    @Nullable Remembered known = memory.get(ObjectKey.of(live));
    return known != null && known.isNewerThan(live.getMetadata().getResourceVersion());
  }

  /// Forgets an object, so that the next apply writes it again. To be called when a cache reports
  /// it as deleted.
  public void forget(ObjectKey key) {
    underWay.remove(key);
    memory.remove(key);
  }

  /// Forgets the objects of a kind that a complete list does not show. To be called after each new
  /// list: what came and went while no watch ran is never reported as deleted.
  ///
  /// @param listVersion the resourceVersion of the list; what was applied later is kept
  public void forgetMissing(String kind, String listVersion, Predicate<ObjectKey> isListed) {
    underWay.removeIf(key -> key.kind().equals(kind) && !isListed.test(key));
    memory
        .entrySet()
        .removeIf(entry ->
            entry.getKey().kind().equals(kind)
                && !isListed.test(entry.getKey())
                && !entry.getValue().isNewerThan(listVersion));
  }

  /// Forgets all objects of a kind. To be called when its definition has gone: what went with it
  /// may not have been seen to go.
  public void forgetKind(String kind) {
    underWay.removeIf(key -> key.kind().equals(kind));
    memory.keySet().removeIf(key -> key.kind().equals(kind));
  }

  /// Deletes the object that was seen, and no later one of the same name; its dependents follow in
  /// the background. An object that is gone already is a success.
  public void delete(HasMetadata live) {
    delete(live, Dependents.FOLLOW);
  }

  /// Deletes the object that was seen, with a say in what becomes of its dependents.
  public void delete(HasMetadata live, Dependents dependents) {
    patches.delete(live, dependents);
    forget(ObjectKey.of(live));
  }

  /// Asks whether [#delete] would be let through, and deletes nothing.
  ///
  /// @throws KubeException as that would
  public void rehearseDelete(HasMetadata live) {
    patches.rehearseDelete(live);
  }

  /// Gives the object a finalizer: once deleted, it goes no sooner than that is taken away. For
  /// kinds that Kubernetes itself defines. One that is being deleted already takes none, and stays
  /// as it is.
  public void hold(HasMetadata live, String finalizer) {
    patches.hold(live, finalizer);
  }

  /// Takes the finalizer away again.
  public void release(HasMetadata live, String finalizer) {
    patches.release(live, finalizer);
  }

  /// Merges `status` into the object's status, unless it says so already.
  public ApplyResult patchStatus(HasMetadata live, JsonNode status) {
    return valueOrRefusal(() -> patches.status(live, status));
  }

  /// Sets labels and annotations in one patch that holds only those that differ; a null value
  /// removes the key.
  public ApplyResult patchMetadata(
      HasMetadata live,
      Map<String, @Nullable String> labels,
      Map<String, @Nullable String> annotations) {
    return valueOrRefusal(() -> patches.metadata(live, labels, annotations));
  }

  /// Merges `change` into the object (RFC 7396), if the object has not changed since it was seen: a
  /// decision based on outdated state is not written.
  ///
  /// @return the new resourceVersion; empty where the object has changed, or is gone
  /// @throws KubeException when the API server refuses it for another reason
  public Optional<String> mergeIfUnchanged(HasMetadata live, ObjectNode change) {
    return patches.ifUnchanged(live, change);
  }

  /// Carries out a JSON patch (RFC 6902). One of its tests that fails is a refusal.
  public ApplyResult patch(HasMetadata live, JsonNode operations) {
    return valueOrRefusal(() -> patches.operations(live, operations));
  }

  /// Sends a strategic merge patch of the status: of lists, elements are named by their keys.
  public ApplyResult mergeStatus(HasMetadata live, JsonNode part) {
    return valueOrRefusal(() -> patches.statusPart(live, part));
  }

  private boolean isAsAnswered(
      ObjectKey key, Remembered known, Optional<? extends HasMetadata> live) {
    return live.map(seen -> isAsAnswered(key, known, seen)).orElse(true);
  }

  private boolean isAsAnswered(ObjectKey key, Remembered known, HasMetadata live) {
    String version = live.getMetadata().getResourceVersion();
    if (!known.isOlderThan(version)) {
      return true;
    }
    boolean same = known.uid().equals(live.getMetadata().getUid());
    boolean matches = same && known.matches(asTree(live, known.question()));
    if (matches) {
      memory.computeIfPresent(key, (_, now) -> now.seenAt(version));
    } else {
      log.info("{} has drifted at version {}, applying it again", key, version);
    }
    return matches;
  }

  /// Both sides of a comparison pass through the same class, as classes differ in which empty
  /// values they leave out.
  private JsonNode asTree(HasMetadata live, HasMetadata desired) {
    Object alike =
        live.getClass() == desired.getClass() ? live : json.convertValue(live, desired.getClass());
    return json.convertValue(alike, JsonNode.class);
  }

  /// @return the object's resourceVersion in the answer
  private String send(ObjectKey key, HasMetadata desired) {
    String question = json.asJson(desired);
    PatchContext forced =
        new PatchContext.Builder()
            .withPatchType(PatchType.SERVER_SIDE_APPLY)
            .withFieldManager(manager.name())
            .withForce(true)
            .build();
    underWay.add(key);
    try {
      HasMetadata response =
          writes.perform(Verb.APPLY, key, () -> client.resource(desired).patch(forced, question));
      JsonNode answer = json.convertValue(response, JsonNode.class);
      memory.put(key, Remembered.of(desired, answer, manager));
      return response.getMetadata().getResourceVersion();
    } finally {
      if (!underWay.remove(key)) {
        memory.remove(key);
      }
    }
  }

  private void takeOver(HasMetadata desired) {
    ObjectKey key = ObjectKey.of(desired);
    for (int attempt = 1; !tryTakeOver(key, desired, attempt == TAKEOVER_ATTEMPTS); attempt++) {
      log.debug("{} changed while it was taken over, reading it again", key);
    }
  }

  /// @return false when the object changed in between and another attempt is due
  private boolean tryTakeOver(ObjectKey key, HasMetadata desired, boolean last) {
    Optional<String> patch =
        patches
            .read(desired)
            .flatMap(found -> takeover.patchFor(json.convertValue(found, JsonNode.class)));
    try {
      patch.ifPresent(text -> patches.takeOver(key, desired, text));
      return true;
    } catch (KubeException e) {
      if (last || !isInvalid(e)) { // a JSON patch whose test fails is answered with 422
        throw e;
      }
      return false;
    }
  }

  private static ApplyResult valueOrRefusal(Supplier<ApplyResult> write) {
    try {
      return write.get();
    } catch (KubeException e) {
      if (isInvalid(e) || e.status() == HTTP_FORBIDDEN) {
        return new ApplyResult.Refused(e.reason());
      }
      throw e;
    }
  }

  private static boolean isInvalid(KubeException e) {
    return e.status() == Patches.UNPROCESSABLE || e.status() == HTTP_BAD_REQUEST;
  }
}
