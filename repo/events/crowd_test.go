package events_test

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
)

// crowded is the template of a database with three partitions of events, so many
// that no plan may scan a whole partition: 1,000 contracts emit events of 50
// selectors, one of which is very frequent. The felt of an address, a selector
// or a class is its id.
func crowded(ctx context.Context, url string) error {
	if err := repotest.Migrated(ctx, url); err != nil {
		return err
	}
	if err := openRanges(ctx, url); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	statements := []string{
		`DELETE FROM privacy_pools`, `DELETE FROM addresses`, // of the privacy pool: the crowd numbers its own
		`INSERT INTO addresses (chain, id, felt) SELECT 1, n, decode(lpad(to_hex(n), 64, '0'), 'hex') FROM generate_series(1, 20000) n`,
		`INSERT INTO selectors (chain, id, felt) SELECT 1, n, decode(lpad(to_hex(n), 64, '0'), 'hex') FROM generate_series(1, 20000) n`,
		`UPDATE index_checkpoints SET block = 2999, hash = '\x00', finalized_block = 2900 WHERE chain = 1`,
	}
	for from := 0; from < 3000; from += 1000 {
		statements = append(statements,
			fmt.Sprintf(`INSERT INTO blocks SELECT n, 1, 0, n, 10, 100, decode(lpad(to_hex(n), 64, '0'), 'hex'), '\x', '\x', '\x', '\x', '' FROM generate_series(%d, %d) n`, from, from+999),
			fmt.Sprintf(`INSERT INTO transactions (block, tx, chain, type, version, reverted, fee_in_fri, signature_len, l1_gas, l1_data_gas, l2_gas, fee, hash, calldata)
				SELECT n, t, 1, 1, 3, false, true, 0, 0, 0, 0, 0, decode(lpad(to_hex(n * 10 + t), 64, '0'), 'hex'), '\x' FROM generate_series(%d, %d) n, generate_series(0, 9) t`, from, from+999),
			fmt.Sprintf(`INSERT INTO events SELECT n, t, l, 1 + (n * 7 + t * 13 + l) %% 1000, CASE WHEN l < 2 THEN 1 ELSE 1 + (n + t + l) %% 50 END, 1, 2,
					decode(lpad(to_hex((n * 31 + t * 7 + l) %% 5000), 64, '0') || repeat('00', 32), 'hex')
				FROM generate_series(%d, %d) n, generate_series(0, 4) t, generate_series(0, 4) l`, from, from+999))
	}
	statements = append(statements,
		`INSERT INTO contract_classes (chain, address, block, origin, class) SELECT 1, a, b * 500, 2, 1 + (a + b) % 100 FROM generate_series(1, 1000) a, generate_series(0, 5) b`,
		`INSERT INTO classes (chain, id, block, standard, sierra, account, missing, hash) SELECT 1, n, 0, 0, true, false, false, decode(lpad(to_hex(n), 64, '0'), 'hex') FROM generate_series(1, 5000) n`,
		`INSERT INTO event_schemas (chain, class, ordinal, selector, ambiguous, name, path, fields) SELECT 1, c, o, 1 + (c * 7 + o) % 1000, false, 'Name' || (c + o) % 1000, '{}', '[]' FROM generate_series(1, 5000) c, generate_series(1, 5) o`,
		`INSERT INTO event_certificates (chain, selector, position, status, from_block, through_block) VALUES (1, decode(lpad('1', 64, '0'), 'hex'), 1, 'ready', 0, 2900)`,
		`CREATE TABLE event_positions_1 (value bytea NOT NULL, block integer NOT NULL, tx smallint NOT NULL, log smallint NOT NULL)`,
		`INSERT INTO event_positions_1 SELECT substr(payload, 1, 32), block, tx, log FROM events WHERE chain = 1 AND selector = 1`,
		`CREATE INDEX event_positions_1_value ON event_positions_1 (value, block, tx, log)`,
		`ANALYZE`)
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%w in %s", err, statement)
		}
	}
	return nil
}

// openRanges opens the partitions of crowded, with their indexes.
func openRanges(ctx context.Context, url string) error {
	db, err := repo.Open(ctx, repo.Options{URL: url})
	if err != nil {
		return err
	}
	defer db.Close()
	index := repotest.NewIndex(ctx, db, 0, 10)
	for from := uint64(0); from < 3000; from += 1000 {
		index.Open(from, from+1000, indexing.RangeReady)
	}
	index.Release()
	return index.Err()
}
