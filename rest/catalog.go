package rest

import (
	"context"

	"astrolabe/rest/frame"
)

const linksetMedia = "application/linkset+json"

type link struct {
	Href string `json:"href"`
	Type string `json:"type"`
}

type linkContext struct {
	Anchor      string `json:"anchor"`
	ServiceDesc []link `json:"service-desc"`
	ServiceDoc  []link `json:"service-doc"`
	ServiceMeta []link `json:"service-meta,omitempty"`
	Status      []link `json:"status"`
}

// catalogLink is the Link header of the catalog.
const catalogLink = `</.well-known/api-catalog>; rel="api-catalog"`

// catalog returns the API catalog.
func (s *server) catalog(context.Context, *frame.Call) (any, error) {
	return frame.Document{Link: catalogLink, Media: linksetMedia, Body: catalogBody()}, nil
}

// catalogBody lists what a program needs to use this service. Its links are
// relative, so that they work behind any proxy.
func catalogBody() []byte {
	return frame.Encode(map[string][]linkContext{"linkset": {
		{
			Anchor: "/v1",
			ServiceDesc: []link{
				{"/openapi.json", frame.JSONMedia},
				{"/openapi.yaml", yamlMedia},
			},
			ServiceDoc:  []link{{"/docs", "text/html"}},
			ServiceMeta: []link{{"/v1/meta/capabilities", frame.JSONMedia}, {"/v1/meta/evidence", frame.JSONMedia}},
			Status:      []link{{"/readyz", frame.JSONMedia}},
		},
		{
			Anchor:      "/graphql",
			ServiceDesc: []link{{"/schema.graphql", "application/graphql"}},
			ServiceDoc:  []link{{"/graphiql", "text/html"}},
			Status:      []link{{"/readyz", frame.JSONMedia}},
		},
	}})
}
