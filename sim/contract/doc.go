// Package contract holds what the contracts of the simulated chain do: a program for each
// class of sim/classes that is deployed, with the functions, storage and events of its
// Cairo source.
//
// Storage addresses follow Starknet's formulas for plain variables and maps; the words of
// a ByteArray lie at Pedersen(variable, index), which is simplified. Programs know
// nothing of blocks or of who calls them; they are deterministic functions of state and
// calldata.
package contract
