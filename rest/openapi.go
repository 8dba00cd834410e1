package rest

import (
	"context"

	"astrolabe/rest/frame"
	"astrolabe/rest/openapi"
	"astrolabe/staticfile"
)

const yamlMedia = "application/yaml"

// The OpenAPI documents, compressed once.
var (
	openAPIJSONFile = staticfile.FromPlain(openapi.JSON)
	openAPIYAMLFile = staticfile.FromPlain(openapi.YAML)
)

func (s *server) openAPIJSON(context.Context, *frame.Call) (any, error) {
	return frame.Document{Media: frame.JSONMedia, File: openAPIJSONFile}, nil
}

func (s *server) openAPIYAML(context.Context, *frame.Call) (any, error) {
	return frame.Document{Media: yamlMedia, File: openAPIYAMLFile}, nil
}
