// Package telemetry provides the log, the Prometheus metrics and, if an
// endpoint is configured, the traces of a process.
//
// Every layer may use it, and it knows none of them. Labels take only bounded
// sets of values (route templates, statement names, job kinds), never ids, keys
// or addresses.
package telemetry
