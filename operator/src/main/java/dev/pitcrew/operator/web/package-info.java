/// What the operator serves over plain HTTP: metrics for scrapers, liveness and readiness for the
/// kubelet. Read-only; nothing here changes the cluster or knows what a check means.
@NullMarked
package dev.pitcrew.operator.web;

import org.jspecify.annotations.NullMarked;
