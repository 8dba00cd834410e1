// Package economy is the script of the simulated chain: who exists, what they own and
// what they do in which block. It acts only by transactions; nothing that it decides
// changes the state except through sim/vm and sim/contract.
//
// The first few hundred blocks show every shape that an explorer must handle: a fixed
// timetable (see episodes) introduces them one after the other and repeats most of them
// later, and ordinary days fill the blocks between. Contracts at well-known addresses are
// placed by block 0, since no transaction could put them there.
package economy
