package abi

import (
	"encoding/json"
	"fmt"
)

// entry is one item of an ABI document, of any kind and either language version.
type entry struct {
	Type            string   `json:"type"`
	Name            string   `json:"name"`
	Kind            string   `json:"kind"`
	Members         []member `json:"members"`
	Variants        []member `json:"variants"`
	Inputs          []member `json:"inputs"`
	Outputs         []member `json:"outputs"`
	Keys            []member `json:"keys"`
	Data            []member `json:"data"`
	Items           []entry  `json:"items"`
	StateMutability string   `json:"state_mutability"`
	Cairo0View      string   `json:"stateMutability"`
}

// member is a named type: a field, a variant or a parameter.
type member struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Kind string `json:"kind"`
	// OldType is where the first Cairo 1 compilers wrote the type.
	OldType string `json:"ty"`
}

func (m member) typeName() string {
	if m.Type == "" {
		return m.OldType
	}
	return m.Type
}

func parseDocument(text []byte) ([]entry, error) {
	var entries []entry
	if err := json.Unmarshal(text, &entries); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformedABI, err)
	}
	return entries, nil
}
