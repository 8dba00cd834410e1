package contracts

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// ContractBody is the indexed metadata of a contract.
type ContractBody struct {
	ChainID                domain.Chain         `json:"chainId"`
	Address                starknet.Felt        `json:"address"`
	ClassHash              *starknet.Felt       `json:"classHash"`
	CurrentClassHash       *starknet.Felt       `json:"currentClassHash"`
	DeploymentClassHash    *starknet.Felt       `json:"deploymentClassHash"`
	ClassHashSource        chain.ClassSource    `json:"classHashSource"`
	ClassHashAsOfBlock     *uint64              `json:"classHashAsOfBlock"`
	ClassHashAsOfBlockHash *starknet.Felt       `json:"classHashAsOfBlockHash"`
	ClassHashFinality      *chain.ClassFinality `json:"classHashFinality"`
	DeployedAtBlock        *uint64              `json:"deployedAtBlock"`
	DeployedAtTx           *starknet.Felt       `json:"deployedAtTx"`
	CreatedOnIso           *time.Time           `json:"createdOnIso"`
	DeployedByAddress      *starknet.Felt       `json:"deployedByAddress"`
	IsAccount              *bool                `json:"isAccount"`
	IsToken                *bool                `json:"isToken"`
	TokenKind              *facts.Standard      `json:"tokenKind"`
	Alias                  *string              `json:"alias"`
	MetadataCompleteness   chain.Completeness   `json:"metadataCompleteness"`
	Source                 string               `json:"source"`
}

// contractSource says that all fields come from the index.
const contractSource = "indexed_state"

func wireContract(c domain.Chain, contract *chain.Contract) ContractBody {
	class, source := contract.Class()
	body := ContractBody{
		ChainID: c, Address: contract.Address, ClassHashSource: source, IsAccount: contract.Account(), IsToken: contract.IsToken(), Alias: contract.Alias(),
		MetadataCompleteness: contract.Completeness, Source: contractSource,
	}
	if class != nil {
		body.ClassHash, body.ClassHashFinality = &class.Hash, &contract.Finality
		body.ClassHashAsOfBlock, body.ClassHashAsOfBlockHash = &class.Block.Number, &class.Block.Hash
	}
	if contract.Current != nil {
		body.CurrentClassHash = &contract.Current.Hash
	}
	if deployed := contract.Deployment; deployed != nil {
		body.DeploymentClassHash, body.DeployedAtBlock, body.CreatedOnIso = &deployed.Hash, &deployed.Block.Number, &deployed.Time
		body.DeployedAtTx, body.DeployedByAddress = deployed.TxHash, deployed.Deployer
	}
	if contract.Token != nil {
		body.TokenKind = &contract.Token.Standard
	}
	return body
}

func (h Handlers) contract(ctx context.Context, c *frame.Call) (any, error) {
	contract, err := h.Contracts.At(ctx, c.Chain, c.Felt("address"))
	if err != nil {
		return nil, err
	}
	return wireContract(c.Chain, contract), nil
}

// ContractOperations are the routes of contracts.
func (h Handlers) ContractOperations() []frame.Operation {
	return []frame.Operation{
		{
			ID: "getContract", Method: http.MethodGet, Path: "/v1/{chain}/contract/{address}",
			Summary: "Get metadata of a contract.",
			Params:  []frame.Param{frame.ChainParam, frame.ContractParam}, Permission: account.Read,
			Class: frame.Light, Cert: frame.Beta, Audience: frame.External, Timeout: 2 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "Contract", Errors: []domain.Code{domain.CodeNotFound},
			Proof: []string{
				"TestContractMatchesTheChain", "TestACreationDateNeedsExplicitEvidence",
				"TestTokenFieldsAreAllPresentOrAllAbsent", "TestAddressWithoutAContractIsNotFound",
			},
			Handle: h.contract,
		},
	}
}
