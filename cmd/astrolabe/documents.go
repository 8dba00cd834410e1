package main

import (
	"fmt"
	"os"

	"astrolabe/graph"
)

// documentSettings say which GraphQL operations clients may name by id.
type documentSettings struct {
	GraphqlDocuments []string `help:"Manifests of GraphQL documents that clients may name by id, as relay-compiler or Apollo's tools write them." placeholder:"FILE"`
}

// documents reads the manifests.
func (s documentSettings) documents() (graph.Documents, error) {
	documents := graph.Documents{}
	for _, file := range s.GraphqlDocuments {
		manifest, err := os.ReadFile(file)
		if err != nil {
			return nil, usageError{fmt.Errorf("--graphql-documents: %w", err)}
		}
		if err := documents.Add(manifest); err != nil {
			return nil, usageError{fmt.Errorf("--graphql-documents: %s: %w", file, err)}
		}
	}
	return documents, nil
}
