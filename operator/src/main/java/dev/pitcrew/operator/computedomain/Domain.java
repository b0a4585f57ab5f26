package dev.pitcrew.operator.computedomain;

import dev.pitcrew.api.computedomain.ComputeDomain;
import dev.pitcrew.api.computedomain.ComputeDomainSpec;
import dev.pitcrew.operator.render.Problem;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// A ComputeDomain whose specification can be carried out.
///
/// @param uid by which its objects, its labels and the claims for it name it
/// @param numNodes that have to be ready before the domain is
/// @param template name of the claim template for workloads, in the namespace of the domain
/// @param allocationMode `Single` for one IMEX channel, `All` for every one
public record Domain(
    String uid,
    String namespace,
    String name,
    long numNodes,
    String template,
    String allocationMode) {
  private static final String TEMPLATE_FIELD = "spec.channel.resourceClaimTemplate.name";

  /// As the API server wants the names of ResourceClaimTemplates.
  private static final Pattern SUBDOMAIN =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

  private static final int LONGEST_NAME = 253;
  private static final Set<String> MODES = Set.of("Single", "All");

  /// The specification of a ComputeDomain never changes.
  private static final String AGAIN = "; delete this ComputeDomain and create it again with ";

  /// What came of reading a ComputeDomain.
  public sealed interface Reading {
    record Valid(Domain domain) implements Reading {}

    record Invalid(Problem problem) implements Reading {}
  }

  public static Reading read(ComputeDomain resource) {
    return problem(resource.spec())
        .<Reading>map(Reading.Invalid::new)
        .orElseGet(() -> new Reading.Valid(valid(resource)));
  }

  private static Domain valid(ComputeDomain resource) {
    ComputeDomainSpec spec = resource.spec();
    return new Domain(
        Objects.requireNonNullElse(resource.metadata().uid(), ""),
        Objects.requireNonNullElse(resource.metadata().namespace(), ""),
        resource.metadata().nameOrDefault(),
        numNodes(spec),
        template(spec),
        spec.channel().allocationModeOrDefault());
  }

  private static Optional<Problem> problem(ComputeDomainSpec spec) {
    String template = template(spec);
    if (template.length() > LONGEST_NAME || !SUBDOMAIN.matcher(template).matches()) {
      return problem(
          TEMPLATE_FIELD,
          template,
          "that is no name of a ResourceClaimTemplate"
              + AGAIN
              + "lower-case letters, digits, dots and hyphens, such as my-domain-channel");
    }
    if (numNodes(spec) < 0) {
      return problem(
          "spec.numNodes",
          numNodes(spec),
          "a number of nodes is not negative" + AGAIN + "the nodes to wait for, or 0 for none");
    }
    String mode = spec.channel().allocationModeOrDefault();
    return MODES.contains(mode)
        ? Optional.empty()
        : problem(
            "spec.channel.allocationMode",
            mode,
            "that is no allocation mode" + AGAIN + "Single or All");
  }

  private static Optional<Problem> problem(String field, Object value, String remedy) {
    return Optional.of(Problem.of("SpecInvalid", field, value, remedy));
  }

  private static long numNodes(ComputeDomainSpec spec) {
    return Objects.requireNonNullElse(spec.numNodes(), 0L);
  }

  private static String template(ComputeDomainSpec spec) {
    return Objects.requireNonNullElse(spec.channel().resourceClaimTemplate().name(), "");
  }

  /// Name of the DaemonSet and of the claim template of the IMEX daemons.
  public static String daemons(String uid) {
    return "computedomain-daemon-" + uid;
  }

  /// For messages.
  public String text() {
    return namespace + "/" + name;
  }
}
