package rest

import (
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

// operations is the table: every route of the contract that exists here.
func (s *server) operations() []Operation {
	return []Operation{
		{
			ID: "getStatus", Method: http.MethodGet, Path: "/v1/{chain}/status",
			Summary: "How the chain and its index stand",
			Params:  []Param{chainParam}, Permission: account.Read,
			Class: Light, Cert: Certified, Audience: External, Budget: 2 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "Status",
			Proof:  []string{"TestStatusTellsHowTheIndexStands", "TestStatusOfAChainThatNobodyIndexes"},
			Handle: s.status,
		},
		{
			ID: "listApiKeys", Method: http.MethodGet, Path: "/v1/me/api-keys",
			Summary: "The keys of the signed-in workspace, without their secrets",
			Session: true,
			Class:   Light, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "ApiKeyList",
			Proof:  []string{"TestAPersonIssuesListsAndRevokesKeys"},
			Handle: s.listKeys,
		},
		{
			ID: "issueApiKey", Method: http.MethodPost, Path: "/v1/me/api-keys",
			Summary: "Issue the default key, or rotate it",
			Session: true,
			Class:   Light, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "IssuedApiKey",
			Proof:  []string{"TestAPersonIssuesListsAndRevokesKeys"},
			Handle: s.issueKey,
		},
		{
			ID: "revokeApiKey", Method: http.MethodDelete, Path: "/v1/me/api-keys/{public_id}",
			Summary: "Revoke one key",
			Params:  []Param{{Name: "public_id", In: InPath, Kind: TextKind, About: "The public id of the key.", Example: "abcdefghijk1"}},
			Session: true,
			Class:   Light, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "ApiKey", Errors: []domain.Code{domain.CodeNotFound},
			Proof:  []string{"TestAPersonIssuesListsAndRevokesKeys", "TestAnotherWorkspacesKeyLooksAbsent"},
			Handle: s.revokeKey,
		},
		{
			ID: "getUsage", Method: http.MethodGet, Path: "/v1/me/usage",
			Summary: "What the signed-in workspace has used lately",
			Session: true,
			Class:   Light, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "Usage",
			Proof:  []string{"TestUsageTellsOfRequestsAndFailures"},
			Handle: s.usage,
		},
		{
			ID: "getSession", Method: http.MethodGet, Path: "/v1/me/session",
			Summary: "Exchange the session cookie for a short-lived bearer",
			Session: true,
			Class:   Light, Cert: Beta, Audience: External, Budget: 5 * time.Second, Cache: "no-store",
			Success: http.StatusOK, Body: "SessionBearer",
			Proof:  []string{"TestACookieIsExchangedForABearer"},
			Handle: s.session,
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
