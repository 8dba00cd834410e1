package index

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"astrolabe/domain/facts"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

func (r *reading) declarations(ctx context.Context, tx bun.IDB, into *runOfBlocks) error {
	type row struct {
		model.Declaration
		Hash *starknet.Felt `bun:"hash"` // of the class
	}
	rows, err := readRows[row](ctx, tx, span{facts.TableDeclarations, into.first, into.last}, fmt.Sprintf(`/* stored.declarations */
		SELECT d.block, k.hash, d.compiled, d.tx
		FROM declarations d LEFT JOIN classes k ON k.chain = %[1]d AND k.id = d.class
		WHERE d.chain = %[1]d AND d.block BETWEEN $1 AND $2 ORDER BY d.block, k.hash`, r.code))
	if err != nil {
		return err
	}
	return fillRows(into, facts.TableDeclarations, rows,
		func(d *row) model.BlockNumber { return d.Block },
		func(b *facts.Block) *[]facts.Declaration { return &b.Declarations },
		func(d *row) (facts.Declaration, bool) {
			if d.Hash == nil {
				return facts.Declaration{}, false
			}
			return facts.Declaration{Class: *d.Hash, Compiled: d.Compiled, TxIndex: d.Tx.Int()}, true
		})
}

func (r *reading) changes(ctx context.Context, tx bun.IDB, into *runOfBlocks) error {
	type row struct {
		model.ContractClass
		Felt *starknet.Felt `bun:"felt"` // of the contract
		Hash *starknet.Felt `bun:"hash"` // of the class
	}
	rows, err := readRows[row](ctx, tx, span{facts.TableChanges, into.first, into.last}, fmt.Sprintf(`/* stored.contract_classes */
		SELECT h.block, a.felt, h.origin, k.hash
		FROM contract_classes h
		LEFT JOIN addresses a ON a.chain = %[1]d AND a.id = h.address
		LEFT JOIN classes k ON k.chain = %[1]d AND k.id = h.class
		WHERE h.chain = %[1]d AND h.block BETWEEN $1 AND $2 ORDER BY h.block, a.felt, h.origin`, r.code))
	if err != nil {
		return err
	}
	return fillRows(into, facts.TableChanges, rows,
		func(c *row) model.BlockNumber { return c.Block },
		func(b *facts.Block) *[]facts.ClassChange { return &b.Changes },
		func(c *row) (facts.ClassChange, bool) {
			if c.Felt == nil || c.Hash == nil {
				return facts.ClassChange{}, false
			}
			return facts.ClassChange{Address: *c.Felt, Origin: facts.Origin(c.Origin), Class: *c.Hash}, true
		})
}

func (r *reading) implementations(ctx context.Context, tx bun.IDB, into *runOfBlocks) error {
	rows, err := readRows[implementationRow](ctx, tx, span{facts.TableImplementations, into.first, into.last},
		fmt.Sprintf(implementationsOf("stored.contract_implementations", "h.chain = %[1]d AND h.block BETWEEN $1 AND $2", "h.block, a.felt, h.origin, h.family"), r.code))
	if err != nil {
		return err
	}
	return fillRows(into, facts.TableImplementations, rows,
		func(m *implementationRow) model.BlockNumber { return m.Block },
		func(b *facts.Block) *[]facts.Implementation { return &b.Implementations },
		func(m *implementationRow) (facts.Implementation, bool) {
			if m.Felt == nil || (m.Class == nil) != (m.Hash == nil) || (m.Contract == nil) != (m.ContractFelt == nil) {
				return facts.Implementation{}, false
			}
			return facts.Implementation{Address: *m.Felt, Origin: facts.Origin(m.Origin), Family: facts.Family(m.Family), Executed: m.executed()}, true
		})
}

