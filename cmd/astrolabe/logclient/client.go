package logclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"astrolabe/domain"
	"astrolabe/domain/verify/transparency"
)

// timeout limits one request.
const timeout = 30 * time.Second

// maxTile is the length of a full tile.
const maxTile = tlog.HashSize << transparency.TileHeight

// Client reads the log of a service.
type Client struct {
	base string
	http *http.Client
}

var _ transparency.Source = (*Client)(nil)

// New returns the client of a service, by the URL at which its API is.
func New(url string) *Client {
	return &Client{strings.TrimSuffix(url, "/") + "/v1/verification/log/", &http.Client{Timeout: timeout}}
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Checkpoint implements transparency.Source.
func (c *Client) Checkpoint(ctx context.Context) (string, error) {
	text, err := c.get(ctx, "checkpoint", transparency.MaxCheckpoint)
	return string(text), err
}

// Tile implements transparency.Source.
func (c *Client) Tile(ctx context.Context, tile tlog.Tile) ([]byte, error) {
	return c.get(ctx, tile.Path(), maxTile)
}

// get reads a document up to one byte more than allowed, by which its reader tells
// that it is too large.
func (c *Client) get(ctx context.Context, path string, most int64) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		return nil, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, most+1))
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s returned status %s: %s", c.base+path, response.Status, domain.Quote(string(body)))
	}
	return body, nil
}
