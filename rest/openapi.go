package rest

import (
	"context"
	"sync"

	"astrolabe/rest/frame"
	"astrolabe/rest/openapi"
	"astrolabe/staticfile"
)

const yamlMedia = "application/yaml"

// The OpenAPI documents, compressed once, of deployments with a prover and without.
var (
	openAPIJSONFile = file(func() []byte { return openapi.JSON })
	openAPIYAMLFile = file(func() []byte { return openapi.YAML })

	openAPIJSONWithoutProver = file(openapi.JSONWithoutProver)
	openAPIYAMLWithoutProver = file(openapi.YAMLWithoutProver)
)

func file(content func() []byte) func() *staticfile.File {
	return sync.OnceValue(func() *staticfile.File { return staticfile.FromPlain(content()) })
}

func (s *server) openAPIJSON(context.Context, *frame.Call) (any, error) {
	if s.Proofs == nil {
		return frame.Document{Media: frame.JSONMedia, File: openAPIJSONWithoutProver()}, nil
	}
	return frame.Document{Media: frame.JSONMedia, File: openAPIJSONFile()}, nil
}

func (s *server) openAPIYAML(context.Context, *frame.Call) (any, error) {
	if s.Proofs == nil {
		return frame.Document{Media: yamlMedia, File: openAPIYAMLWithoutProver()}, nil
	}
	return frame.Document{Media: yamlMedia, File: openAPIYAMLFile()}, nil
}
