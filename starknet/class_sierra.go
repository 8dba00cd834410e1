package starknet

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// SierraClass is a Cairo 1 class.
type SierraClass struct {
	SierraProgram        []Felt            `json:"sierra_program"`
	ContractClassVersion string            `json:"contract_class_version"`
	EntryPointsByType    SierraEntryPoints `json:"entry_points_by_type"`
	// ABI is the ABI's text exactly as it was declared; the class hash covers every byte.
	ABI string `json:"abi,omitempty"`
}

// SierraEntryPoints lists a class's entry points in the order in which they are
// hashed.
type SierraEntryPoints struct {
	Constructor []SierraEntryPoint `json:"CONSTRUCTOR"`
	External    []SierraEntryPoint `json:"EXTERNAL"`
	L1Handler   []SierraEntryPoint `json:"L1_HANDLER"`
}

// SierraEntryPoint maps a selector to a function of the Sierra program.
type SierraEntryPoint struct {
	Selector    Felt   `json:"selector"`
	FunctionIdx uint64 `json:"function_idx"`
}

// UnmarshalJSON accepts the node's form, where the ABI is a string, and the
// compiler's, where it is an array; the latter is converted to the declared
// text.
func (c *SierraClass) UnmarshalJSON(data []byte) error {
	type plain SierraClass
	wire := struct {
		*plain
		ABI json.RawMessage `json:"abi"`
	}{plain: (*plain)(c)}
	if err := json.Unmarshal(data, &wire); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformedClass, err)
	}
	c.ABI = ""
	switch {
	case len(wire.ABI) == 0:
	case !utf8.Valid(wire.ABI):
		return fmt.Errorf("%w: abi is not UTF-8", ErrMalformedClass)
	case wire.ABI[0] == '[':
		c.ABI = string(pythonSpacing(wire.ABI))
	default:
		if err := json.Unmarshal(wire.ABI, &c.ABI); err != nil {
			return fmt.Errorf("%w: abi: %w", ErrMalformedClass, err)
		}
	}
	return nil
}

// Hash returns the class hash.
func (c *SierraClass) Hash() Felt {
	return PoseidonMany(
		MustShortString("CONTRACT_CLASS_V"+sierraClassVersion),
		hashSierraEntryPoints(c.EntryPointsByType.External),
		hashSierraEntryPoints(c.EntryPointsByType.L1Handler),
		hashSierraEntryPoints(c.EntryPointsByType.Constructor),
		Keccak([]byte(c.ABI)),
		PoseidonMany(c.SierraProgram...),
	)
}

// sierraClassVersion is the only version of the Sierra class format.
const sierraClassVersion = "0.1.0"

func hashSierraEntryPoints(points []SierraEntryPoint) Felt {
	var h PoseidonHasher
	for _, p := range points {
		h.Write(p.Selector, FeltFromUint64(p.FunctionIdx))
	}
	return h.Sum()
}
