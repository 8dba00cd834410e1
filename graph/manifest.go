package graph

import (
	"fmt"

	"github.com/vektah/gqlparser/v2"

	"astrolabe/graph/exec"
	"astrolabe/strictjson"
)

// Documents are the persisted documents that an operator registered, by ID. Each
// is also registered under the hash of its text.
type Documents map[string]string

// apolloFormat is the format field of Apollo's manifests.
const apolloFormat = "apollo-persisted-query-manifest"

// apolloManifest is the manifest that Apollo's tools generate.
type apolloManifest struct {
	Format     string            `json:"format"`
	Version    int               `json:"version"`
	Operations []apolloOperation `json:"operations"`
}

type apolloOperation struct {
	ID   string `json:"id"`
	Body string `json:"body"`
}

// Add registers the documents of a manifest: the format of relay-compiler, an
// object of documents by ID, or the format of Apollo's tools. It fails on a
// document that is not valid for the schema and on an ID with two documents.
// After an error, some documents may be registered.
func (d Documents) Add(manifest []byte) error {
	texts, err := manifestTexts(manifest)
	if err != nil {
		return err
	}
	schema := exec.NewExecutableSchema(exec.Config{}).Schema()
	for id, text := range texts {
		doc, invalid := gqlparser.LoadQueryWithRules(schema, text, validation(true))
		if len(invalid) > 0 {
			return fmt.Errorf("document %q is not valid for this schema: %w", id, invalid[0])
		}
		if len(doc.Operations) == 0 {
			return fmt.Errorf("document %q contains no operation", id)
		}
		for _, id := range []string{id, hashID(text)} {
			if known, ok := d[id]; ok && known != text {
				return fmt.Errorf("two documents have the ID %q", id)
			}
			d[id] = text
		}
	}
	return nil
}

// manifestTexts returns the documents of a manifest by ID.
func manifestTexts(manifest []byte) (map[string]string, error) {
	var texts map[string]string
	if strictjson.Decode(manifest, &texts) == nil {
		return texts, nil
	}
	var apollo apolloManifest
	if err := strictjson.Decode(manifest, &apollo, strictjson.AllowUnknownKeys()); err != nil || apollo.Format != apolloFormat || apollo.Version != 1 {
		return nil, fmt.Errorf("the manifest must be a JSON object of documents by ID, or have the format %s, version 1", apolloFormat)
	}
	texts = make(map[string]string, len(apollo.Operations))
	for _, operation := range apollo.Operations {
		if known, ok := texts[operation.ID]; ok && known != operation.Body {
			return nil, fmt.Errorf("two documents have the ID %q", operation.ID)
		}
		texts[operation.ID] = operation.Body
	}
	return texts, nil
}
