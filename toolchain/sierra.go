package toolchain

import (
	"fmt"

	"astrolabe/starknet"
)

// A class carries its Sierra program as felts: the language's and the compiler's version of
// three felts each, then the program, serialised and packed. Two of the program's contents
// depend on how the compiler was built and called:
//
//   - A branch that falls through is written as the largest machine word, which has 32 bits in
//     WebAssembly and 64 natively.
//   - A user's type is identified by the Starknet Keccak of its full name, which begins with
//     the package's name; here that name is always crateName.

// versionFelts is the number of felts before the packed program.
const versionFelts = 6

var (
	fallThrough32 = starknet.FeltFromUint64(1<<32 - 1)
	fallThrough64 = starknet.FeltFromUint64(1<<64 - 1)
)

// tupleID identifies tuples, which have no name.
var tupleID = starknet.Keccak([]byte("Tuple"))

// correctProgram returns the program as the native compiler writes it for a package of that
// name. typeNames are the names of the program's types in their order.
func correctProgram(felts []starknet.Felt, typeNames []string, packageName string) ([]starknet.Felt, error) {
	if len(felts) < versionFelts {
		return nil, fmt.Errorf("%w: a program of %d felts", ErrMalformedOutput, len(felts))
	}
	program, err := unpack(felts[versionFelts:])
	if err != nil {
		return nil, err
	}
	places, err := survey(program)
	if err != nil {
		return nil, err
	}
	for _, at := range places.branchTargets {
		if program[at] == fallThrough32 {
			program[at] = fallThrough64
		}
	}
	renamed, err := renamedTypes(program, places, typeNames, packageName)
	if err != nil {
		return nil, err
	}
	for _, use := range places.userTypes {
		if id, ok := renamed[program[use.at]]; ok {
			program[use.at] = id
		}
	}
	return append(felts[:versionFelts:versionFelts], pack(program)...), nil
}

// renamedTypes maps the identity of each of the package's types to the one that it has under
// the package's real name.
func renamedTypes(program []starknet.Felt, places places, typeNames []string, packageName string) (map[starknet.Felt]starknet.Felt, error) {
	renamed := map[starknet.Felt]starknet.Felt{}
	for _, use := range places.userTypes {
		id := program[use.at]
		if !use.declared || id == tupleID {
			continue
		}
		if use.number >= len(typeNames) {
			return nil, fmt.Errorf("%w: type %d has no name", ErrMalformedOutput, use.number)
		}
		name := typeNames[use.number]
		if starknet.Keccak([]byte(name)) != id {
			return nil, fmt.Errorf("%w: the identity of type %s is not made from its name", ErrMalformedOutput, name)
		}
		renamed[id] = starknet.Keccak([]byte(relink(name, packageName)))
	}
	return renamed, nil
}
