// Package vm executes the transactions of a simulated chain. There is no Cairo virtual
// machine in it: a class whose behaviour is known has a Program, Go functions that stand
// for its entry points and act through a Call (storage, events, messages, calls, deploys),
// so that receipts, state differences and traces follow from one execution.
//
// Simplified: signatures are not verified (an empty one fails validation), gas is counted
// by a plain formula (see cost), and a class without a Program can be declared and
// deployed but not called. What contracts do is in sim/contract, who acts is in sim/economy.
package vm
