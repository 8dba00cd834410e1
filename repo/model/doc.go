// Package model has one bun model for each table, and the Go types of the
// columns that database/sql has none for: felts that are stored packed or as
// numbers, block numbers, positions, chains and enumerations.
//
// bun reads NULL into a plain number as 0 and wraps a number that does not fit
// a narrow one, both without an error. So a nullable column is a pointer here,
// every other integer is an int64 or a type whose Scan refuses what it cannot
// hold, and a test compares all of this with the schema. The tables
// event_positions_N, which repo/events makes at run time, have no model. Nothing
// in this package runs a statement.
package model
