package rest

import (
	"context"

	"astrolabe/rest/frame"
	"astrolabe/rest/openapi"
)

const yamlMedia = "application/yaml"

func (s *server) openAPIJSON(context.Context, *frame.Call) (any, error) {
	return frame.Document{Media: frame.JSONMedia, Body: openapi.JSON}, nil
}

func (s *server) openAPIYAML(context.Context, *frame.Call) (any, error) {
	return frame.Document{Media: yamlMedia, Body: openapi.YAML}, nil
}
