// Package contract implements the contracts of the simulated chain: a program
// for each deployed class of sim/classes, with the functions, storage and
// events of its Cairo source.
//
// Storage addresses follow the formulas of Starknet for plain variables and
// maps; the words of a ByteArray are at Pedersen(variable, index), which is
// simplified. Programs are deterministic functions of state and calldata; they
// do not depend on blocks or callers.
package contract
