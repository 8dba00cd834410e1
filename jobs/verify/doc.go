// Package verify runs the background work of verification jobs: the validation of
// an uploaded source, which the upload queues, the upkeep by the clock, and the
// loop of a builder, which is a process apart.
//
// All call domain/verify, which decides. They may run in any number of processes
// and be killed at any moment.
package verify
