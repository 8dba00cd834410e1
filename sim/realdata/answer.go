package realdata

import (
	"encoding/json"

	"astrolabe/starknet"
)

// request is a JSON-RPC call with its arguments by position.
type request struct {
	Method string            `json:"method"`
	Params []json.RawMessage `json:"params"`
	ID     json.RawMessage   `json:"id"`
}

// response is the response to a request.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// rpcError is an error of the specification.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

var (
	errContract = &rpcError{20, "Contract not found"}
	errBlock    = &rpcError{24, "Block not found"}
	errClass    = &rpcError{28, "Class hash not found"}
	errParse    = &rpcError{-32700, "Parse error"}
	errMethod   = &rpcError{-32601, "Method not found"}
	errParams   = &rpcError{-32602, "Invalid params"}
)

func (n *Node) answer(body []byte) response {
	var r request
	a := response{Version: "2.0", ID: json.RawMessage("null")}
	if json.Unmarshal(body, &r) != nil {
		a.Error = errParse
		return a
	}
	if len(r.ID) > 0 {
		a.ID = r.ID
	}
	a.Result, a.Error = n.call(r)
	return a
}

// call runs one method.
func (n *Node) call(r request) (any, *rpcError) {
	head := &n.run.blocks[len(n.run.blocks)-1].header
	switch r.Method {
	case "starknet_chainId":
		return n.chainID, nil
	case "starknet_specVersion":
		return specVersion, nil
	case "starknet_blockNumber":
		return head.BlockNumber, nil
	case "starknet_blockHashAndNumber":
		return map[string]any{"block_hash": head.BlockHash, "block_number": head.BlockNumber}, nil
	}
	read, known := methods[r.Method]
	if !known {
		return nil, errMethod
	}
	if len(r.Params) == 0 {
		return nil, errParams
	}
	place, failed := n.run.find(r.Params[0])
	if failed == errBlock && r.Method == "starknet_getClassHashAt" && n.run.isBefore(r.Params[0]) {
		return nil, errContract // the state before the run is unknown
	}
	if failed != nil {
		return nil, failed
	}
	return read(n.run, place, r.Params[1:])
}

// isBefore reports whether an id is that of the block before the run.
func (r *run) isBefore(id json.RawMessage) bool {
	var named struct {
		Hash *starknet.Felt `json:"block_hash"`
	}
	return json.Unmarshal(id, &named) == nil && named.Hash != nil && *named.Hash == r.blocks[0].header.ParentHash
}

// methods are the methods that take a block, with its index in the run.
var methods = map[string]func(r *run, place int, rest []json.RawMessage) (any, *rpcError){
	"starknet_getBlockWithTxHashes": form(func(b *block) json.RawMessage { return b.withHashes }),
	"starknet_getBlockWithTxs":      form(func(b *block) json.RawMessage { return b.withTransactions }),
	"starknet_getBlockWithReceipts": form(func(b *block) json.RawMessage { return b.receipts }),
	"starknet_getStateUpdate":       form(func(b *block) json.RawMessage { return b.update }),
	"starknet_getClass": func(r *run, _ int, rest []json.RawMessage) (any, *rpcError) {
		hash, failed := felt(rest)
		if failed != nil {
			return nil, failed
		}
		if class, ok := r.classes[hash]; ok {
			return class, nil
		}
		return nil, errClass
	},
	"starknet_getClassHashAt": func(r *run, place int, rest []json.RawMessage) (any, *rpcError) {
		contract, failed := felt(rest)
		if failed != nil {
			return nil, failed
		}
		if class, ok := r.classAt(place, contract); ok {
			return class, nil
		}
		return nil, errContract
	},
}

// form returns one of the stored forms of a block.
func form(of func(*block) json.RawMessage) func(*run, int, []json.RawMessage) (any, *rpcError) {
	return func(r *run, place int, _ []json.RawMessage) (any, *rpcError) { return of(&r.blocks[place]), nil }
}

// felt reads the argument after the block id.
func felt(rest []json.RawMessage) (f starknet.Felt, failed *rpcError) {
	if len(rest) != 1 || json.Unmarshal(rest[0], &f) != nil {
		return f, errParams
	}
	return f, nil
}

// find returns the index of the block with an id: a number, a hash or a tag.
func (r *run) find(id json.RawMessage) (int, *rpcError) {
	var tag string
	if json.Unmarshal(id, &tag) == nil {
		return r.tagged(tag)
	}
	var named struct {
		Number *uint64        `json:"block_number"`
		Hash   *starknet.Felt `json:"block_hash"`
	}
	if json.Unmarshal(id, &named) != nil || (named.Number == nil) == (named.Hash == nil) {
		return 0, errParams
	}
	place, found := 0, false
	if named.Hash != nil {
		place, found = r.hashes[*named.Hash]
	} else if *named.Number >= r.first && *named.Number-r.first < uint64(len(r.blocks)) {
		place, found = int(*named.Number-r.first), true
	}
	if !found {
		return 0, errBlock
	}
	return place, nil
}

func (r *run) tagged(tag string) (int, *rpcError) {
	switch tag {
	case "latest":
		return len(r.blocks) - 1, nil
	case "l1_accepted":
		for place := len(r.blocks) - 1; place >= 0; place-- {
			if r.blocks[place].header.Status == starknet.AcceptedOnL1 {
				return place, nil
			}
		}
		return 0, errBlock
	}
	return 0, errParams
}
