// Package bridge recognises what bridges between the layers tell of deposits
// and withdrawals, and which message each belongs to.
//
// A bridge is a contract of the registry (bridges.json): anybody can emit an
// event of the same name, so that an event alone shows nothing. A signal is
// activity on L2; whether a withdrawal was claimed on L1 is not known here.
package bridge
