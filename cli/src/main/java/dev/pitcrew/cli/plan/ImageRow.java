package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.PulledImage;
import dev.pitcrew.cli.cluster.RunningImage;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

/// An image that nodes pull.
///
/// @param image as the templates of pods have it
/// @param digests that nodes have of it, more than one where a tag was pushed again; none where no
///   node has pulled it, or the user may not list pods
/// @param usedBy such as `DaemonSet nvidia-driver-daemonset`
/// @param nodes on how many of them it runs
public record ImageRow(String image, List<String> digests, List<String> usedBy, long nodes) {

  /// By name.
  ///
  /// @param running on the nodes; others than those that are pulled do not count
  public static List<ImageRow> of(
      Collection<PulledImage> pulled, Collection<RunningImage> running) {
    var byImage = new TreeMap<String, List<String>>();
    pulled.forEach(it ->
        byImage.merge(
            it.image(),
            List.of(it.usedBy()),
            (some, more) -> Stream.concat(some.stream(), more.stream()).distinct().toList()));
    return byImage.entrySet().stream()
        .map(it -> {
          List<RunningImage> here =
              running.stream().filter(run -> run.image().equals(it.getKey())).toList();
          return new ImageRow(
              it.getKey(),
              here.stream()
                  .map(RunningImage::digest)
                  .filter(digest -> !digest.isEmpty())
                  .distinct()
                  .sorted()
                  .toList(),
              it.getValue(),
              here.stream()
                  .map(RunningImage::node)
                  .filter(node -> !node.isEmpty())
                  .distinct()
                  .count());
        })
        .toList();
  }

  /// What to copy to another registry: by digest where all nodes have the same.
  public String reference() {
    boolean isByDigest = image.contains("@") || digests.size() != 1;
    return isByDigest ? image : image + "@" + digests.getFirst();
  }
}
