package dev.pitcrew.device.allocation;

import dev.pitcrew.device.allocation.Preference.Request;
import dev.pitcrew.device.inventory.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// The aligned policy as its definition reads: every partition one after the other. Only for few
/// GPUs. An empty slot is an empty [Optional].
final class PlainEnumeration {
  private final Topology topology;
  private final Request request;
  private List<List<Optional<String>>> best = List.of();
  private int bestScore = -1;

  PlainEnumeration(Topology topology, Request request) {
    this.topology = topology;
    this.request = request;
  }

  List<String> answer() {
    List<Optional<String>> slots = new ArrayList<>();
    request.available().forEach(gpu -> slots.add(Optional.of(gpu)));
    while (slots.size() % request.size() != 0) {
      slots.add(Optional.empty());
    }
    if (request.size() == 1) {
      request.available().forEach(gpu -> consider(List.of(List.of(Optional.of(gpu)))));
    } else {
      partitions(slots, List.of(), this::consider);
    }
    List<Optional<String>> chosen = List.of();
    for (List<Optional<String>> set : best) {
      if (isGood(set) && (chosen.isEmpty() || score(set) > score(chosen))) {
        chosen = set;
      }
    }
    return chosen.stream().flatMap(Optional::stream).toList();
  }

  private void consider(List<List<Optional<String>>> partition) {
    int score = partition.stream().mapToInt(this::score).sum();
    if (partition.stream().anyMatch(this::isGood) && score > bestScore) {
      best = partition;
      bestScore = score;
    }
  }

  private boolean isGood(List<Optional<String>> set) {
    return set.stream().allMatch(Optional::isPresent)
        && request.required().stream().allMatch(gpu -> set.contains(Optional.of(gpu)));
  }

  private int score(List<Optional<String>> set) {
    int score = 0;
    for (int first = 0; first < set.size(); first++) {
      for (int second = first + 1; second < set.size(); second++) {
        if (set.get(first).isPresent() && set.get(second).isPresent()) {
          score +=
              PairScores.score(
                  topology.between(set.get(first).orElseThrow(), set.get(second).orElseThrow()));
        }
      }
    }
    return score;
  }

  private void partitions(
      List<Optional<String>> left,
      List<List<Optional<String>>> done,
      Consumer<List<List<Optional<String>>>> each) {
    if (left.isEmpty()) {
      each.accept(done);
      return;
    }
    combinations(
        left,
        List.of(0),
        places -> {
          List<Optional<String>> set = places.stream().map(left::get).toList();
          if (hasAllOrNoneEmpty(set)) {
            List<Optional<String>> rest = new ArrayList<>();
            for (int place = 0; place < left.size(); place++) {
              if (!places.contains(place)) {
                rest.add(left.get(place));
              }
            }
            List<List<Optional<String>>> longer = new ArrayList<>(done);
            longer.add(set);
            partitions(rest, longer, each);
          }
        });
  }

  private boolean hasAllOrNoneEmpty(List<Optional<String>> set) {
    long empty = set.stream().filter(Optional::isEmpty).count();
    return empty == 0 || empty == Math.floorMod(-request.available().size(), request.size());
  }

  private void combinations(
      List<Optional<String>> left, List<Integer> places, Consumer<List<Integer>> each) {
    if (places.size() == request.size()) {
      each.accept(places);
      return;
    }
    for (int next = places.getLast() + 1; next < left.size(); next++) {
      List<Integer> longer = new ArrayList<>(places);
      longer.add(next);
      combinations(left, longer, each);
    }
  }
}
