package main

import (
	"fmt"
	"os"

	"astrolabe/graph"
)

// documentSettings name the manifests of GraphQL documents.
type documentSettings struct {
	GraphqlDocuments []string `help:"Manifests of GraphQL documents that clients can run by id, in the formats of relay-compiler and Apollo." placeholder:"FILE"`
}

// check reads the manifests, so that a bad one is rejected before anything
// starts.
func (s documentSettings) check() error {
	_, err := s.documents()
	return err
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
