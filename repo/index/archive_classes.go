package index

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/uptrace/bun"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Classes implements indexing.Histories.
func (a Archive) Classes(ctx context.Context, c domain.Chain, hashes []starknet.Felt) (map[starknet.Felt]*facts.Class, error) {
	rows, err := repo.Select[model.Class](ctx, a.db.Write(), fmt.Sprintf(`/* class.find */
		SELECT hash, sierra, missing, abi FROM classes WHERE chain = %d AND hash = ANY($1)`, model.Code(c)), model.Bytes(hashes))
	if err != nil {
		return nil, err
	}
	found := make(map[starknet.Felt]*facts.Class, len(rows))
	for i := range rows {
		k := &rows[i]
		found[k.Hash] = facts.StoredClass(k.Hash, k.Sierra, k.ABI, k.Missing)
	}
	return found, nil
}

// ClassHistories implements indexing.Histories.
func (a Archive) ClassHistories(ctx context.Context, c domain.Chain, contracts []starknet.Felt) (map[starknet.Felt]facts.ClassHistory, error) {
	type row struct {
		model.ContractClass
		Felt starknet.Felt `bun:"felt"` // of the contract
		Hash starknet.Felt `bun:"hash"` // of the class
	}
	// Finds contracts by the unique felt of addresses, and their rows by primary
	// key.
	rows, err := repo.Select[row](ctx, a.db.Write(), fmt.Sprintf(`/* class.history */
		SELECT a.felt, h.block, h.origin, k.hash
		FROM addresses a
		JOIN contract_classes h ON h.chain = %[1]d AND h.address = a.id
		JOIN classes k ON k.chain = %[1]d AND k.id = h.class
		WHERE a.chain = %[1]d AND a.felt = ANY($1)
		ORDER BY a.id, h.block, h.origin`, model.Code(c)), model.Bytes(contracts))
	if err != nil {
		return nil, err
	}
	histories := make(map[starknet.Felt]facts.ClassHistory, len(contracts))
	for i := range rows {
		r := &rows[i]
		histories[r.Felt] = append(histories[r.Felt], facts.ClassSince{Block: uint64(r.Block), Origin: facts.Origin(r.Origin), Class: r.Hash})
	}
	return histories, nil
}

// storedClass is a class as it is stored.
type storedClass struct {
	id     model.ID
	block  model.BlockNumber
	class  *facts.Class
	digest *facts.Digest
}

// StoredClasses returns up to limit classes after the given hash, in order of
// hashes; nil starts at the first. They lack the compiled ABI.
func (a Archive) StoredClasses(ctx context.Context, c domain.Chain, after *starknet.Felt, limit int) (classes []indexing.StoredClass, err error) {
	past := []byte{}
	if after != nil {
		past = after[:]
	}
	err = a.db.Write().RunInTx(ctx, repo.Snapshot, func(ctx context.Context, tx bun.Tx) error {
		// Finds classes by their unique hash, and their schemas by primary key.
		found, err := storedClasses(ctx, tx, model.Code(c), `k.id IN (
			SELECT id FROM classes WHERE chain = %[1]d AND hash > $1 ORDER BY hash LIMIT $2)`, past, limit)
		for _, k := range found {
			classes = append(classes, indexing.StoredClass{Class: k.class, Digest: k.digest})
		}
		return err
	})
	return classes, repo.Outage(err)
}

