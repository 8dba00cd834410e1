package onchain

import (
	"context"

	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/model"
)

// read is repo.Select for the rows of blocks. A row with a malformed value
// becomes an indexing.DamageError that names its table and block: the last row
// that Select returns with an error is the one that it could not scan.
func read[T any](ctx context.Context, db *repo.DB, table facts.Table, blockOf func(*T) model.BlockNumber, statement string, arguments ...any) ([]T, error) {
	rows, err := repo.Select[T](ctx, db.Read(), statement, arguments...)
	if err == nil {
		return rows, nil
	}
	if len(rows) == 0 || !repo.Malformed(err) {
		return nil, damage(err, table, nil)
	}
	return nil, damage(err, table, new(uint64(blockOf(&rows[len(rows)-1]))))
}

// damage adds the table and the block to the error of a malformed value. Other
// errors are returned unchanged.
func damage(err error, table facts.Table, block *uint64) error {
	if !repo.Malformed(err) {
		return err
	}
	return &indexing.DamageError{Table: table, Block: block, What: "a value is malformed: " + err.Error()}
}
