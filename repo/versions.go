package repo

import (
	"context"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/facts"
)

// DeriverVersions returns which version of each deriver made a chain's rows.
func (db *DB) DeriverVersions(ctx context.Context, c domain.Chain) (map[string]int, error) {
	rows, err := db.pool.Query(ctx, `/* deriver.list */
		SELECT fact, version FROM deriver_versions WHERE chain = $1`, chainCode(c))
	if err != nil {
		return nil, outage(err)
	}
	var (
		fact    string
		version int
	)
	versions := make(map[string]int, len(facts.Versions))
	_, err = pgx.ForEachRow(rows, []any{&fact, &version}, func() error {
		versions[fact] = version
		return nil
	})
	return versions, outage(err)
}

// recordVersions says that the rows of these facts are of the derivers'
// current versions.
func recordVersions(ctx context.Context, tx pgx.Tx, c domain.Chain, names []string) error {
	versions := make([]int, len(names))
	for i, name := range names {
		versions[i] = facts.Versions[name]
	}
	_, err := tx.Exec(ctx, `/* deriver.record */
		INSERT INTO deriver_versions (chain, fact, version)
		SELECT $1::smallint, fact, version FROM unnest($2::text[], $3::integer[]) AS made (fact, version)
		ON CONFLICT (chain, fact) DO UPDATE SET version = excluded.version`,
		chainCode(c), names, versions)
	return err
}
