package toolchain

import (
	"fmt"

	"astrolabe/starknet"
)

// places are the indexes, in a serialised program, of the felts that may need
// correction.
type places struct {
	userTypes     []userType
	branchTargets []int
}

// userType is an index of the id of a user type.
type userType struct {
	at int
	// number is the type's, where the type is declared rather than used by a function.
	number   int
	declared bool
}

// argUserType is the tag of a generic argument that identifies a user's type.
const argUserType = 0

// survey walks over a serialised program: types, library functions, statements, functions.
func survey(program []starknet.Felt) (places, error) {
	in := reader{felts: program}
	var found places
	for number := range in.length() {
		in.next() // generic type
		for range in.argumentCount() {
			found.argument(&in, number, true)
		}
	}
	for range in.length() {
		in.next() // generic function
		for range in.length() {
			found.argument(&in, 0, false)
		}
	}
	for range in.length() {
		found.statement(&in)
	}
	for range in.length() {
		params := in.length()
		in.take(params)      // their types
		in.take(in.length()) // types of results
		in.take(params)      // variables of parameters
		in.next()            // entry point
	}
	if !in.done() {
		return places{}, fmt.Errorf("%w: Sierra program", ErrMalformedOutput)
	}
	return found, nil
}

// argument reads a generic argument: a tag and a felt.
func (p *places) argument(in *reader, number int, declared bool) {
	tag := in.count(maxArgumentTag)
	if tag == argUserType {
		p.userTypes = append(p.userTypes, userType{at: in.at, number: number, declared: declared})
	}
	in.next()
}

// maxArgumentTag is the largest tag of a generic argument.
const maxArgumentTag = 5

// statement reads a call with its branches, or a return.
func (p *places) statement(in *reader) {
	const invocation, returning = 0, 1
	if in.count(returning) == invocation {
		in.next()            // function
		in.take(in.length()) // arguments
		for range in.length() {
			p.branchTargets = append(p.branchTargets, in.at)
			in.next()
			in.take(in.length()) // results
		}
		return
	}
	in.take(in.length()) // returned variables
}
