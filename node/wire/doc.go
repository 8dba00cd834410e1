// Package wire decodes the JSON responses of a Starknet node into typed values,
// and encodes requests.
//
// SplitAnswer and DecodeAnswer parse a JSON-RPC envelope; the Decode functions
// parse the results of single methods. A value is complete or an error: a
// missing member is never a zero, and a block whose counts do not add up is
// rejected. Objects are decoded by shapes, which list the members of the
// specification, and not by reflection, because blocks are most of what this
// program reads.
//
// The package does no I/O. Package node checks that a response matches its
// request.
package wire
