// Package bridge recognises deposits and withdrawals of bridges, and matches
// them with their cross-layer messages.
//
// A bridge is a contract of the registry (bridges.json), because any contract
// can emit events of the same name. A signal is activity on L2; whether a
// withdrawal was claimed on L1 is unknown.
package bridge
