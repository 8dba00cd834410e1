package oracle

import (
	"encoding/json"
	"os"
	"path/filepath"

	"astrolabe/starknet"
)

// Registry holds the documents about addresses that ship with the service.
type Registry struct {
	Addresses []registered
	Classes   []registered
	Factories []factory
}

// registered is an address or a class with its name.
type registered struct {
	Address    starknet.Felt
	Class      starknet.Felt
	Label      string
	Confidence string
	Protocol   *protocol
	Token      *description
}

type protocol struct{ Name, Kind string }

// description is the metadata of a token; nil if unknown.
type description struct {
	Symbol, Name *string
	Decimals     *int
}

// ReadRegistry reads the documents of a chain from the root of the source.
func ReadRegistry(root, chain string) (r Registry, err error) {
	factories := map[string][]factory{}
	for path, value := range map[string]any{
		"domain/address/registry/" + chain + ".json": &r.Addresses, "domain/address/registry/classes.json": &r.Classes,
		"domain/token/factories.json": &factories,
	} {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path))) //nolint:gosec // Our own documents.
		if err != nil {
			return r, err
		}
		if err := json.Unmarshal(text, value); err != nil {
			return r, err
		}
	}
	r.Factories = factories[chain]
	return r, nil
}

// Note is a label of the operator for an address, or for all addresses of a
// class.
type Note struct {
	Felt                       starknet.Felt
	OfClass                    bool
	Label, Confidence          string
	ProtocolName, ProtocolKind string
}

// label is the label of an address and its source.
type label struct {
	text, confidence, source string
	protocol                 *protocol
}

// labelOf is the first of: the label of the operator, of the registry, of the
// class. It is nil if there is none.
func (m *Model) labelOf(address starknet.Felt) *label {
	for _, n := range m.Notes {
		if !n.OfClass && n.Felt == address {
			return n.label("operator")
		}
	}
	for _, known := range m.Registry.Addresses {
		if known.Address == address {
			return &label{known.Label, known.Confidence, "registry", known.Protocol}
		}
	}
	return m.classLabel(address)
}

// classLabel is the label of the class of an address: from the operator, else
// from the registry with lower confidence.
func (m *Model) classLabel(address starknet.Felt) *label {
	current := m.current(address)
	if current == nil {
		return nil
	}
	for _, n := range m.Notes {
		if n.OfClass && n.Felt == current.class {
			return n.label("class")
		}
	}
	for _, known := range m.Registry.Classes {
		if known.Class == current.class {
			return &label{known.Label, "medium", "class", known.Protocol}
		}
	}
	return nil
}

func (n Note) label(source string) *label {
	l := &label{text: n.Label, confidence: n.Confidence, source: source}
	if n.ProtocolName != "" {
		l.protocol = &protocol{n.ProtocolName, n.ProtocolKind}
	}
	return l
}

func protocolBody(p *protocol) any {
	if p == nil {
		return nil
	}
	return object{"name": p.Name, "kind": stringOrNull(p.Kind)}
}

// attribution returns the label of an address. requested is the address as the
// caller wrote it.
func (m *Model) attribution(requested string) Answer {
	address := felt(requested)
	body := object{
		"chainId": m.Chain, "requestedAddress": requested, "canonicalAddress": address.String(),
		"known": false, "label": nil, "confidence": nil, "source": "none", "protocol": nil,
	}
	if l := m.labelOf(address); l != nil {
		body["known"], body["label"], body["confidence"], body["source"] = true, l.text, l.confidence, l.source
		body["protocol"] = protocolBody(l.protocol)
	}
	return found(body)
}
