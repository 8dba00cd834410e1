// Package model has one bun model per table, and Go types for columns that
// database/sql does not support: felts that are stored packed or as numbers,
// block numbers, positions, chains and enumerations.
//
// bun silently reads NULL into a number as 0 and wraps a number that is too
// large. So a nullable column is a pointer here, every other integer is an
// int64 or a type whose Scan rejects invalid values, and a test compares the
// models with the schema. The tables event_positions_N, which repo/events
// creates at run time, have no model. This package runs no statements.
package model
