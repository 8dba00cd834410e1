// Package collectortest is an OpenTelemetry collector for tests: it keeps the
// requests that a process sends to it over OTLP/HTTP.
package collectortest
