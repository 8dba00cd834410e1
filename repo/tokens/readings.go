package tokens

import (
	"context"
	"fmt"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Readings returns what jobs have stored about tokens, to compare it with a node.
type Readings struct{ db *repo.DB }

// NewReadings returns the repository of stored readings.
func NewReadings(db *repo.DB) Readings { return Readings{db} }

// comparedHolders is how many holders of a census are compared.
const comparedHolders = 10

// Readings returns up to limit tokens after an address, in the order of
// addresses; nil starts at the first.
func (r Readings) Readings(ctx context.Context, c domain.Chain, after *starknet.Felt, limit int) ([]token.StoredReading, error) {
	past := []byte{}
	if after != nil {
		past = after[:]
	}
	type row struct {
		Felt          starknet.Felt      `bun:"felt"`
		Name          *string            `bun:"name"`
		Symbol        *string            `bun:"symbol"`
		Decimals      *int64             `bun:"decimals"`
		MetadataBlock *model.BlockNumber `bun:"metadata_block"`
		MetadataHash  *starknet.Felt     `bun:"metadata_hash"`
		Supply        *starknet.Uint256  `bun:"supply"`
		SupplyBlock   *model.BlockNumber `bun:"supply_block"`
		SupplyHash    *starknet.Felt     `bun:"supply_hash"`
		CensusBlock   *model.BlockNumber `bun:"census_block"`
		CensusHash    *starknet.Felt     `bun:"census_hash"`
		Snapshot      *int64             `bun:"snapshot"`
	}
	rows, err := repo.Select[row](ctx, r.db.Write(), fmt.Sprintf(`/* reading.list */
		SELECT a.felt, t.name, t.symbol, t.decimals, t.metadata_block, m.hash AS metadata_hash, t.supply, t.supply_block, s.hash AS supply_hash,
			g.block AS census_block, g.block_hash AS census_hash, g.snapshot
		FROM tokens t JOIN addresses a ON a.chain = %[1]d AND a.id = t.address
		LEFT JOIN blocks m ON m.chain = %[1]d AND m.block = t.metadata_block
		LEFT JOIN blocks s ON s.chain = %[1]d AND s.block = t.supply_block
		LEFT JOIN LATERAL (
			SELECT block, block_hash, snapshot FROM census_generations
			WHERE chain = %[1]d AND token = t.address AND status = 'certified' ORDER BY id DESC LIMIT 1
		) g ON true
		WHERE t.chain = %[1]d AND a.felt > $1 ORDER BY a.felt LIMIT $2`, model.Code(c)), past, limit)
	if err != nil {
		return nil, err
	}
	readings := make([]token.StoredReading, len(rows))
	for i := range rows {
		row := &rows[i]
		readings[i] = token.StoredReading{
			Token: row.Felt, Metadata: token.Metadata{Name: row.Name, Symbol: row.Symbol}, Supply: row.Supply,
			MetadataBlock: blockRef(row.MetadataBlock, row.MetadataHash), SupplyBlock: blockRef(row.SupplyBlock, row.SupplyHash),
			CensusBlock: blockRef(row.CensusBlock, row.CensusHash),
		}
		if row.Decimals != nil {
			readings[i].Metadata.Decimals = new(uint8(*row.Decimals))
		}
		if row.Snapshot == nil {
			continue
		}
		if readings[i].Holders, err = r.holders(ctx, c, *row.Snapshot); err != nil {
			return nil, err
		}
	}
	return readings, nil
}

// CensusPolicies returns up to limit census policies after a token, in the order
// of addresses; nil starts at the first.
func (r Readings) CensusPolicies(ctx context.Context, c domain.Chain, after *starknet.Felt, limit int) ([]token.StoredPolicy, error) {
	past := []byte{}
	if after != nil {
		past = after[:]
	}
	type row struct {
		Felt      starknet.Felt     `bun:"felt"`
		Qualified bool              `bun:"qualified"`
		Reason    *string           `bun:"reason"`
		Block     model.BlockNumber `bun:"block"`
	}
	rows, err := repo.Select[row](ctx, r.db.Write(), fmt.Sprintf(`/* reading.policies */
		SELECT a.felt, p.qualified, p.reason, p.block FROM census_policies p JOIN addresses a ON a.chain = %[1]d AND a.id = p.token
		WHERE p.chain = %[1]d AND a.felt > $1 ORDER BY a.felt LIMIT $2`, model.Code(c)), past, limit)
	policies := make([]token.StoredPolicy, len(rows))
	for i := range rows {
		policies[i] = token.StoredPolicy{Token: rows[i].Felt, CensusPolicy: token.CensusPolicy{Qualified: rows[i].Qualified, Block: uint64(rows[i].Block)}}
		if rows[i].Reason != nil {
			policies[i].Reason = *rows[i].Reason
		}
	}
	return policies, err
}

// holders returns the largest holders of a snapshot, by its primary key.
func (r Readings) holders(ctx context.Context, c domain.Chain, snapshot int64) ([]token.StoredBalance, error) {
	type row struct {
		Felt    starknet.Felt    `bun:"felt"`
		Balance starknet.Uint256 `bun:"balance"`
	}
	rows, err := repo.Select[row](ctx, r.db.Write(), fmt.Sprintf(`/* reading.holders */
		SELECT a.felt, h.balance FROM census_holders h JOIN addresses a ON a.chain = %d AND a.id = h.holder
		WHERE h.snapshot = $1 ORDER BY h.rank LIMIT %d`, model.Code(c), comparedHolders), snapshot)
	balances := make([]token.StoredBalance, len(rows))
	for i := range rows {
		balances[i] = token.StoredBalance{Holder: rows[i].Felt, Balance: rows[i].Balance}
	}
	return balances, err
}

// blockRef returns a block that is stored, or nil.
func blockRef(number *model.BlockNumber, hash *starknet.Felt) *domain.BlockRef {
	if number == nil || hash == nil {
		return nil
	}
	return &domain.BlockRef{Number: uint64(*number), Hash: *hash}
}
