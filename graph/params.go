package graph

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"astrolabe/domain"
)

// params are the parameters of a GraphQL request.
type params struct {
	Query         string
	DocumentID    string // of a text that is known already
	OperationName string
	Variables     map[string]any
	Extensions    map[string]any
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
		return params{}, passed(domain.CodePayloadTooLarge, limitBody, int(tooLarge.Limit), int(max(r.ContentLength, tooLarge.Limit+1)),
			fmt.Sprintf("the body passes the limit %s of %d bytes", limitBody, tooLarge.Limit))
	}
	if err != nil {
		return params{}, domain.Errorf(domain.CodeInvalidRequest, "the body could not be read")
	}
	return bodyParams(body)
}

// checkMedia accepts JSON in UTF-8 that is not compressed.
func checkMedia(header http.Header) error {
	media, attributes, err := mime.ParseMediaType(header.Get("Content-Type"))
	charset := attributes["charset"]
	coding := header.Get("Content-Encoding")
	if err != nil || media != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") || coding != "" && coding != "identity" {
		return domain.Errorf(domain.CodeUnsupportedMediaType, "the body must be application/json in UTF-8, without Content-Encoding")
	}
	return nil
}

// queryParams reads the parameters of a GET. Values that hold JSON are read
// as in a body.
func queryParams(raw string) (params, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return params{}, domain.Errorf(domain.CodeInvalidRequest, "the query string is malformed")
	}
	p := params{Query: values.Get("query"), DocumentID: values.Get("documentId"), OperationName: values.Get("operationName")}
	return p, p.objects([]byte(values.Get("variables")), []byte(values.Get("extensions")))
}

// bodyParams reads the parameters of a POST or of a socket's subscribe. Keys
// that are not part of a request are ignored, as the specification asks.
func bodyParams(body []byte) (params, error) {
	var given map[string]json.RawMessage // a struct would ignore the case of keys
	if err := json.Unmarshal(body, &given); err != nil || given == nil {
		if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte{'['}) {
			return params{}, domain.Errorf(domain.CodeInvalidRequest, "batches of operations are not offered: send each operation by itself, or several root fields in one")
		}
		return params{}, domain.Errorf(domain.CodeInvalidRequest, "the body must be a JSON object")
	}
	var p params
	if text, ok := given["query"]; ok && json.Unmarshal(text, &p.Query) != nil {
		return params{}, domain.Errorf(domain.CodeInvalidRequest, "query must be a string")
	}
	if text, ok := given["documentId"]; ok && json.Unmarshal(text, &p.DocumentID) != nil {
		return params{}, domain.Errorf(domain.CodeInvalidRequest, "documentId must be a string")
	}
	if text, ok := given["operationName"]; ok && json.Unmarshal(text, &p.OperationName) != nil {
		return params{}, domain.Errorf(domain.CodeInvalidRequest, "operationName must be a string")
	}
	return p, p.objects(given["variables"], given["extensions"])
}

// objects reads the two parameters that are objects; each may be absent.
func (p *params) objects(variables, extensions []byte) error {
	if decodeObject(variables, &p.Variables) != nil {
		return domain.Errorf(domain.CodeInvalidRequest, "variables must be a JSON object")
	}
	if decodeObject(extensions, &p.Extensions) != nil {
		return domain.Errorf(domain.CodeInvalidRequest, "extensions must be a JSON object")
	}
	return nil
}

// decodeObject reads one JSON object, or null, and nothing after it. Numbers
// keep their digits.
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
