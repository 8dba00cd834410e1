package abi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Limits of an ABI, far beyond what contracts declare.
const (
	// maxElements limits the elements of all lists together.
	maxElements = 1 << 17
	// maxText limits a name, a type and a label in bytes, because they are
	// repeated with every value.
	maxText = 1 << 12
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
	Items           []*entry `json:"items"`
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

func parseDocument(text []byte) ([]*entry, error) {
	// Each element of a list follows a comma or the opening bracket.
	if bytes.Count(text, []byte(","))+bytes.Count(text, []byte("[")) > maxElements {
		return nil, fmt.Errorf("%w: too many elements", ErrMalformedABI)
	}
	var entries []*entry
	if err := json.Unmarshal(text, &entries); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformedABI, err)
	}
	return tidy(entries)
}

// tidy drops null entries and rejects overlong texts.
func tidy(entries []*entry) (_ []*entry, err error) {
	entries = slices.DeleteFunc(entries, func(e *entry) bool { return e == nil })
	for _, e := range entries {
		if e.isOverlong() {
			return nil, fmt.Errorf("%w: overlong text in %.80q", ErrMalformedABI, e.Name)
		}
		if e.Items, err = tidy(e.Items); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

func (e *entry) isOverlong() bool {
	for _, list := range [][]member{e.Members, e.Variants, e.Inputs, e.Outputs, e.Keys, e.Data} {
		for i := range list {
			if len(list[i].Name) > maxText || len(list[i].typeName()) > maxText {
				return true
			}
		}
	}
	return len(e.Name) > maxText
}
