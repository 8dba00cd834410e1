package graph

import (
	"encoding/base64"
	"strings"

	"astrolabe/domain"
)

// Node is an object that can be asked for again by its id.
type Node interface {
	IsNode()
	ID() string
}

// globalID is what a Node's id holds. Its text is opaque to clients and never
// changes for an object.
type globalID struct {
	Type  string
	Chain domain.Chain
	Key   string // empty for the chain itself
}

const (
	idSeparator = ":"
	maxIDText   = 256
)

// String writes the id.
func (id globalID) String() string {
	return base64.RawURLEncoding.EncodeToString([]byte(id.Type + idSeparator + string(id.Chain) + idSeparator + id.Key))
}

// parseGlobalID reads an id, in the one spelling that String writes.
func parseGlobalID(text string) (globalID, error) {
	malformed := domain.Errorf(domain.CodeInvalidRequest, "the id is not one of this service; pass ids back as they were received")
	if len(text) > maxIDText {
		return globalID{}, malformed
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return globalID{}, malformed
	}
	parts := strings.SplitN(string(raw), idSeparator, 3)
	if len(parts) != 3 {
		return globalID{}, malformed
	}
	chain, err := domain.ParseChain(parts[1])
	if err != nil {
		return globalID{}, malformed
	}
	id := globalID{Type: parts[0], Chain: chain, Key: parts[2]}
	if id.String() != text {
		return globalID{}, malformed
	}
	return id, nil
}
