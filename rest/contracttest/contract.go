package contracttest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"astrolabe/rest/openapi"
)

// Load returns the committed document, which is parsed and validated once and
// must not be modified.
func Load() (*openapi3.T, error) { return load() }

var load = sync.OnceValues(func() (*openapi3.T, error) {
	document, err := openapi3.NewLoader().LoadFromData(openapi.JSON)
	if err != nil {
		return nil, err
	}
	return document, document.Validate(context.Background(), openapi3.IsOpenAPI31OrLater())
})

var router = sync.OnceValues(func() (routers.Router, error) {
	document, err := Load()
	if err != nil {
		return nil, err
	}
	anywhere := *document
	anywhere.Servers = nil // a test's host is none of the document's
	return gorillamux.NewRouter(&anywhere)
})

// Breach reports whether a request matches a documented operation and, if so,
// how its response differs from the document. Paths below /api count as their
// /v1 path, 405 as an answer of the path's documented method, and HEAD as GET.
func Breach(ctx context.Context, request *http.Request, response *http.Response, body []byte) (documented bool, err error) {
	contract, err := router()
	if err != nil {
		return false, err
	}
	lookup := request.Clone(ctx)
	if strings.HasPrefix(lookup.URL.Path, "/api/v1/") {
		lookup.URL.Path = strings.TrimPrefix(lookup.URL.Path, "/api")
	}
	if response.StatusCode == http.StatusMethodNotAllowed {
		lookup.Method = http.MethodGet
	}
	route, params, err := contract.FindRoute(lookup)
	if err != nil {
		return false, nil //nolint:nilerr // not an operation
	}
	if response.StatusCode >= http.StatusBadRequest {
		note(route.Operation.OperationID, body)
	}
	schema, err := bodySchema(route.Operation, response)
	if err != nil {
		return true, err
	}
	if schema != nil {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
		if err != nil {
			return true, err
		}
		if err := schema.Validate(value); err != nil {
			return true, err
		}
		// Only headers are left to check. With an older document version the
		// filter does not compile their schemas for each response.
		older := *route
		older.Spec = &openapi3.T{OpenAPI: "3.0.3"}
		route = &older
	}
	return true, openapi3filter.ValidateResponse(ctx, &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: lookup, PathParams: params, Route: route},
		Status:                 response.StatusCode, Header: response.Header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{
			IncludeResponseStatus: true, ExcludeResponseBody: schema != nil || !strings.Contains(response.Header.Get("Content-Type"), "json"),
		},
	})
}

// schemas caches the compiled schemas by reference. The filter would compile
// them for each response, which takes longer than the response.
var schemas = struct {
	sync.Mutex
	compiler *jsonschema.Compiler
	known    map[string]*jsonschema.Schema
}{known: map[string]*jsonschema.Schema{}}

const documentName = "openapi.json"

// bodySchema returns the schema of a response body, nil if it is not a
// reference.
func bodySchema(operation *openapi3.Operation, response *http.Response) (*jsonschema.Schema, error) {
	documented := operation.Responses.Status(response.StatusCode)
	if documented == nil || documented.Value == nil {
		return nil, nil
	}
	kind := response.Header.Get("Content-Type")
	media := documented.Value.Content.Get(kind)
	if media == nil || media.Schema == nil || media.Schema.Ref == "" || !strings.Contains(kind, "json") {
		return nil, nil
	}
	schemas.Lock()
	defer schemas.Unlock()
	if schema, compiled := schemas.known[media.Schema.Ref]; compiled {
		return schema, nil
	}
	if schemas.compiler == nil {
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(openapi.JSON))
		if err != nil {
			return nil, err
		}
		schemas.compiler = jsonschema.NewCompiler()
		schemas.compiler.AssertFormat()
		if err := schemas.compiler.AddResource(documentName, document); err != nil {
			return nil, err
		}
	}
	schema, err := schemas.compiler.Compile(documentName + media.Schema.Ref)
	if err == nil {
		schemas.known[media.Schema.Ref] = schema
	}
	return schema, err
}
