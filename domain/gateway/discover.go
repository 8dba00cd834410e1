package gateway

import (
	"encoding/json"

	"astrolabe/domain/account"
)

// The versions of the node specification: the one that clients may expect, and
// the oldest that an upstream may implement.
const (
	SpecVersion = "0.10.2"
	MinimumSpec = "0.10.0"
)

// BlockTags are the tags that name a block.
var BlockTags = []string{"latest", "l1_accepted", "pre_confirmed"}

// schemas are the types of parameters in the OpenRPC document. Results and the
// details of objects are those of the node specification.
var schemas = map[string]any{
	"Any":     true,
	"Object":  map[string]any{"type": "object"},
	"Objects": map[string]any{"type": "array", "items": map[string]any{"type": "object"}},
	"String":  map[string]any{"type": "string"},
	"Strings": map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
	"Integer": map[string]any{"type": "integer", "minimum": 0},
	"Felt":    felt,
	"Felts":   map[string]any{"type": "array", "items": felt},
	"BlockID": map[string]any{"oneOf": []any{
		map[string]any{"type": "object", "required": []string{"block_hash"}, "properties": map[string]any{"block_hash": felt}},
		map[string]any{"type": "object", "required": []string{"block_number"}, "properties": map[string]any{"block_number": map[string]any{"type": "integer", "minimum": 0}}},
		map[string]any{"type": "string", "enum": BlockTags},
	}},
}

var felt = map[string]any{"type": "string", "pattern": "^0x(0|[a-fA-F1-9]{1}[a-fA-F0-9]{0,62})$"}

// described is a method in the OpenRPC document.
type described struct {
	Name        string             `json:"name"`
	Summary     string             `json:"summary"`
	Params      []describedParam   `json:"params"`
	Result      describedParam     `json:"result"`
	Class       account.Class      `json:"x-service-rpc-class"`
	Permission  account.Permission `json:"x-service-permission"`
	MaxResponse int64              `json:"x-service-max-response-bytes"`
	Transport   []string           `json:"x-service-transports"`
}

type describedParam struct {
	Name     string `json:"name"`
	Required bool   `json:"required,omitempty"`
	Schema   any    `json:"schema"`
}

// document returns the OpenRPC document of the allowlist.
func document() json.RawMessage {
	methods := make([]described, len(Methods))
	for i, m := range Methods {
		d := described{
			Name: m.Name, Summary: m.Summary, Params: []describedParam{}, Class: m.Class, Permission: m.Permission,
			Result: describedParam{Name: "result", Schema: true}, MaxResponse: m.MaxAnswer(), Transport: []string{"http", "websocket"},
		}
		if m.Subscribes() {
			d.Transport = []string{"websocket"}
		}
		for _, p := range m.Params {
			d.Params = append(d.Params, describedParam{p.Name, !p.Optional, map[string]string{"$ref": "#/components/schemas/" + p.Type}})
		}
		methods[i] = d
	}
	text, err := json.Marshal(map[string]any{
		"openrpc": "1.3.2",
		"info": map[string]string{"title": "Astrolabe JSON-RPC gateway", "version": SpecVersion,
			"description": "The methods of the Starknet node specification that this gateway forwards. Results are those of the node, unchanged."},
		"methods":               methods,
		"components":            map[string]any{"schemas": schemas},
		"x-service-batch-limit": map[string]int64{"maxItems": MaxItems, "maxResponseBytes": MaxAnswer},
	})
	if err != nil {
		panic(err) // the document is made of constants
	}
	return text
}
