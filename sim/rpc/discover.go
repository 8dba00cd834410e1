package rpc

import (
	"maps"
	"slices"
)

// parameter is an argument in an OpenRPC document.
type parameter struct {
	Name   string   `json:"name"`
	Schema struct{} `json:"schema"`
}

// described is a method in an OpenRPC document.
type described struct {
	Name   string      `json:"name"`
	Params []parameter `json:"params"`
	Result parameter   `json:"result"`
}

// discover returns an OpenRPC document of the methods that the node serves, with
// the names of their arguments. It leaves types to the specification.
func (s *Server) discover(string, params) (any, error) {
	names := maps.Clone(subscriptionParams)
	for name, m := range methods {
		names[name] = m.params
	}
	all := make([]described, 0, len(names))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		d := described{Name: name, Params: []parameter{}, Result: parameter{Name: "result"}}
		for _, argument := range names[name] {
			d.Params = append(d.Params, parameter{Name: argument})
		}
		all = append(all, d)
	}
	return map[string]any{
		"openrpc": "1.3.2",
		"info":    map[string]string{"title": "Simulated Starknet node", "version": s.specVersion},
		"methods": all,
	}, nil
}
