package rest

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/rest/chains"
	"astrolabe/rest/frame"
	"astrolabe/rest/rpc"
	"astrolabe/rest/verification"
)

type operationBody struct {
	OperationID   string              `json:"operationId"`
	Method        string              `json:"method"`
	Path          string              `json:"path"`
	Certification frame.Certification `json:"certification"`
	Tier          frame.Tier          `json:"tier"`
	Audience      frame.Audience      `json:"audience"`
	RouteClass    frame.RouteClass    `json:"routeClass"`
}

func describe(op frame.Operation) operationBody {
	return operationBody{op.ID, op.Method, op.Path, op.Cert, op.Tier(), op.Audience, op.Class}
}

type capabilitiesBody struct {
	Version      string                      `json:"version"`
	Chains       []domain.Chain              `json:"chains"`
	Operations   []operationBody             `json:"operations"`
	RPCProvider  rpc.Provider                `json:"rpcProvider"`
	EventSearch  chains.EventSearchBody      `json:"eventSearch"`
	Verification verification.CapabilityBody `json:"verification"`
}

func (s *server) capabilities(ctx context.Context, _ *frame.Call) (any, error) {
	search, err := chains.Handlers{Services: s.Services}.EventSearch(ctx, s.Chains)
	if err != nil {
		return nil, err
	}
	verifying, err := verification.Handlers{Services: s.Services}.Capability(ctx)
	if err != nil {
		return nil, err
	}
	body := capabilitiesBody{Version: s.Version, Chains: s.Chains, RPCProvider: rpc.Describe(), EventSearch: search, Verification: verifying}
	for _, op := range s.table {
		body.Operations = append(body.Operations, describe(op))
	}
	return body, nil
}

type evidenceBody struct {
	Version    string         `json:"version"`
	Operations []evidenceItem `json:"operations"`
}

type evidenceItem struct {
	operationBody
	Tests []string `json:"tests"`
}

func (s *server) evidence(context.Context, *frame.Call) (any, error) {
	body := evidenceBody{Version: s.Version}
	for _, op := range s.table {
		body.Operations = append(body.Operations, evidenceItem{describe(op), op.Proof})
	}
	return body, nil
}

func (s *server) discoveryOperations() []frame.Operation {
	return []frame.Operation{
		{
			ID: "getCapabilities", Method: http.MethodGet, Path: "/v1/meta/capabilities",
			Summary:  "Get the chains, operations and search coverage of this deployment.",
			Personal: true,
			Class:    frame.Light, Cert: frame.Beta, Audience: frame.External, Timeout: 2 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "Capabilities",
			Proof:  []string{"TestCapabilitiesNameEveryOperation", "TestCapabilitiesReportActualCoverage", "TestCapabilitiesTellWhatTheCallerMaySearch", "TestCapabilitiesTellWhetherContractsCanBeVerified"},
			Handle: s.capabilities,
		},
		{
			ID: "getEvidence", Method: http.MethodGet, Path: "/v1/meta/evidence",
			Summary: "Get certification, tier, audience and tests of each operation.",
			Class:   frame.Light, Cert: frame.Beta, Audience: frame.External, Timeout: 2 * time.Second, Cache: "max-age=60",
			Success: http.StatusOK, Body: "Evidence",
			Proof:  []string{"TestEvidenceNamesTestsThatExist"},
			Handle: s.evidence,
		},
		{
			ID: "getOpenapiJson", Method: http.MethodGet, Path: "/openapi.json",
			Summary: "Get the OpenAPI 3.1 document as JSON.",
			Class:   frame.Light, Cert: frame.Beta, Audience: frame.External, Timeout: 2 * time.Second, Cache: "max-age=60",
			Success: http.StatusOK, Body: "OpenAPIDocument",
			Proof:  []string{"TestOpenAPIDocumentEqualsTheTable"},
			Handle: s.openAPIJSON,
		},
		{
			ID: "getOpenapiYaml", Method: http.MethodGet, Path: "/openapi.yaml",
			Summary: "Get the OpenAPI 3.1 document as YAML.",
			Class:   frame.Light, Cert: frame.Beta, Audience: frame.External, Timeout: 2 * time.Second, Cache: "max-age=60",
			Success: http.StatusOK, Body: "OpenAPIDocument", Media: yamlMedia,
			Proof:  []string{"TestOpenAPIInYAMLEqualsJSON"},
			Handle: s.openAPIYAML,
		},
		{
			ID: "getApiCatalog", Method: http.MethodGet, Path: "/.well-known/api-catalog",
			Summary: "Get the API catalog (RFC 9727).",
			Class:   frame.Light, Cert: frame.Beta, Audience: frame.External, Timeout: 2 * time.Second, Cache: "max-age=60",
			Success: http.StatusOK, Body: "ApiCatalog", Media: linksetMedia,
			Proof:  []string{"TestCatalogLinksResolve"},
			Handle: s.catalog,
		},
	}
}
