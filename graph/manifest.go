package graph

import (
	"fmt"

	"github.com/vektah/gqlparser/v2"

	"astrolabe/graph/exec"
	"astrolabe/strictjson"
)

// Documents are the texts that clients may name by an id, because an operator
// registered them. Each is there under the hash of its text, too.
type Documents map[string]string

// apolloFormat is how Apollo's manifests name themselves.
const apolloFormat = "apollo-persisted-query-manifest"

// apolloManifest is what Apollo's tools write.
type apolloManifest struct {
	Format     string            `json:"format"`
	Version    int               `json:"version"`
	Operations []apolloOperation `json:"operations"`
}

type apolloOperation struct {
	ID   string `json:"id"`
	Body string `json:"body"`
}

// Add registers the documents of a manifest as a client's compiler wrote it:
// an object of texts by their ids, as relay-compiler does, or what Apollo's
// tools write. It fails at a text that the schema does not answer and at an id
// that names two texts; then some may be registered.
func (d Documents) Add(manifest []byte) error {
	texts, err := manifestTexts(manifest)
	if err != nil {
		return err
	}
	schema := exec.NewExecutableSchema(exec.Config{}).Schema()
	for id, text := range texts {
		doc, mistakes := gqlparser.LoadQueryWithRules(schema, text, validation(true))
		if len(mistakes) > 0 {
			return fmt.Errorf("the document %q is not one of this schema: %w", id, mistakes[0])
		}
		if len(doc.Operations) == 0 {
			return fmt.Errorf("the document %q holds no operation", id)
		}
		for _, id := range []string{id, hashID(text)} {
			if known, ok := d[id]; ok && known != text {
				return fmt.Errorf("the id %q names two documents", id)
			}
			d[id] = text
		}
	}
	return nil
}

// manifestTexts reads the texts of a manifest by their ids.
func manifestTexts(manifest []byte) (map[string]string, error) {
	var texts map[string]string
	if strictjson.Decode(manifest, &texts) == nil {
		return texts, nil
	}
	var apollo apolloManifest
	if err := strictjson.Decode(manifest, &apollo, strictjson.AllowUnknownKeys()); err != nil || apollo.Format != apolloFormat || apollo.Version != 1 {
		return nil, fmt.Errorf("it is neither an object of texts by id nor a manifest of the format %s, version 1", apolloFormat)
	}
	texts = make(map[string]string, len(apollo.Operations))
	for _, operation := range apollo.Operations {
		if known, ok := texts[operation.ID]; ok && known != operation.Body {
			return nil, fmt.Errorf("the id %q names two documents", operation.ID)
		}
		texts[operation.ID] = operation.Body
	}
	return texts, nil
}
