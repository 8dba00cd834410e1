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

// hashPrefix begins the ids that are hashes of the text.
const hashPrefix = "sha256:"

// hashID is the id of a text that every client can compute.
func hashID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hashPrefix + hex.EncodeToString(sum[:])
}

// errNoQuery is a fault of the request and not of an operation.
var errNoQuery = domain.Errorf(domain.CodeInvalidRequest, "query must not be empty.")

// documents is the extension that finds the text of an operation by its id:
// among the documents that an operator registered or, for a hash, through
// gqlgen's automatic persisted queries, which come after it.
type documents struct{ registered Documents }

// ExtensionName names the extension.
func (documents) ExtensionName() string { return "Documents" }

// Validate accepts every schema.
func (documents) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationParameters finds the text.
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
		return domain.Errorf(domain.CodeInvalidRequest, "documentId and extensions.persistedQuery name two different documents.")
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
		return domain.Errorf(domain.CodeInvalidRequest, "Send a documentId that is not a hash of the query without query.")
	case !isHash:
		return errUnknownDocument
	}
	return nil
}

// errUnknownDocument has the message that clients of automatic persisted
// queries wait for before they send the text; gqlgen's has it too.
var errUnknownDocument = &domain.Error{Code: domain.CodeNotFound, Message: "PersistedQueryNotFound"}

// withPersistedQuery names a document by its hash, as clients of automatic
// persisted queries do.
func withPersistedQuery(extensions map[string]any, hash string) map[string]any {
	named := map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": hash}}
	for name, value := range extensions {
		named[name] = value
	}
	return named
}

// textCache keeps texts by their hashes for gqlgen.
type textCache struct {
	*cache.Weighted[string, string]
}

// Get returns a text.
func (c textCache) Get(_ context.Context, hash string) (string, bool) { return c.Weighted.Get(hash) }

// Add keeps a text.
func (c textCache) Add(_ context.Context, hash, text string) {
	c.Weighted.Add(hash, text, len(text))
}

// textOf returns the text that a request names by an id, empty for an unknown
// one.
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
