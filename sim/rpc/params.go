package rpc

import (
	"bytes"
	"encoding/json"
	"slices"

	"astrolabe/starknet"
)

// params are the arguments of a call, by position.
type params []json.RawMessage

// readParams puts the arguments in the order of the method's names, whether they came as
// an array or as an object.
func readParams(raw json.RawMessage, names []string) (params, error) {
	p := make(params, len(names))
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return p, nil
	}
	if raw[0] == '[' {
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, invalidParams("%v", err)
		}
		if len(list) > len(names) {
			return nil, invalidParams("%d arguments instead of at most %d", len(list), len(names))
		}
		copy(p, list)
		return p, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, invalidParams("%v", err)
	}
	for name, value := range object {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, invalidParams("unknown argument %q", name)
		}
		p[i] = value
	}
	return p, nil
}

func (p params) given(i int) bool { return len(p[i]) > 0 && string(p[i]) != "null" }

// required reads an argument that must be there.
func required[T any](p params, i int, value *T) error {
	if !p.given(i) {
		return invalidParams("argument %d is missing", i)
	}
	return optional(p, i, value)
}

// optional reads an argument that may be left out.
func optional[T any](p params, i int, value *T) error {
	if !p.given(i) {
		return nil
	}
	if err := json.Unmarshal(p[i], value); err != nil {
		return invalidParams("argument %d: %v", i, err)
	}
	return nil
}

// oneOrMany is a felt or a list of felts.
type oneOrMany []starknet.Felt

// UnmarshalJSON accepts both forms.
func (o *oneOrMany) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '[' {
		return json.Unmarshal(data, (*[]starknet.Felt)(o))
	}
	*o = make(oneOrMany, 1)
	return json.Unmarshal(data, &(*o)[0])
}

// functionCall is a read of a contract.
type functionCall struct {
	ContractAddress    starknet.Felt   `json:"contract_address"`
	EntryPointSelector starknet.Felt   `json:"entry_point_selector"`
	Calldata           []starknet.Felt `json:"calldata"`
}
