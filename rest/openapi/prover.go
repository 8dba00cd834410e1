package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// What only deployments with a prover have.
const (
	proverPath   = "/v1/SN_MAIN/prove" // and what is below it
	proverSchema = "Proof"             // the prefix of schemas
	proverTag    = "Prover"
)

// JSONWithoutProver returns the document in JSON without the operations of the
// prover relay, for deployments where it is not enabled.
func JSONWithoutProver() []byte {
	var document map[string]any
	decoder := json.NewDecoder(bytes.NewReader(JSON))
	decoder.UseNumber()
	if err := decoder.Decode(&document); err != nil {
		panic(fmt.Errorf("the embedded OpenAPI document is malformed: %w", err))
	}
	cut := func(object any, prefix string) {
		maps.DeleteFunc(object.(map[string]any), func(key string, _ any) bool { return strings.HasPrefix(key, prefix) })
	}
	cut(document["paths"], proverPath)
	cut(document["components"].(map[string]any)["schemas"], proverSchema)
	document["tags"] = slices.DeleteFunc(document["tags"].([]any), func(tag any) bool { return tag.(map[string]any)["name"] == proverTag })
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(document) // it was decoded
	return out.Bytes()
}

// YAMLWithoutProver returns the same document in YAML. A tree of nodes keeps the
// style of what is left.
func YAMLWithoutProver() []byte {
	var document yaml.Node
	if err := yaml.Unmarshal(YAML, &document); err != nil {
		panic(fmt.Errorf("the embedded OpenAPI document is malformed: %w", err))
	}
	root := document.Content[0]
	cutMembers(member(root, "paths"), proverPath)
	cutMembers(member(member(root, "components"), "schemas"), proverSchema)
	tags := member(root, "tags")
	tags.Content = slices.DeleteFunc(tags.Content, func(tag *yaml.Node) bool { return member(tag, "name").Value == proverTag })
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	_ = encoder.Encode(&document) // it was decoded
	return out.Bytes()
}

// member returns the value of a key, an empty node if there is none.
func member(object *yaml.Node, key string) *yaml.Node {
	for pair := range slices.Chunk(object.Content, 2) {
		if pair[0].Value == key {
			return pair[1]
		}
	}
	return new(yaml.Node)
}

// cutMembers removes the members whose key has a prefix.
func cutMembers(object *yaml.Node, prefix string) {
	var kept []*yaml.Node
	for pair := range slices.Chunk(object.Content, 2) {
		if !strings.HasPrefix(pair[0].Value, prefix) {
			kept = append(kept, pair...)
		}
	}
	object.Content = kept
}
