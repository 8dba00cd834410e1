// Package wire turns the JSON that a Starknet node answers into typed values,
// and writes the requests.
//
// SplitAnswer and DecodeAnswer take a JSON-RPC envelope apart; the Decode
// functions read the results of single methods. A value is whole or an error:
// a missing member is never a zero, and a block whose counts do not add up is
// refused. The text is read by package jsontext. Objects are read by shapes, which
// list the members of the specification: reflection accepts a missing member as a
// zero, and blocks are most of what this program reads.
//
// The package does no I/O and knows neither upstreams nor what was asked: that
// an answer is the one to the question is checked by node.
package wire
