package rest

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

type contractReadBody struct {
	ChainID         domain.Chain    `json:"chainId"`
	ContractAddress starknet.Felt   `json:"contractAddress"`
	Selector        starknet.Felt   `json:"selector"`
	BlockTag        string          `json:"blockTag"`
	BlockNumber     uint64          `json:"blockNumber"`
	BlockHash       *starknet.Felt  `json:"blockHash"`
	Result          []starknet.Felt `json:"result"`
}

func (s *server) readContract(ctx context.Context, c *Call) (any, error) {
	call := chain.ViewCall{Contract: c.Felt("address"), Selector: c.Felt("selector"), Calldata: c.Felts("calldata")}
	block, result, err := s.States.View(ctx, c.Chain, c.state(), call)
	if err != nil {
		return nil, err
	}
	return contractReadBody{c.Chain, call.Contract, call.Selector, c.Text(blockTagParam.Name), block.Number, block.Hash, result}, nil
}

// readParam is the contract that is read. The example is STRK, which has a name.
var readParam = Param{
	Name: "address", In: InPath, Kind: FeltKind, Required: true, About: "The contract's address.", Example: tokenParam.Example,
}

// maxCalldata is how many felts a call takes.
const maxCalldata = 1024

func (s *server) contractReadOperations() []Operation {
	return []Operation{
		{
			ID: "readContract", Method: http.MethodGet, Path: "/v1/{chain}/contract/{address}/read",
			Summary: "What a contract's view returns at a block",
			Params: []Param{chainParam, readParam,
				{Name: "selector", In: InQuery, Kind: FeltKind, Required: true, About: "The selector of the entry point: a felt, not a name.",
					Example: starknet.Selector("name").String()},
				{Name: "calldata", In: InQuery, Kind: FeltKind, Repeatable: true, MaxItems: maxCalldata, About: "The arguments as felts, in their order."},
				blockTagParam},
			Permission: account.Read, Class: Heavy, Cert: Beta, Audience: External, Budget: 10 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "ContractRead", Errors: []domain.Code{domain.CodeNotFound, domain.CodeContractCallFailed},
			Proof: []string{"TestAContractIsReadWithCalldataInItsOrder", "TestAContractThatFailsInACallSaysSo",
				"TestAnUnknownBlockIsNotFound", "TestAFailingNodeIsNeverZero"},
			Handle: s.readContract,
		},
	}
}
