// Package telemetry is what an operator sees of a running process: its log,
// its Prometheus metrics and, when an endpoint is configured, its traces.
//
// It is a leaf: every layer may report here, and nothing here knows what is
// reported. Labels take only bounded sets of values (route templates,
// statement names, job kinds), never ids, keys or addresses.
package telemetry
