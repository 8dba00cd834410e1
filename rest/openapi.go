package rest

import (
	"context"

	"astrolabe/rest/openapi"
)

const yamlMedia = "application/yaml"

func (s *server) openAPIJSON(context.Context, *Call) (any, error) {
	return document{media: jsonMedia, body: openapi.JSON}, nil
}

func (s *server) openAPIYAML(context.Context, *Call) (any, error) {
	return document{media: yamlMedia, body: openapi.YAML}, nil
}