// storedClasses reads the classes k that satisfy a condition, in order of
// hashes.
func storedClasses(ctx context.Context, tx bun.IDB, code int, condition string, args ...any) ([]storedClass, error) {
	type row struct {
		model.Class
		Standard int64 `bun:"standard"` // validated below, so that the error names the class
	}
	rows, err := repo.Select[row](ctx, tx, fmt.Sprintf(`/* stored.classes */
		SELECT k.id, k.block, k.hash, k.standard, k.sierra, k.account, k.missing, k.abi, k.digest
		FROM classes k WHERE k.chain = %[1]d AND `+condition+` ORDER BY k.hash`, code), args...)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	found, byID := make([]storedClass, len(rows)), make(map[model.ID]*facts.Class, len(rows))
	for i := range rows {
		k := &rows[i]
		var standard model.Standard
		if err := standard.Scan(k.Standard); err != nil {
			return nil, errClass(k.Hash)
		}
		found[i] = storedClass{k.ID, k.Block, &facts.Class{
			Hash: k.Hash, Standard: facts.Standard(standard), Sierra: k.Sierra, Account: k.Account, Missing: k.Missing, ABI: k.ABI,
		}, storedDigest(k.Digest)}
		byID[k.ID] = found[i].class
	}
	if err := storedEvents(ctx, tx, code, byID); err != nil {
		return nil, err
	}
	return found, storedFunctions(ctx, tx, code, byID)
}

func storedEvents(ctx context.Context, tx bun.IDB, code int, classes map[model.ID]*facts.Class) error {
	type row struct {
		model.EventSchema
		Felt   *starknet.Felt  `bun:"felt"` // of the selector
		Fields json.RawMessage `bun:"fields,type:jsonb"`
	}
	rows, err := schemaRows[row](ctx, tx, code, classes, "event_schemas", "s.ambiguous, s.name, s.path, s.fields, s.unsupported")
	if err != nil {
		return err
	}
	for i := range rows {
		r := &rows[i]
		class, e := classes[r.Class], facts.EventSchema{Ambiguous: r.Ambiguous, Name: r.Name, Path: r.Path}
		if r.Felt == nil || json.Unmarshal(r.Fields, &e.Fields) != nil {
			return errClass(class.Hash)
		}
		e.Selector = *r.Felt
		if r.Unsupported != nil {
			e.Unsupported = *r.Unsupported
		}
		class.Events = append(class.Events, e)
	}
	return nil
}

func storedFunctions(ctx context.Context, tx bun.IDB, code int, classes map[model.ID]*facts.Class) error {
	type row struct {
		model.FunctionSchema
		Felt    *starknet.Felt  `bun:"felt"` // of the selector
		Inputs  json.RawMessage `bun:"inputs,type:jsonb"`
		Outputs json.RawMessage `bun:"outputs,type:jsonb"`
	}
	rows, err := schemaRows[row](ctx, tx, code, classes, "function_schemas", "s.view, s.l1_handler, s.name, s.inputs, s.outputs, s.unsupported")
	if err != nil {
		return err
	}
	for i := range rows {
		r := &rows[i]
		class, f := classes[r.Class], facts.FunctionSchema{View: r.View, L1Handler: r.L1Handler, Name: r.Name}
		if r.Felt == nil || json.Unmarshal(r.Inputs, &f.Inputs) != nil || json.Unmarshal(r.Outputs, &f.Outputs) != nil {
			return errClass(class.Hash)
		}
		f.Selector = *r.Felt
		if r.Unsupported != nil {
			f.Unsupported = *r.Unsupported
		}
		class.Functions = append(class.Functions, f)
	}
	return nil
}

// schemaRows selects the rows of classes in a schema table: class, the
// selector's felt, then the given columns.
func schemaRows[T any](ctx context.Context, tx bun.IDB, code int, classes map[model.ID]*facts.Class, table, columns string) ([]T, error) {
	ids := make([]int32, 0, len(classes))
	for id := range classes {
		ids = append(ids, int32(id))
	}
	return repo.Select[T](ctx, tx, fmt.Sprintf(`/* stored.%[2]s */
		SELECT s.class, w.felt, %[3]s
		FROM %[2]s s LEFT JOIN selectors w ON w.chain = %[1]d AND w.id = s.selector
		WHERE s.chain = %[1]d AND s.class = ANY($1) ORDER BY s.class, s.ordinal`, code, table, columns), ids)
}

// errClass reports inconsistent rows of a class.
func errClass(hash starknet.Felt) error {
	return &indexing.DamageError{Table: facts.TableClasses, What: fmt.Sprintf("%s: a value is malformed, or an id is in no dictionary", hash)}
}
