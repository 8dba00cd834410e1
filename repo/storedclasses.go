package repo

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/starknet"
)

// storedClass is a class as its rows say.
type storedClass struct {
	id    int32
	block uint64
	class *facts.Class
}

// StoredClasses returns up to limit classes in the order of their hashes,
// those after the given one; nil is before the first. They hold what their
// rows say, without the compiled ABI.
func (db *DB) StoredClasses(ctx context.Context, c domain.Chain, after *starknet.Felt, limit int) (classes []*facts.Class, err error) {
	past := []byte{}
	if after != nil {
		past = after[:]
	}
	err = pgx.BeginTxFunc(ctx, db.pool, snapshot, func(tx pgx.Tx) error {
		// Classes by their unique hash, their schemas by primary key.
		found, err := storedClasses(ctx, tx, chainCode(c), `k.id IN (
			SELECT id FROM classes WHERE chain = %[1]d AND hash > $1 ORDER BY hash LIMIT $2)`, past, limit)
		for _, k := range found {
			classes = append(classes, k.class)
		}
		return err
	})
	return classes, outage(err)
}

// storedClasses reads the classes k that a condition selects, by hash.
func storedClasses(ctx context.Context, tx pgx.Tx, code int, condition string, args ...any) ([]*storedClass, error) {
	rows, err := tx.Query(ctx, fmt.Sprintf(`/* stored.classes */
		SELECT k.id, k.block, k.hash, k.standard, k.sierra, k.account, k.missing, k.abi
		FROM classes k WHERE k.chain = %[1]d AND `+condition+` ORDER BY k.hash`, code), args...)
	if err != nil {
		return nil, err
	}
	byID := make(map[int32]*storedClass)
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*storedClass, error) {
		k := &storedClass{class: &facts.Class{}}
		var standard int
		err := row.Scan(&k.id, &k.block, &k.class.Hash, &standard, &k.class.Sierra, &k.class.Account, &k.class.Missing, &k.class.ABI)
		if err == nil && (standard < 0 || standard >= len(standards)) {
			return nil, errClass(k.class.Hash)
		}
		if err == nil {
			k.class.Standard = standards[standard]
			byID[k.id] = k
		}
		return k, err
	})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	if err := storedEvents(ctx, tx, code, byID); err != nil {
		return nil, err
	}
	return found, storedFunctions(ctx, tx, code, byID)
}

func storedEvents(ctx context.Context, tx pgx.Tx, code int, classes map[int32]*storedClass) error {
	rows, err := schemaRows(ctx, tx, code, classes, "event_schemas", "s.ambiguous, s.name, s.path, s.fields, coalesce(s.unsupported, '')")
	if err != nil {
		return err
	}
	var (
		id       int32
		selector *starknet.Felt
		e        facts.EventSchema
		fields   []byte
	)
	_, err = pgx.ForEachRow(rows, []any{&id, &selector, &e.Ambiguous, &e.Name, &e.Path, &fields, &e.Unsupported}, func() error {
		class := classes[id].class
		if selector == nil {
			return errClass(class.Hash)
		}
		e.Selector, e.Fields, e.Path = *selector, nil, slices.Clone(e.Path)
		if err := json.Unmarshal(fields, &e.Fields); err != nil {
			return errClass(class.Hash)
		}
		class.Events = append(class.Events, e)
		return nil
	})
	return err
}

func storedFunctions(ctx context.Context, tx pgx.Tx, code int, classes map[int32]*storedClass) error {
	rows, err := schemaRows(ctx, tx, code, classes, "function_schemas", "s.view, s.l1_handler, s.name, s.inputs, s.outputs, coalesce(s.unsupported, '')")
	if err != nil {
		return err
	}
	var (
		id              int32
		selector        *starknet.Felt
		f               facts.FunctionSchema
		inputs, outputs []byte
	)
	_, err = pgx.ForEachRow(rows, []any{&id, &selector, &f.View, &f.L1Handler, &f.Name, &inputs, &outputs, &f.Unsupported}, func() error {
		class := classes[id].class
		if selector == nil {
			return errClass(class.Hash)
		}
		f.Selector, f.Inputs, f.Outputs = *selector, nil, nil
		if json.Unmarshal(inputs, &f.Inputs) != nil || json.Unmarshal(outputs, &f.Outputs) != nil {
			return errClass(class.Hash)
		}
		class.Functions = append(class.Functions, f)
		return nil
	})
	return err
}

// schemaRows selects a table's rows of the classes: class, selector and then
// the given columns.
func schemaRows(ctx context.Context, tx pgx.Tx, code int, classes map[int32]*storedClass, table, columns string) (pgx.Rows, error) {
	ids := make([]int32, 0, len(classes))
	for id := range classes {
		ids = append(ids, id)
	}
	return tx.Query(ctx, fmt.Sprintf(`/* stored.%[2]s */
		SELECT s.class, w.felt, %[3]s
		FROM %[2]s s LEFT JOIN selectors w ON w.chain = %[1]d AND w.id = s.selector
		WHERE s.chain = %[1]d AND s.class = ANY($1) ORDER BY s.class, s.ordinal`, code, table, columns), ids)
}

// errClass reports rows of a class that make no sense.
func errClass(hash starknet.Felt) error {
	return &indexing.DamageError{Table: facts.TableClasses, What: fmt.Sprintf("%s: a value is malformed, or an id is in no dictionary", hash)}
}
