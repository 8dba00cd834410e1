package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"astrolabe/bench/load"
)

// request returns an API request with the key.
func (b *bench) request(base, path, body string) load.Request {
	r := load.Request{Method: http.MethodGet, URL: base + path, Header: http.Header{"X-Service-Api-Key": {b.key}}}
	if body != "" {
		r.Method, r.Body = http.MethodPost, body
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

func (b *bench) requests(base string, paths []string) []load.Request {
	list := make([]load.Request, len(paths))
	for i, path := range paths {
		list[i] = b.request(base, path, "")
	}
	return list
}

// answer sends a request and returns the response body and the duration.
func answer(ctx context.Context, r load.Request) ([]byte, time.Duration, error) {
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, strings.NewReader(r.Body))
	if err != nil {
		return nil, 0, err
	}
	request.Header = r.Header
	began := time.Now()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s responded with %s: %s", r.URL, response.Status, body)
	}
	return body, time.Since(began), err
}

// nextCursor returns the cursor of the next page.
func nextCursor(body []byte) (string, error) {
	var page struct{ NextCursor *string }
	if err := json.Unmarshal(body, &page); err != nil {
		return "", err
	}
	if page.NextCursor == nil {
		return "", fmt.Errorf("the list is too short: %.200s", body)
	}
	return *page.NextCursor, nil
}
