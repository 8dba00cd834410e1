package contracts

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// ContractReadBody is the result of a view function at a block.
type ContractReadBody struct {
	ChainID         domain.Chain    `json:"chainId"`
	ContractAddress starknet.Felt   `json:"contractAddress"`
	Selector        starknet.Felt   `json:"selector"`
	BlockTag        string          `json:"blockTag"`
	BlockNumber     uint64          `json:"blockNumber"`
	BlockHash       *starknet.Felt  `json:"blockHash"`
	Result          []starknet.Felt `json:"result"`
}

func (h Handlers) readContract(ctx context.Context, c *frame.Call) (any, error) {
	call := chain.ViewCall{Contract: c.Felt("address"), Selector: c.Felt("selector"), Calldata: c.Felts("calldata")}
	block, result, err := h.States.View(ctx, c.Chain, c.State(), call)
	if err != nil {
		return nil, err
	}
	return ContractReadBody{c.Chain, call.Contract, call.Selector, c.Text(frame.BlockTagParam.Name), block.Number, block.Hash, result}, nil
}

// readParam is the contract of a path. The example is STRK, which has the view
// name.
var readParam = frame.Param{
	Name: "address", In: frame.InPath, Kind: frame.FeltKind, Required: true, About: "Address of the contract.", Example: frame.TokenParam.Example,
}

// ReadOperations are the routes of contract views.
func (h Handlers) ReadOperations() []frame.Operation {
	return []frame.Operation{
		{
			ID: "readContract", Method: http.MethodGet, Path: "/v1/{chain}/contract/{address}/read",
			Summary: "Call a view function of a contract.",
			Params: []frame.Param{frame.ChainParam, readParam,
				{Name: "selector", In: frame.InQuery, Kind: frame.FeltKind, Required: true, About: "Selector of the entry point: a felt, not a name.",
					Example: starknet.Selector("name").String()},
				{Name: "calldata", In: frame.InQuery, Kind: frame.FeltKind, Repeatable: true, MaxItems: chain.MaxCalldata, About: "Calldata of the call, in order."},
				frame.BlockTagParam},
			Permission: account.Read, Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 10 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "ContractRead", Errors: []domain.Code{domain.CodeNotFound, domain.CodeContractCallFailed, domain.CodeContractResultTooLarge},
			Proof: []string{"TestAContractIsReadWithCalldataInItsOrder", "TestFailedContractCallIsReported", "TestRevertIsToldApartFromAnOversizedResult",
				"TestAnUnknownBlockIsNotFound", "TestAFailingNodeIsNeverZero"},
			Handle: h.readContract,
		},
	}
}
