package starknet

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrMalformedClass reports a class that cannot be read or hashed.
var ErrMalformedClass = errors.New("malformed class")

// Class is a contract class of either kind: exactly one of its two fields is set.
type Class struct {
	Sierra     *SierraClass
	Deprecated *DeprecatedClass
}

// UnmarshalJSON distinguishes the two kinds by the presence of a Sierra
// program.
func (c *Class) UnmarshalJSON(data []byte) error {
	var probe struct {
		Sierra     json.RawMessage `json:"sierra_program"`
		Deprecated json.RawMessage `json:"program"`
	}
	if err := json.Unmarshal(data, &probe); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformedClass, err)
	}
	*c = Class{}
	switch {
	case probe.Sierra != nil:
		c.Sierra = new(SierraClass)
		return json.Unmarshal(data, c.Sierra)
	case probe.Deprecated != nil:
		c.Deprecated = new(DeprecatedClass)
		return json.Unmarshal(data, c.Deprecated)
	}
	return fmt.Errorf("%w: neither a Sierra nor a Cairo 0 program", ErrMalformedClass)
}

// MarshalJSON writes whichever class is set.
func (c Class) MarshalJSON() ([]byte, error) {
	switch {
	case c.Sierra != nil:
		return json.Marshal(c.Sierra)
	case c.Deprecated != nil:
		return json.Marshal(c.Deprecated)
	}
	return nil, ErrMalformedClass
}

// Hash returns the class hash. For a Cairo 0 class it is correct only if the
// node preserved the program exactly as declared, which some nodes did not. It
// returns ErrMalformedClass for a Sierra class of an unknown version.
func (c Class) Hash() (Felt, error) {
	switch {
	case c.Sierra != nil && c.Sierra.ContractClassVersion != sierraClassVersion:
		return Felt{}, fmt.Errorf("%w: contract_class_version is %.20q, want %q", ErrMalformedClass, c.Sierra.ContractClassVersion, sierraClassVersion)
	case c.Sierra != nil:
		return c.Sierra.Hash(), nil
	case c.Deprecated != nil:
		return c.Deprecated.Hash()
	}
	return Felt{}, ErrMalformedClass
}

// ABI returns the ABI as a JSON array, or nil when the class has none.
func (c Class) ABI() []byte {
	switch {
	case c.Sierra != nil:
		return []byte(c.Sierra.ABI)
	case c.Deprecated != nil:
		return c.Deprecated.ABI
	}
	return nil
}
