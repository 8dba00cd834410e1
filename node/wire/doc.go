// Package wire turns the JSON that a Starknet node answers into typed values,
// and writes the requests.
//
// SplitAnswer and DecodeAnswer take a JSON-RPC envelope apart; the Decode
// functions read the results of single methods. A value is whole or an error:
// a missing member is never a zero, and a block whose counts do not add up is
// refused.
//
// The text is read by package jsontext, and objects by shapes, which list the
// members of the specification. The decoders by reflection do not serve here.
// encoding/json reads a missing member as a zero, and takes more than twice the
// time for a block (BenchmarkBlockWithReceipts); blocks are most of what this
// program reads. go-json-experiment's Unmarshal, whose jsontext this is, takes about
// the same time, but a missing member is a zero there too. Package strictjson refuses a missing member, but requires the
// same members of every value of a Go type, whereas those of a transaction depend
// on its type, its version and the method; it also reads the text twice.
//
// The package does no I/O and knows neither upstreams nor what was asked: that
// an answer is the one to the question is checked by node.
package wire
