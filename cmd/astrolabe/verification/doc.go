// Package verification has the commands of people who verify contracts: they
// pack and check a source tree, submit it to a service, and verify the receipt.
// They need no database. All but submit need no network.
package verification
