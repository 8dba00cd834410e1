package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"astrolabe/domain"
)

// errUnknownDocument is what clients that persist queries wait for before
// they send the text; they know it by this message.
var errUnknownDocument = &domain.Error{Code: domain.CodeNotFound, Message: "PersistedQueryNotFound"}

// hashPrefix begins the ids that are hashes of the text.
const hashPrefix = "sha256:"

// hashID is the id of a text that every client can tell by itself.
func hashID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hashPrefix + hex.EncodeToString(sum[:])
}

// persistedID returns the id by which a request names its document, empty
// when it does not. It is told as documentId or, by clients that persist
// queries automatically, as a bare hash among the extensions.
func persistedID(p params) (string, error) {
	given, ok := p.Extensions["persistedQuery"]
	if !ok {
		return p.DocumentID, nil
	}
	fields, _ := given.(map[string]any)
	version, _ := integer(fields["version"])
	hash, _ := fields["sha256Hash"].(string)
	if version != 1 || len(hash) != hex.EncodedLen(sha256.Size) {
		return "", domain.Errorf(domain.CodeInvalidRequest, "extensions.persistedQuery must hold version 1 and a sha256Hash of 64 hexadecimal digits")
	}
	id := hashPrefix + hash
	if p.DocumentID != "" && p.DocumentID != id {
		return "", domain.Errorf(domain.CodeInvalidRequest, "documentId and extensions.persistedQuery name two documents")
	}
	return id, nil
}

// text returns the text of an operation: that of the request or, for a bare
// id, the one that an operator registered or that was sent under it before.
// Keep keeps a text under its hash; it is called once the text has proved
// valid, so that the memory holds nothing else.
func (h *Handler) text(p params) (text string, keep func(), err error) {
	keep = func() {}
	id, err := persistedID(p)
	switch {
	case err != nil:
		return "", nil, err
	case id == "" && p.Query == "":
		return "", nil, errNoQuery
	case id == "":
		return p.Query, keep, nil
	case p.Query == "":
		text, known := h.Documents[id]
		if !known {
			text, known = h.texts.Get(id)
		}
		if !known {
			return "", nil, errUnknownDocument
		}
		return text, keep, nil
	case !strings.HasPrefix(id, hashPrefix):
		return "", nil, domain.Errorf(domain.CodeInvalidRequest, "a documentId that is not the hash of a text is sent without query")
	case id != hashID(p.Query):
		return "", nil, domain.Errorf(domain.CodeInvalidRequest, "the hash that names the document is not that of the query")
	}
	return p.Query, func() { h.texts.Add(id, p.Query, len(p.Query)) }, nil
}
