// Package economy is the script of the simulated chain: its accounts, what they
// own and what they do in which block. It acts only through transactions; only
// sim/vm and sim/contract change the state.
//
// The first few hundred blocks contain every shape that an explorer must
// handle: a fixed timetable (see episodes) introduces them one after the other
// and repeats most of them later, with ordinary activity in between. Block 0
// places contracts at well-known addresses, because no transaction could.
package economy
