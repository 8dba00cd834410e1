//go:build !linux

package pg

// machineMemory does not ask: a modest size serves every machine.
func machineMemory() uint64 { return assumedMemory }
