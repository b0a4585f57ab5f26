/// The web configuration file of Prometheus' exporters: TLS, client certificates, users with
/// passwords and headers of an endpoint. Owns reading and following that file; knows nothing of
/// what is served.
@NullMarked
package dev.pitcrew.agent.metrics.web;

import org.jspecify.annotations.NullMarked;
