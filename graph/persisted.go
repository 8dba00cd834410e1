package graph

import (
	"crypto/sha256"
	"encoding/hex"

	"astrolabe/domain"
)

// errUnknownHash is what clients that persist queries wait for before they
// send the text; they know it by this message.
var errUnknownHash = &domain.Error{Code: domain.CodeNotFound, Message: "PersistedQueryNotFound"}

// persistedHash reads the request for an automatic persisted query: the hash
// of a text that the server may know already, empty when there is none.
func persistedHash(extensions map[string]any) (string, error) {
	given, ok := extensions["persistedQuery"]
	if !ok {
		return "", nil
	}
	fields, _ := given.(map[string]any)
	version, _ := integer(fields["version"])
	hash, _ := fields["sha256Hash"].(string)
	if version != 1 || len(hash) != hex.EncodedLen(sha256.Size) {
		return "", domain.Errorf(domain.CodeInvalidRequest, "extensions.persistedQuery must hold version 1 and a sha256Hash of 64 hexadecimal digits")
	}
	return hash, nil
}

// text returns the text of an operation: that of the request or, for a bare
// hash, the one that was sent under it before. Keep keeps a text under its
// hash; it is called once the text has proved valid, so that the memory holds
// nothing else.
func (h *Handler) text(p params) (text string, keep func(), err error) {
	keep = func() {}
	hash, err := persistedHash(p.Extensions)
	switch {
	case err != nil:
		return "", nil, err
	case hash == "" && p.Query == "":
		return "", nil, errNoQuery
	case hash == "":
		return p.Query, keep, nil
	case p.Query == "":
		text, known := h.texts.get(hash)
		if !known {
			return "", nil, errUnknownHash
		}
		return text, keep, nil
	}
	sum := sha256.Sum256([]byte(p.Query))
	if hex.EncodeToString(sum[:]) != hash {
		return "", nil, domain.Errorf(domain.CodeInvalidRequest, "extensions.persistedQuery.sha256Hash is not the hash of the query")
	}
	return p.Query, func() { h.texts.put(hash, p.Query, len(p.Query)) }, nil
}
