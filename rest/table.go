package rest

import (
	"net/http"
	"time"
)

// operations is the table: every route of the contract that exists here.
func (s *server) operations() []Operation {
	return []Operation{
		{
			ID: "getStatus", Method: http.MethodGet, Path: "/v1/{chain}/status",
			Summary: "How the chain and its index stand",
			Params:  []Param{chainParam},
			Class:   Light, Cert: Certified, Audience: External, Budget: 2 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "Status",
			Proof:  []string{"TestStatusTellsHowTheIndexStands", "TestStatusOfAChainThatNobodyIndexes"},
			Handle: s.status,
		},
		{
			ID: "getCapabilities", Method: http.MethodGet, Path: "/v1/meta/capabilities",
			Summary: "What this deployment serves",
			Class:   Light, Cert: Beta, Audience: External, Budget: 2 * time.Second, Cache: "max-age=60",
			Success: http.StatusOK, Body: "Capabilities",
			Proof:  []string{"TestCapabilitiesNameEveryOperation"},
			Handle: s.capabilities,
		},
		{
			ID: "getEvidence", Method: http.MethodGet, Path: "/v1/meta/evidence",
			Summary: "Certification, tier and audience of each operation, with the tests that hold it",
			Class:   Light, Cert: Beta, Audience: External, Budget: 2 * time.Second, Cache: "max-age=60",
			Success: http.StatusOK, Body: "Evidence",
			Proof:  []string{"TestEvidenceNamesTestsThatExist"},
			Handle: s.evidence,
		},
		{
			ID: "getOpenapiJson", Method: http.MethodGet, Path: "/openapi.json",
			Summary: "This contract as an OpenAPI 3.1 document, in JSON",
			Class:   Light, Cert: Beta, Audience: External, Budget: 2 * time.Second, Cache: "max-age=60",
			Success: http.StatusOK, Body: "OpenAPIDocument",
			Proof:  []string{"TestOpenAPIDocumentEqualsTheTable"},
			Handle: s.openAPIJSON,
		},
		{
			ID: "getOpenapiYaml", Method: http.MethodGet, Path: "/openapi.yaml",
			Summary: "This contract as an OpenAPI 3.1 document, in YAML",
			Class:   Light, Cert: Beta, Audience: External, Budget: 2 * time.Second, Cache: "max-age=60",
			Success: http.StatusOK, Body: "OpenAPIDocument", Media: yamlMedia,
			Proof:  []string{"TestOpenAPIInYAMLSaysTheSame"},
			Handle: s.openAPIYAML,
		},
		{
			ID: "getApiCatalog", Method: http.MethodGet, Path: "/.well-known/api-catalog",
			Summary: "Where this service's documents are (RFC 9727)",
			Class:   Light, Cert: Beta, Audience: External, Budget: 2 * time.Second, Cache: "max-age=60",
			Success: http.StatusOK, Body: "ApiCatalog", Media: linksetMedia,
			Proof:  []string{"TestCatalogLinksResolve"},
			Handle: s.catalog,
		},
	}
}
