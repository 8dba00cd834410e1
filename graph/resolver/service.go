package resolver

import (
	"context"

	"astrolabe/domain"
	"astrolabe/graph/limits"
)

// Service describes the version, chains and limits of a deployment.
type Service struct {
	Version  string
	Chains   []domain.Chain
	Limits   []limits.Limit
	Docs     []DocLink
	resolver *Resolver
}

// DocLink is a link to a document of this deployment.
type DocLink struct {
	Title string
	Path  string
}

func newService(r *Resolver) *Service {
	return &Service{
		resolver: r,
		Version:  r.Version,
		Chains:   r.Chains,
		Limits:   r.Limits.List(),
		Docs: []DocLink{
			{"GraphiQL", "/graphiql"},
			{"Schema", "/schema.graphql"},
			{"REST API reference", "/docs"},
			{"Errors", "/docs/errors"},
			{"OpenAPI document", "/openapi.json"},
		},
	}
}

// Service returns the version, chains and limits of this deployment.
func (r *Query) Service(context.Context) (*Service, error) { return r.resolver.service, nil }
