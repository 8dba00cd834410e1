package rest

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// contractBody is what the index knows of a contract.
type contractBody struct {
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

// contractSource says that the answer comes from indexed blocks alone.
const contractSource = "indexed_state"

func wireContract(c domain.Chain, contract *chain.Contract) contractBody {
	class, source := contract.Class()
	body := contractBody{
		ChainID: c, Address: contract.Address, ClassHashSource: source, IsAccount: contract.Account(), Alias: contract.Alias(),
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
		body.IsToken, body.TokenKind = new(true), &contract.Token.Standard
	}
	return body
}

func (s *server) contract(ctx context.Context, c *Call) (any, error) {
	contract, err := s.Contracts.At(ctx, c.Chain, c.Felt("address"))
	if err != nil {
		return nil, err
	}
	return wireContract(c.Chain, contract), nil
}

func (s *server) contractOperations() []Operation {
	return []Operation{
		{
			ID: "getContract", Method: http.MethodGet, Path: "/v1/{chain}/contract/{address}",
			Summary: "What the index knows of a contract",
			Params:  []Param{chainParam, contractParam}, Permission: account.Read,
			Class: Light, Cert: Beta, Audience: External, Budget: 2 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "Contract", Errors: []domain.Code{domain.CodeNotFound},
			Proof: []string{
				"TestAContractIsWhatTheChainSaysOfIt", "TestACreationDateNeedsExplicitEvidence",
				"TestTokenFieldsAreThereTogetherOrNotAtAll", "TestAnAddressThatIsNoContractIsNotFound",
			},
			Handle: s.contract,
		},
	}
}
