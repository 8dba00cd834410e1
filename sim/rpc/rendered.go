package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"astrolabe/starknet"
)

// rendered are the methods whose results are stored in files, with the argument
// after the block that an indexer gives.
var rendered = map[string]json.RawMessage{
	"starknet_getBlockWithReceipts": json.RawMessage(`["INCLUDE_PROOF_FACTS"]`),
	"starknet_getStateUpdate":       nil,
}

// renderedFile returns the file name of a result. It contains everything that
// the result depends on, so an existing file is always correct.
func (s *Server) renderedFile(method string, hash starknet.Felt, finality starknet.FinalityStatus) string {
	if rendered[method] != nil {
		method += "-flagged"
	}
	return filepath.Join(s.rendered, fmt.Sprintf("%s-%s-%s.json", hash, finality, method))
}

// Render adds the missing results of every block to the folder.
func (s *Server) Render() error {
	if err := os.MkdirAll(s.rendered, 0o700); err != nil {
		return err
	}
	for number := range s.chain.Head().Header.BlockNumber + 1 {
		for method := range rendered {
			if err := s.renderOne(method, number); err != nil {
				return fmt.Errorf("rendering block %d: %w", number, err)
			}
		}
	}
	return nil
}

// renderOne writes the result of the method to its file.
func (s *Server) renderOne(method string, number uint64) error {
	hash, _ := s.chain.HashAt(number)
	path := s.renderedFile(method, hash, s.chain.Finality(number))
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	p := params{fmt.Appendf(nil, `{"block_number":%d}`, number), rendered[method]}
	result, err := methods[method].run(s, method, p)
	if err != nil {
		return err
	}
	text := encode(response{Version: "2.0", ID: json.RawMessage("0"), Result: result})
	text = bytes.TrimSuffix(bytes.TrimPrefix(text, []byte(`{"jsonrpc":"2.0","id":0,"result":`)), []byte("}"))
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// sendRendered answers a call from a file, if there is one, and reports whether
// it did. While a fault is active, the methods answer.
func (s *Server) sendRendered(w http.ResponseWriter, r *request) bool {
	file := s.openRendered(r)
	if file == nil {
		return false
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return false
	}
	id, err := marshal(r.ID)
	if err != nil {
		return false
	}
	s.count(r.Method)
	before := append(append([]byte(`{"jsonrpc":"2.0","id":`), id...), `,"result":`...)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.FormatInt(int64(len(before))+info.Size()+1, 10))
	_, _ = w.Write(before) // the client may have disconnected
	_, _ = io.Copy(w, file)
	_, _ = io.WriteString(w, "}")
	return true
}

// openRendered opens the file for a call; nil if there is none.
func (s *Server) openRendered(r *request) *os.File {
	argument, known := rendered[r.Method]
	if s.rendered == "" || !known || r.Version != "2.0" || len(r.ID) == 0 || s.faults.Any() {
		return nil
	}
	p, err := readParams(r.Params, methods[r.Method].params)
	var id blockID
	if err != nil || !bytes.Equal(p[1], argument) || required(p, 0, &id) != nil {
		return nil
	}
	number, hash, ok := s.named(id)
	if !ok {
		return nil
	}
	file, err := os.Open(s.renderedFile(r.Method, hash, s.chain.Finality(number)))
	if err != nil {
		return nil
	}
	return file
}

// named finds the block with a number or a hash.
func (s *Server) named(id blockID) (number uint64, hash starknet.Felt, ok bool) {
	switch {
	case id.Number != nil:
		number = *id.Number
		hash, ok = s.chain.HashAt(number)
	case id.Hash != nil:
		hash = *id.Hash
		number, ok = s.chain.NumberOf(hash)
	}
	return number, hash, ok
}
