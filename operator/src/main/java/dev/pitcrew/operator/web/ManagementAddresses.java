package dev.pitcrew.operator.web;

/// Where metrics and where health are served.
public record ManagementAddresses(BindAddress metrics, BindAddress health) {}
