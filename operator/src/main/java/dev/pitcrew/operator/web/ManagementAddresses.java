package dev.pitcrew.operator.web;

import dev.pitcrew.core.web.BindAddress;

/// Where metrics and where health are served.
public record ManagementAddresses(BindAddress metrics, BindAddress health) {}
