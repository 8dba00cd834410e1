//go:build !linux

package pg

// machineMemory returns a modest size that suits every machine.
func machineMemory() uint64 { return assumedMemory }
