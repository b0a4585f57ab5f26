/// What a process serves over plain HTTP: pages that can only be read, among them liveness and
/// readiness for the kubelet. It knows neither what a page says nor what a check means.
@NullMarked
package dev.pitcrew.core.web;

import org.jspecify.annotations.NullMarked;
