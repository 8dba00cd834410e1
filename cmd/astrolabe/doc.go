// Command astrolabe is a self-hostable Starknet explorer service.
//
// This package is the only place where everything is wired together: one
// file per subcommand, the settings that they share, and the order in which
// components start and stop. It decides nothing about the chain.
package main
