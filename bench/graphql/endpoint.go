package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"

	"astrolabe/bench/load"
)

// keyHeader is the header with the API key, whose rate limit must exceed the
// load.
const keyHeader = "X-Service-Api-Key"

// endpoint is a GraphQL server. PostGraphile needs no key.
type endpoint struct{ url, key string }

func (e endpoint) header() http.Header {
	header := http.Header{"Content-Type": {"application/json"}}
	if e.key != "" {
		header.Set(keyHeader, e.key)
	}
	return header
}

// request returns the request of an operation.
func (e endpoint) request(query string) load.Request {
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		panic(err) // a map of strings always encodes
	}
	return load.Request{Method: http.MethodPost, URL: e.url, Header: e.header(), Body: string(body)}
}

// ask executes an operation, which must have no errors, and decodes its data.
func (e endpoint) ask(ctx context.Context, query string, data any) error {
	r := e.request(query)
	var answer struct {
		Data   json.RawMessage
		Errors json.RawMessage
	}
	if err := exchange(ctx, r.Method, r.URL, r.Header, []byte(r.Body), &answer); err != nil {
		return err
	}
	if answer.Errors != nil {
		return fmt.Errorf("%s returned errors: %s", e.url, answer.Errors)
	}
	return json.Unmarshal(answer.Data, data)
}

// errMissing is a response with status 404.
var errMissing = fmt.Errorf("not found")

// exchange sends a request and decodes the response.
func exchange(ctx context.Context, method, url string, header http.Header, body []byte, answer any) error {
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header = header.Clone()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return err
	case response.StatusCode == http.StatusNotFound:
		return errMissing
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("%s answered %s: %s", url, response.Status, text)
	}
	return json.Unmarshal(text, answer)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
