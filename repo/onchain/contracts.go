package onchain

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Contracts reads contracts.
type Contracts struct{ db *repo.DB }

var _ chain.ContractStore = Contracts{}

// NewContracts returns the repository of contracts.
func NewContracts(db *repo.DB) Contracts { return Contracts{db} }

// contractsAt reads each contract by primary keys: addresses by felt,
// contract_classes and deployments from their newest visible row, classes,
// tokens and addresses by id, blocks and transactions by place. Rows of blocks
// that readers cannot see are ignored. An address without these rows is a
// contract if it emitted an event (events_…_address) or sent one of its newest
// transactions (activity_…_address).
const contractsAt = `/* contract.of */
	SELECT p.parent,
		h.hash AS current_hash, h.block AS current_block, h.block_hash AS current_block_hash, h.account AS current_account, h.may_be_proxy AS current_may_be_proxy,
		d.hash AS deployed_hash, d.block AS deployed_block, d.block_hash AS deployed_block_hash, d.account AS deployed_account, d.may_be_proxy AS deployed_may_be_proxy,
		d.timestamp AS deployed_timestamp,
		(SELECT hash FROM transactions WHERE chain = %[1]d AND block = d.block AND tx = d.tx) AS deployed_tx_hash,
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = d.deployer) AS deployed_by,
		t.standard, t.name, t.symbol, t.metadata_at IS NOT NULL AS described
	FROM unnest($1::bytea[]) WITH ORDINALITY AS p (felt, parent)
	CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = p.felt LIMIT 1) a
	LEFT JOIN LATERAL (
		SELECT k.hash, h.block, b.hash AS block_hash, CASE WHEN k.abi IS NOT NULL THEN k.account END AS account, NOT (k.sierra OR k.account) AS may_be_proxy
		FROM contract_classes h
		CROSS JOIN LATERAL (SELECT hash FROM blocks WHERE chain = %[1]d AND block = h.block LIMIT 1) b
		CROSS JOIN LATERAL (SELECT hash, abi, account, sierra FROM classes WHERE chain = %[1]d AND id = h.class LIMIT 1) k
		WHERE h.chain = %[1]d AND h.address = a.id ORDER BY h.block DESC, h.origin DESC LIMIT 1
	) h ON true
	LEFT JOIN LATERAL (
		SELECT k.hash, d.block, b.hash AS block_hash, CASE WHEN k.abi IS NOT NULL THEN k.account END AS account, NOT (k.sierra OR k.account) AS may_be_proxy, b.timestamp, d.tx, d.deployer
		FROM deployments d
		CROSS JOIN LATERAL (SELECT hash, timestamp FROM blocks WHERE chain = %[1]d AND block = d.block LIMIT 1) b
		CROSS JOIN LATERAL (SELECT hash, abi, account, sierra FROM classes WHERE chain = %[1]d AND id = d.class LIMIT 1) k
		WHERE d.chain = %[1]d AND d.address = a.id ORDER BY d.block DESC LIMIT 1
	) d ON true
	LEFT JOIN LATERAL (
		SELECT t.standard, t.name, t.symbol, t.metadata_at FROM tokens t
		CROSS JOIN LATERAL (SELECT FROM blocks WHERE chain = %[1]d AND block = t.block LIMIT 1) b
		WHERE t.chain = %[1]d AND t.address = a.id LIMIT 1
	) t ON true
	WHERE h.hash IS NOT NULL OR d.hash IS NOT NULL OR t.standard IS NOT NULL
		OR EXISTS (SELECT FROM events WHERE chain = %[1]d AND address = a.id LIMIT 1)
		OR EXISTS (SELECT FROM (
			SELECT kinds FROM activity WHERE chain = %[1]d AND address = a.id ORDER BY block DESC, tx DESC LIMIT 100
		) newest WHERE kinds & %[2]d <> 0)`

func contractsStatement(c domain.Chain) string {
	return repo.Text(contractsAt, model.Code(c), int(facts.TxSent))
}

// contractRow is a row of contractsAt. Unknown values are nil.
type contractRow struct {
	Parent     int64           `bun:"parent"`
	Current    *classRow       `bun:"embed:current_"`
	Deployed   *classRow       `bun:"embed:deployed_"`
	DeployedAt *int64          `bun:"deployed_timestamp"`
	TxHash     *starknet.Felt  `bun:"deployed_tx_hash"`
	Deployer   *starknet.Felt  `bun:"deployed_by"`
	Standard   *model.Standard `bun:"standard"`
	Name       *string         `bun:"name"`
	Symbol     *string         `bun:"symbol"`
	Described  bool            `bun:"described"`
}

// classRow is the class that a contract got in a block.
type classRow struct {
	Hash       starknet.Felt     `bun:"hash"`
	Block      model.BlockNumber `bun:"block"`
	BlockHash  starknet.Felt     `bun:"block_hash"`
	Account    *bool             `bun:"account"`
	MayBeProxy bool              `bun:"may_be_proxy"`
}

// Contracts implements chain.ContractStore.
func (r Contracts) Contracts(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]*chain.Contract, error) {
	rows, err := repo.Select[contractRow](ctx, r.db.Read(), contractsStatement(c), model.Bytes(addresses))
	if err != nil {
		return nil, err
	}
	list := make([]*chain.Contract, len(addresses))
	for i := range rows {
		parent := rows[i].Parent - 1
		list[parent] = rows[i].contract(addresses[parent])
	}
	return list, nil
}

func (r *contractRow) contract(address starknet.Felt) *chain.Contract {
	contract := &chain.Contract{Address: address}
	if r.Current != nil {
		contract.Current = new(r.Current.class())
	}
	if r.Deployed != nil && r.DeployedAt != nil {
		contract.Deployment = &chain.ContractDeployment{
			KnownClass: r.Deployed.class(), Time: time.Unix(*r.DeployedAt, 0).UTC(), TxHash: r.TxHash, Deployer: r.Deployer,
		}
	}
	if r.Standard != nil && *r.Standard != "" {
		contract.Token = &chain.TokenIdentity{Standard: facts.Standard(*r.Standard), Name: r.Name, Symbol: r.Symbol, Described: r.Described}
	}
	return contract
}

func (r *classRow) class() chain.KnownClass {
	return chain.KnownClass{
		Hash: r.Hash, Block: domain.BlockRef{Number: uint64(r.Block), Hash: r.BlockHash}, Account: r.Account, MayBeProxy: r.MayBeProxy,
	}
}
