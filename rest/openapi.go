package rest

import (
	"context"

	"astrolabe/rest/openapi"
)

const yamlMedia = "application/yaml"

func (s *server) openAPIJSON(context.Context, *Call) (any, error) {
	return document{jsonMedia, openapi.JSON}, nil
}

func (s *server) openAPIYAML(context.Context, *Call) (any, error) {
	return document{yamlMedia, openapi.YAML}, nil
}
