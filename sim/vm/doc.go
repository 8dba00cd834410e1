// Package vm executes the transactions of a simulated chain. It has no Cairo
// virtual machine: a class with known behaviour has a Program, Go functions
// that implement its entry points and act through a Call (storage, events,
// messages, calls, deploys). Receipts, state diffs and traces result from one
// execution.
//
// Simplified: signatures are not verified (an empty one fails validation), gas
// is a simple formula (see cost), and a class without a Program can be declared
// and deployed but not called. sim/contract implements the contracts,
// sim/economy the accounts.
package vm
