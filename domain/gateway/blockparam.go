package gateway

import (
	"encoding/json"
	"slices"

	"astrolabe/strictjson"
)

// blockRef is how a call names the block that it is about.
type blockRef struct {
	Hash   *string `json:"block_hash"`
	Number *uint64 `json:"block_number"`
}

// pinned reports whether the block is named by its hash or its number, so that
// it stays the same while the chain grows.
func (b blockRef) pinned() bool { return (b.Hash == nil) != (b.Number == nil) }

// blockOf returns the block that the params of a method name. It is not pinned
// if they name none, a tag, or one with other members, which a node that ignores
// their case could read.
func blockOf(m Method, params json.RawMessage) (b blockRef) {
	if strictjson.Decode(paramOf(m, params, blockID.Name), &b) != nil {
		return blockRef{}
	}
	return b
}

// paramOf returns a parameter, given by its name or by its place; nil if it is
// not given, or if another name differs from it only in case, which a node could
// read instead.
func paramOf(m Method, params json.RawMessage, name string) json.RawMessage {
	at := slices.IndexFunc(m.Params, func(p Param) bool { return p.Name == name })
	if at < 0 || len(params) == 0 {
		return nil
	}
	var value strictjson.Raw
	if params[0] == '{' {
		value, _ = strictjson.Member(params, name)
	} else {
		value, _ = strictjson.Element(params, at)
	}
	return json.RawMessage(value)
}

// namesBlock reports whether the params of a subscription name the block at
// which it begins.
func namesBlock(m Method, params json.RawMessage) bool {
	value := paramOf(m, params, blockID.Name)
	return value != nil && string(value) != string(null)
}

// fromBlock returns the params of a subscription with another block at which it
// begins.
func fromBlock(m Method, params json.RawMessage, number uint64) json.RawMessage {
	named := map[string]any{}
	for _, p := range m.Params {
		if value := paramOf(m, params, p.Name); value != nil && string(value) != string(null) {
			named[p.Name] = value
		}
	}
	named[blockID.Name] = map[string]uint64{"block_number": number}
	text, err := json.Marshal(named)
	if err != nil {
		panic(err) // the params were decoded before
	}
	return text
}
