package realdata

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"astrolabe/starknet"
)

// specVersion is the version of the specification that the data follows.
const specVersion = "0.10.0"

// Node serves one run of blocks. It is an http.Handler; its content never changes.
type Node struct {
	// URL is the address of a node that Serve returned.
	URL string

	chainID starknet.Felt
	run     *run
	server  *httptest.Server
}

// Open reads the blocks from first to last of a chain, SN_MAIN or SN_SEPOLIA,
// from the folder of real data. It returns ErrNoData if the folder or one of
// the blocks is missing, and ErrNotLinked if the blocks are not consecutive.
func Open(dir, chain string, first, last uint64) (*Node, error) {
	id, err := starknet.ShortString(chain)
	if err != nil {
		return nil, err
	}
	if first > last {
		return nil, fmt.Errorf("the range of blocks from %d to %d is empty", first, last)
	}
	dir = filepath.Join(dir, chain)
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoData, err)
	}
	r, err := load(dir, first, last)
	if err != nil {
		return nil, err
	}
	return &Node{chainID: id, run: r}, nil
}

// Serve opens a run and serves it on the loopback interface, until Close.
func Serve(dir, chain string, first, last uint64) (*Node, error) {
	n, err := Open(dir, chain, first, last)
	if err != nil {
		return nil, err
	}
	n.server = httptest.NewServer(n)
	n.URL = n.server.URL
	return n, nil
}

// Close stops the server of Serve.
func (n *Node) Close() { n.server.Close() }

// ServeHTTP answers one JSON-RPC call.
func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "POST JSON-RPC here", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, "the body is too large or was cut", http.StatusRequestEntityTooLarge)
		return
	}
	answer, err := json.Marshal(n.answer(body))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(answer) // the client may have disconnected
}
