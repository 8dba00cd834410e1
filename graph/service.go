package graph

import "astrolabe/domain"

// Service is what this deployment is.
type Service struct {
	Version string
	Chains  []domain.Chain
	Limits  []Limit
	Docs    []DocLink
}

// Limit is a limit on operations.
type Limit struct {
	Name        string
	Max         int
	Description string
}

// DocLink is a link to a document of this service.
type DocLink struct {
	Title string
	Path  string
}

func describe(o Options) *Service {
	return &Service{
		Version: o.Version,
		Chains:  o.Chains,
		Limits:  o.Limits.list(),
		Docs: []DocLink{
			{"GraphiQL", "/graphiql"},
			{"Reference of the REST interface", "/docs"},
			{"Errors", "/docs/errors"},
			{"OpenAPI document", "/openapi.json"},
		},
	}
}
