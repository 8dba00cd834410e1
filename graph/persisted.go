package graph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"astrolabe/cache"
	"astrolabe/domain"
)

// hashPrefix is the prefix of IDs that are hashes of the document.
const hashPrefix = "sha256:"

// hashID returns the ID that a client computes from the text of a document.
func hashID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hashPrefix + hex.EncodeToString(sum[:])
}

// errNoQuery is an error of the request, not of an operation.
var errNoQuery = domain.Errorf(domain.CodeInvalidRequest, "query must not be empty.")

// documents is the extension that resolves document IDs: to a registered document
// or, for a hash, through gqlgen's AutomaticPersistedQuery, which runs next.
type documents struct{ registered Documents }

// ExtensionName implements graphql.HandlerExtension.
func (documents) ExtensionName() string { return "Documents" }

// Validate implements graphql.HandlerExtension.
func (documents) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationParameters sets the query of a request with a document ID.
func (d documents) MutateOperationParameters(ctx context.Context, p *graphql.RawParams) *gqlerror.Error {
	op := operationOf(ctx)
	id := op.documentID
	if op.socket != nil {
		id, _ = p.Extensions[documentIDExtension].(string)
	}
	if err := d.find(id, p); err != nil {
		return op.refuse(err)
	}
	return nil
}

func (d documents) find(id string, p *graphql.RawParams) error {
	persisted, _ := p.Extensions["persistedQuery"].(map[string]any)
	hash, _ := persisted["sha256Hash"].(string)
	switch {
	case id != "" && hash != "" && id != hashPrefix+hash:
		return domain.Errorf(domain.CodeInvalidRequest, "documentId and extensions.persistedQuery identify different documents.")
	case id == "" && persisted == nil && p.Query == "":
		return errNoQuery
	case id == "" && hash == "":
		return nil
	case id == "":
		id = hashPrefix + hash
	}
	if text, ok := d.registered[id]; ok && p.Query == "" {
		p.Query = text
		return nil
	}
	hash, isHash := strings.CutPrefix(id, hashPrefix)
	switch {
	case isHash && persisted == nil:
		p.Extensions = withPersistedQuery(p.Extensions, hash)
	case !isHash && p.Query != "":
		return domain.Errorf(domain.CodeInvalidRequest, "documentId must be `sha256:` followed by the SHA-256 of query. To run a registered document, omit query.")
	case !isHash:
		return errUnknownDocument
	}
	return nil
}

// errUnknownDocument has the message on which clients of automatic persisted
// queries send the text. gqlgen uses the same message.
var errUnknownDocument = &domain.Error{Code: domain.CodeNotFound, Message: "PersistedQueryNotFound"}

// withPersistedQuery adds the extension of automatic persisted queries.
func withPersistedQuery(extensions map[string]any, hash string) map[string]any {
	named := map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": hash}}
	for name, value := range extensions {
		named[name] = value
	}
	return named
}

// textCache is gqlgen's cache of persisted texts by hash.
type textCache struct {
	*cache.Weighted[string, string]
}

// Get implements graphql.Cache.
func (c textCache) Get(_ context.Context, hash string) (string, bool) { return c.Weighted.Get(hash) }

// Add implements graphql.Cache.
func (c textCache) Add(_ context.Context, hash, text string) {
	c.Weighted.Add(hash, text, len(text))
}

// textOf returns the text of a persisted document, empty if it is unknown.
func (h *Handler) textOf(p params) string {
	id := p.DocumentID
	if persisted, ok := p.Extensions["persistedQuery"].(map[string]any); ok && id == "" {
		hash, _ := persisted["sha256Hash"].(string)
		id = hashPrefix + hash
	}
	if text, ok := h.Documents[id]; ok {
		return text
	}
	text, _ := h.texts.Get(context.Background(), strings.TrimPrefix(id, hashPrefix))
	return text
}
