package graph

import "astrolabe/domain"

// Service is what this deployment is.
type Service struct {
	Version string
	Chains  []domain.Chain
	Limits  []Limit
	Docs    []DocLink
	h       *Handler
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

func describe(h *Handler) *Service {
	return &Service{
		h:       h,
		Version: h.Version,
		Chains:  h.Chains,
		Limits:  h.Limits.list(),
		Docs: []DocLink{
			{"GraphiQL", "/graphiql"},
			{"Schema", "/schema.graphql"},
			{"Reference of the REST interface", "/docs"},
			{"Errors", "/docs/errors"},
			{"OpenAPI document", "/openapi.json"},
		},
	}
}
