package graph

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"astrolabe/domain"
	"astrolabe/graph/limits"

	"github.com/vektah/gqlparser/v2/gqlerror"
)

// params are the parameters of a GraphQL request.
type params struct {
	Query         string         `json:"query"`
	DocumentID    string         `json:"-"` // ID of a persisted document
	OperationName string         `json:"operationName,omitempty"`
	Variables     map[string]any `json:"variables,omitempty"`
	Extensions    map[string]any `json:"extensions,omitempty"`
}

// request makes the request that gqlgen's transports read: always a POST, of
// the parameters as they were read here. gqlgen would read keys in any case.
func (p params) request(ctx context.Context, r *http.Request, media string) *http.Request {
	inner := r.WithContext(ctx)
	inner.Method = http.MethodPost
	inner.Header = http.Header{"Accept": {media}, "Content-Type": {mediaJSON}}
	inner.Body = io.NopCloser(bytes.NewReader(encode(p)))
	return inner
}

// readParams reads the parameters of an HTTP request.
func (h *Handler) readParams(w http.ResponseWriter, r *http.Request) (params, error) {
	if r.Method != http.MethodPost {
		return queryParams(r.URL.RawQuery)
	}
	if err := checkMedia(r.Header); err != nil {
		return params{}, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(h.Limits.BodyBytes)))
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return params{}, limits.Exceed(domain.CodePayloadTooLarge, limits.Body, int(tooLarge.Limit), int(max(r.ContentLength, tooLarge.Limit+1)),
			fmt.Sprintf("The request body exceeds the limit of %d bytes (%s).", tooLarge.Limit, limits.Body))
	}
	if err != nil {
		return params{}, domain.Errorf(domain.CodeInvalidRequest, "The request body could not be read.")
	}
	return bodyParams(body)
}

// checkMedia accepts uncompressed JSON in UTF-8.
func checkMedia(header http.Header) error {
	media, attributes, err := mime.ParseMediaType(header.Get("Content-Type"))
	charset := attributes["charset"]
	coding := header.Get("Content-Encoding")
	if err != nil || media != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") || coding != "" && coding != "identity" {
		return domain.Errorf(domain.CodeUnsupportedMediaType, "The request body must be application/json in UTF-8, without Content-Encoding.")
	}
	return nil
}

// queryParams reads the parameters of a GET request.
func queryParams(raw string) (params, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return params{}, domain.Errorf(domain.CodeInvalidRequest, "The query string is malformed.")
	}
	p := params{Query: values.Get("query"), DocumentID: values.Get("documentId"), OperationName: values.Get("operationName")}
	if decodeObject([]byte(values.Get("variables")), &p.Variables) != nil {
		return params{}, errVariables
	}
	if decodeObject([]byte(values.Get("extensions")), &p.Extensions) != nil {
		return params{}, errExtensions
	}
	return p, nil
}

// bodyParams reads the parameters of a POST request or of a WebSocket's subscribe
// message. It ignores unknown keys, as the specification requires.
func bodyParams(body []byte) (params, error) {
	var given map[string]any // a struct would ignore the case of keys
	if err := decodeObject(body, &given); err != nil || given == nil {
		if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte{'['}) {
			return params{}, domain.Errorf(domain.CodeInvalidRequest, "Batches of operations are not supported. Send one operation per request, or combine root fields in one operation.")
		}
		return params{}, domain.Errorf(domain.CodeInvalidRequest, "The request body must be a JSON object.")
	}
	var (
		p  params
		ok bool
	)
	if p.Query, ok = optional[string](given["query"]); !ok {
		return params{}, domain.Errorf(domain.CodeInvalidRequest, "query must be a string.")
	}
	if p.DocumentID, ok = optional[string](given["documentId"]); !ok {
		return params{}, domain.Errorf(domain.CodeInvalidRequest, "documentId must be a string.")
	}
	if p.OperationName, ok = optional[string](given["operationName"]); !ok {
		return params{}, domain.Errorf(domain.CodeInvalidRequest, "operationName must be a string.")
	}
	if p.Variables, ok = optional[map[string]any](given["variables"]); !ok {
		return params{}, errVariables
	}
	if p.Extensions, ok = optional[map[string]any](given["extensions"]); !ok {
		return params{}, errExtensions
	}
	return p, nil
}

// optional returns a member of a JSON object that may be absent or null, and
// whether it has the type.
func optional[T any](member any) (T, bool) {
	value, ok := member.(T)
	return value, ok || member == nil
}

var (
	errVariables  = domain.Errorf(domain.CodeInvalidRequest, "variables must be a JSON object.")
	errExtensions = domain.Errorf(domain.CodeInvalidRequest, "extensions must be a JSON object.")
)

// decodeObject reads one JSON object or null and rejects trailing data. Numbers
// stay exact.
func decodeObject(text []byte, into *map[string]any) error {
	if len(text) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("data after the object")
	}
	return nil
}

// encode writes JSON without HTML escapes. It panics on an error, because wire
// types always encode.
func encode(v any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(fmt.Errorf("encode a wire type: %w", err))
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte{'\n'})
}

// failure encodes a response without data.
func failure(errs gqlerror.List) []byte {
	return append(append([]byte(`{"errors":`), encode(errs)...), '}')
}
