package resolver

import (
	"context"

	"astrolabe/domain"
	"astrolabe/graph/limits"
)

// Service is what this deployment is.
type Service struct {
	Version  string
	Chains   []domain.Chain
	Limits   []limits.Limit
	Docs     []DocLink
	resolver *Resolver
}

// DocLink is a link to a document of this service.
type DocLink struct {
	Title string
	Path  string
}

func describe(r *Resolver) *Service {
	return &Service{
		resolver: r,
		Version:  r.Version,
		Chains:   r.Chains,
		Limits:   r.Limits.List(),
		Docs: []DocLink{
			{"GraphiQL", "/graphiql"},
			{"Schema", "/schema.graphql"},
			{"Reference of the REST interface", "/docs"},
			{"Errors", "/docs/errors"},
			{"OpenAPI document", "/openapi.json"},
		},
	}
}

// Service describes this deployment.
func (r *Query) Service(context.Context) (*Service, error) { return r.resolver.service, nil }
