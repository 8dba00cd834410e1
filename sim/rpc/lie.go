package rpc

import (
	"bytes"
	"encoding/json"
)

// falsified returns a result with the active lies about its block in it.
func (s *Server) falsified(method string, p params, result any) (any, error) {
	number, ok := s.blockNumbered(p)
	if !ok {
		return result, nil
	}
	var answer struct {
		Result any `json:"result"`
	}
	decoder := json.NewDecoder(bytes.NewReader(encode(response{Result: result})))
	decoder.UseNumber()
	if err := decoder.Decode(&answer); err != nil {
		return nil, err
	}
	s.faults.Falsify(method, answer.Result, number, s.chain.Head().Header.BlockNumber)
	return answer.Result, nil
}

// blockNumbered returns the number of the sealed block that the first argument
// names.
func (s *Server) blockNumbered(p params) (number uint64, ok bool) {
	var id blockID
	if required(p, 0, &id) != nil {
		return 0, false
	}
	switch id.tag {
	case "latest":
		return s.chain.Head().Header.BlockNumber, true
	case "l1_accepted":
		return s.chain.L1Head(), true
	}
	number, _, ok = s.named(id)
	return number, ok
}
