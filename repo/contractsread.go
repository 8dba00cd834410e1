package repo

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/starknet"
)

// contractsShown reads everything of each contract by primary key: addresses
// by felt, contract_classes and deployments from their newest visible row,
// classes, tokens and addresses by id, blocks and transactions by place. What
// a block says that readers cannot see is not there. Of an address that has
// none of them one event, along events' address, or a sent transaction among
// its newest, along activity's address, shows that it is a contract.
const contractsShown = `/* contract.of */
	SELECT p.parent,
		h.hash, h.block, h.block_hash, h.account,
		d.hash, d.block, d.block_hash, d.account, d.timestamp,
		(SELECT hash FROM transactions WHERE chain = %[1]d AND block = d.block AND tx = d.tx),
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = d.deployer),
		t.standard, t.name, t.symbol, t.metadata_at IS NOT NULL
	FROM unnest($1::bytea[]) WITH ORDINALITY AS p (felt, parent)
	CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = p.felt LIMIT 1) a
	LEFT JOIN LATERAL (
		SELECT k.hash, h.block, b.hash AS block_hash, CASE WHEN k.abi IS NOT NULL THEN k.account END AS account
		FROM contract_classes h
		CROSS JOIN LATERAL (SELECT hash FROM blocks WHERE chain = %[1]d AND block = h.block LIMIT 1) b
		CROSS JOIN LATERAL (SELECT hash, abi, account FROM classes WHERE chain = %[1]d AND id = h.class LIMIT 1) k
		WHERE h.chain = %[1]d AND h.address = a.id ORDER BY h.block DESC, h.origin DESC LIMIT 1
	) h ON true
	LEFT JOIN LATERAL (
		SELECT k.hash, d.block, b.hash AS block_hash, CASE WHEN k.abi IS NOT NULL THEN k.account END AS account, b.timestamp, d.tx, d.deployer
		FROM deployments d
		CROSS JOIN LATERAL (SELECT hash, timestamp FROM blocks WHERE chain = %[1]d AND block = d.block LIMIT 1) b
		CROSS JOIN LATERAL (SELECT hash, abi, account FROM classes WHERE chain = %[1]d AND id = d.class LIMIT 1) k
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

// Contracts implements chain.ContractStore.
func (db *DB) Contracts(ctx context.Context, c domain.Chain, addresses []starknet.Felt) ([]*chain.Contract, error) {
	rows, err := collect(ctx, db, scanContract, contractsStatement(c), feltBytes(addresses))
	if err != nil {
		return nil, err
	}
	list := make([]*chain.Contract, len(addresses))
	for i := range rows {
		parent := rows[i].parent - 1
		rows[i].Address = addresses[parent]
		list[parent] = &rows[i].Contract
	}
	return list, nil
}

func contractsStatement(c domain.Chain) string {
	return fmt.Sprintf(contractsShown, chainCode(c), facts.TxSent)
}

// contractRow is a contract with its place among those asked for.
type contractRow struct {
	parent int
	chain.Contract
}

func scanContract(row pgx.CollectableRow) (contractRow, error) {
	var (
		r                 contractRow
		current, deployed scannedClass
		at                *int64
		tx, deployer      *starknet.Felt
		standard          *int
		name, symbol      *string
		described         bool
	)
	if err := row.Scan(&r.parent, &current.hash, &current.block, &current.blockHash, &current.account,
		&deployed.hash, &deployed.block, &deployed.blockHash, &deployed.account, &at, &tx, &deployer,
		&standard, &name, &symbol, &described); err != nil {
		return r, err
	}
	if current.hash != nil {
		r.Current = new(current.known())
	}
	if deployed.hash != nil && at != nil {
		r.Deployment = &chain.ContractDeployment{KnownClass: deployed.known(), Time: time.Unix(*at, 0).UTC(), TxHash: tx, Deployer: deployer}
	}
	if standard != nil && *standard > 0 && *standard < len(standards) {
		r.Token = &chain.TokenIdentity{Standard: standards[*standard], Name: name, Symbol: symbol, Described: described}
	}
	return r, nil
}

// scannedClass is a chain.KnownClass that may be null.
type scannedClass struct {
	hash      *starknet.Felt
	block     *uint64
	blockHash *starknet.Felt
	account   *bool
}

func (s scannedClass) known() chain.KnownClass {
	return chain.KnownClass{Hash: *s.hash, Block: domain.BlockRef{Number: *s.block, Hash: *s.blockHash}, Account: s.account}
}
