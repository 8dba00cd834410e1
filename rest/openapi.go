package rest

import (
	"context"
	"sync"

	"astrolabe/rest/frame"
	"astrolabe/rest/openapi"
)

const yamlMedia = "application/yaml"

// The OpenAPI documents of deployments without a prover, made on first use.
var (
	openAPIJSONWithoutProver = sync.OnceValue(openapi.JSONWithoutProver)
	openAPIYAMLWithoutProver = sync.OnceValue(openapi.YAMLWithoutProver)
)

func (s *server) openAPIJSON(context.Context, *frame.Call) (any, error) {
	if s.Proofs == nil {
		return frame.Document{Media: frame.JSONMedia, Body: openAPIJSONWithoutProver()}, nil
	}
	return frame.Document{Media: frame.JSONMedia, Body: openapi.JSON}, nil
}

func (s *server) openAPIYAML(context.Context, *frame.Call) (any, error) {
	if s.Proofs == nil {
		return frame.Document{Media: yamlMedia, Body: openAPIYAMLWithoutProver()}, nil
	}
	return frame.Document{Media: yamlMedia, Body: openapi.YAML}, nil
}