func (r *reading) untyped(ctx context.Context, tx bun.IDB, into *runOfBlocks) error {
	type row struct {
		model.UntypedTransfer
		Felt *starknet.Felt `bun:"felt"`
	}
	rows, err := readRows[row](ctx, tx, span{facts.TableUntyped, into.first, into.last}, fmt.Sprintf(`/* stored.untyped_transfers */
		SELECT u.block, a.felt, u.part, u.events
		FROM untyped_transfers u LEFT JOIN addresses a ON a.chain = %[1]d AND a.id = u.address
		WHERE u.chain = %[1]d AND u.block BETWEEN $1 AND $2 ORDER BY u.block, a.felt, u.part`, r.code))
	if err != nil {
		return err
	}
	return fillRows(into, facts.TableUntyped, rows,
		func(u *row) model.BlockNumber { return u.Block },
		func(b *facts.Block) *[]facts.UntypedTransfer { return &b.Untyped },
		func(u *row) (facts.UntypedTransfer, bool) {
			if u.Felt == nil {
				return facts.UntypedTransfer{}, false
			}
			return facts.UntypedTransfer{Address: *u.Felt, Role: facts.UntypedRole(u.Role), Events: int(u.Events)}, true
		})
}

func (r *reading) deployments(ctx context.Context, tx bun.IDB, into *runOfBlocks) error {
	type row struct {
		model.Deployment
		Felt         *starknet.Felt `bun:"felt"` // of the contract
		Hash         *starknet.Felt `bun:"hash"` // of the class
		DeployerFelt *starknet.Felt `bun:"deployer_felt"`
	}
	rows, err := readRows[row](ctx, tx, span{facts.TableDeployments, into.first, into.last}, fmt.Sprintf(`/* stored.deployments */
		SELECT d.block, a.felt, k.hash, d.evidence, d.tx, d.deployer, m.felt AS deployer_felt
		FROM deployments d
		LEFT JOIN addresses a ON a.chain = %[1]d AND a.id = d.address
		LEFT JOIN classes k ON k.chain = %[1]d AND k.id = d.class
		LEFT JOIN addresses m ON m.chain = %[1]d AND m.id = d.deployer
		WHERE d.chain = %[1]d AND d.block BETWEEN $1 AND $2 ORDER BY d.block, a.felt`, r.code))
	if err != nil {
		return err
	}
	return fillRows(into, facts.TableDeployments, rows,
		func(d *row) model.BlockNumber { return d.Block },
		func(b *facts.Block) *[]facts.Deployment { return &b.Deployments },
		func(d *row) (facts.Deployment, bool) {
			if d.Felt == nil || d.Hash == nil || (d.Deployer == nil) != (d.DeployerFelt == nil) {
				return facts.Deployment{}, false
			}
			return facts.Deployment{
				Address: *d.Felt, Class: *d.Hash, Evidence: facts.Evidence(d.Evidence), TxIndex: d.Tx.Int(), Deployer: d.DeployerFelt,
			}, true
		})
}

func (r *reading) tokens(ctx context.Context, tx bun.IDB, into *runOfBlocks) error {
	type row struct {
		Block    model.BlockNumber `bun:"block"`
		Felt     *starknet.Felt    `bun:"felt"`
		Standard model.Standard    `bun:"standard"`
	}
	rows, err := readRows[row](ctx, tx, span{facts.TableTokens, into.first, into.last}, fmt.Sprintf(`/* stored.tokens */
		SELECT t.block, a.felt, t.standard
		FROM tokens t LEFT JOIN addresses a ON a.chain = %[1]d AND a.id = t.address
		WHERE t.chain = %[1]d AND t.block BETWEEN $1 AND $2 ORDER BY t.block, a.felt`, r.code))
	if err != nil {
		return err
	}
	return fillRows(into, facts.TableTokens, rows,
		func(t *row) model.BlockNumber { return t.Block },
		func(b *facts.Block) *[]facts.Token { return &b.Tokens },
		func(t *row) (facts.Token, bool) {
			if t.Felt == nil {
				return facts.Token{}, false
			}
			return facts.Token{Address: *t.Felt, Standard: facts.Standard(t.Standard)}, true
		})
}

func (r *reading) classes(ctx context.Context, tx bun.IDB, into *runOfBlocks) error {
	found, err := storedClasses(ctx, tx, r.code, "k.block BETWEEN $1 AND $2", int64(into.first), int64(into.last))
	if err != nil {
		return err
	}
	return fillRows(into, facts.TableClasses, found,
		func(k *storedClass) model.BlockNumber { return k.block },
		func(b *facts.Block) *[]*facts.Class { return &b.Classes },
		func(k *storedClass) (*facts.Class, bool) { return k.class, true })
}
