// Package simtest gives tests simulated nodes whose first blocks were built
// before: building them would take much of the time of some tests, above all
// under the race detector.
//
// The blocks of each configuration are built once and recorded in astrolabe/sim
// of the user's cache folder, for all tests of all packages, until the source of
// the simulator changes.
package simtest
