package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/uptrace/bun"
)

// DefaultSchema is the schema of the tables, unless Options.Schema names another.
const DefaultSchema = "astrolabe"

// publicSchema had the tables of releases that had no schema of their own.
const publicSchema = "public"

const (
	// firstMigration tells our table of migrations from that of another program.
	firstMigration = "20261115000001"
	// schemaMigration came with the first release that has schemas. If it is applied
	// in public, an operator has chosen public with --database-schema.
	schemaMigration = "20261117000035"
)

var (
	// ErrForeignSchema means that the schema belongs to another program.
	ErrForeignSchema = errors.New("the schema is in use")
	// ErrOtherSchema means that the deployment is in another schema.
	ErrOtherSchema = errors.New("the deployment is in another schema")
)

// searchPath is the setting that makes names without a schema ours. It has no
// other schema, so that a table of another program is never taken for ours.
func searchPath(schema string) string { return quoted(schema) }

// samePath compares search paths. Postgres quotes only names that need it.
func samePath(a, b string) bool {
	return strings.ReplaceAll(a, `"`, "") == strings.ReplaceAll(b, `"`, "")
}

// Deployed reports whether the database has tables of this program: in its
// schema, or in public, from where Migrate moves them.
func (db *DB) Deployed(ctx context.Context) (bool, error) {
	for _, schema := range []string{db.schema, publicSchema} {
		if deployed, err := deployedIn(ctx, db.write, schema); deployed || err != nil {
			return deployed, Outage(err)
		}
	}
	return false, nil
}

// deployedIn reports whether a schema has a deployment of this program.
func deployedIn(ctx context.Context, on bun.IDB, schema string) (bool, error) {
	return appliedIn(ctx, on, schema, firstMigration)
}

// appliedIn reports whether a schema records one of our migrations. The table of
// another program may have other columns.
func appliedIn(ctx context.Context, on bun.IDB, schema, migration string) (applied bool, err error) {
	err = on.NewRaw("/* schema.migrations */ SELECT to_regclass(?) IS NOT NULL", searchPath(schema)+".migrations").Scan(ctx, &applied)
	if err != nil || !applied {
		return false, err
	}
	err = on.NewRaw("/* schema.applied */ SELECT EXISTS (SELECT FROM ?.migrations m WHERE to_jsonb(m) ->> 'name' = ?)",
		bun.Ident(schema), migration).Scan(ctx, &applied)
	return applied, err
}

// settle prepares the schema for the migrations, in one transaction: it creates
// the schema, or moves the tables of an older release into it. Before it writes
// anything, it refuses a schema with tables of another program, and any other
// schema than public for a deployment that was created there on purpose.
func (db *DB) settle(ctx context.Context) error {
	var legacy bool
	err := db.write.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if deployed, err := deployedIn(ctx, tx, db.schema); deployed || err != nil {
			return err
		}
		if err := db.refuseForeign(ctx, tx); err != nil {
			return err
		}
		if err := refuseMove(ctx, tx); err != nil {
			return err
		}
		var err error
		if legacy, err = deployedIn(ctx, tx, publicSchema); err != nil {
			return err
		}
		if err := db.createSchema(ctx, tx); err != nil || !legacy {
			return err
		}
		return db.moveTables(ctx, tx)
	})
	if err == nil && legacy {
		db.logger.Info("moved the tables of an earlier release into the schema", "from", publicSchema, "to", db.schema)
	}
	return err
}

// refuseMove refuses to move a deployment of this release out of public, because
// its processes would lose their tables.
func refuseMove(ctx context.Context, tx bun.Tx) error {
	chosen, err := appliedIn(ctx, tx, publicSchema, schemaMigration)
	if err != nil || !chosen {
		return err
	}
	return fmt.Errorf("%w: its tables are in public; pass --database-schema public", ErrOtherSchema)
}

// refuseForeign refuses a schema with tables of another program. Tables of our
// names are ours only beside the migrator's own table, which stays when all
// migrations are reverted or a start is killed before the first one.
func (db *DB) refuseForeign(ctx context.Context, tx bun.Tx) error {
	var foreign []string
	err := tx.NewRaw(`/* schema.foreign */ SELECT relname FROM pg_class
		WHERE relnamespace = to_regnamespace(?0) AND relkind IN ('r', 'p', 'v', 'm', 'f') AND (relname !~ ?1 OR NOT EXISTS (
			SELECT FROM pg_attribute WHERE attrelid = to_regclass(?0 || '.migrations') AND attname = 'group_id'))
		ORDER BY relname LIMIT 2`, searchPath(db.schema), ownTables()).Scan(ctx, &foreign)
	if err != nil || len(foreign) == 0 {
		return err
	}
	return fmt.Errorf("%w: %s has tables of another program, such as %s; choose another schema with --database-schema",
		ErrForeignSchema, db.schema, strings.Join(foreign, " and "))
}

func (db *DB) createSchema(ctx context.Context, tx bun.Tx) error {
	var exists bool
	if err := tx.NewRaw("/* schema.exists */ SELECT to_regnamespace(?) IS NOT NULL", searchPath(db.schema)).Scan(ctx, &exists); err != nil || exists {
		return err
	}
	if _, err := tx.NewRaw("/* schema.create */ CREATE SCHEMA ?", bun.Ident(db.schema)).Exec(ctx); err != nil {
		return fmt.Errorf("create the schema %s; the role of the database URL needs the privilege CREATE on the database, or a schema that it owns: %w", db.schema, err)
	}
	return nil
}

// moveTables moves our tables, sequences, functions and types, and those of the
// job queue, from public. Sequences of columns follow their tables.
func (db *DB) moveTables(ctx context.Context, tx bun.Tx) error {
	if _, err := tx.NewRaw("/* schema.lock_timeout */ SET LOCAL lock_timeout = ?", db.lockWait.Milliseconds()).Exec(ctx); err != nil {
		return err
	}
	unattached, err := unattachedTables(ctx, tx)
	if err != nil {
		return fmt.Errorf("list the tables in public: %w", err)
	}
	var changes []string
	if err := tx.NewRaw(listMoves, publicSchema, ownTables(), ownRoutines(), db.schema, bun.List(unattached)).Scan(ctx, &changes); err != nil {
		return fmt.Errorf("list the tables in public: %w", err)
	}
	for _, change := range changes {
		if _, err := tx.NewRaw("/* schema.move */ ?", bun.Safe(change)).Exec(ctx); err != nil {
			return fmt.Errorf("move the tables from public (stop all processes of the previous release first): %s: %w", change, err)
		}
	}
	return nil
}

// unattachedTables lists the tables in public that rows of our tables name: those
// of partitions that are still loading, and those of certificates. A deployment
// whose first migrations were interrupted has neither.
func unattachedTables(ctx context.Context, tx bun.Tx) (names []string, err error) {
	var complete bool
	err = tx.NewRaw("/* schema.complete */ SELECT to_regclass('public.index_ranges') IS NOT NULL AND to_regclass('public.event_certificates') IS NOT NULL").Scan(ctx, &complete)
	if err != nil || !complete {
		return nil, err
	}
	err = tx.NewRaw(`/* schema.unattached */
		SELECT p.relname || '_' || r.chain || '_' || r.from_block FROM public.index_ranges r, pg_class p
		WHERE r.state <> 'ready' AND p.relnamespace = to_regnamespace('public') AND p.relkind = 'p' AND p.relname ~ ?
		UNION ALL SELECT 'event_positions_' || id FROM public.event_certificates`, ownTables()).Scan(ctx, &names)
	return names, err
}

// listMoves finds partitions by their parents: the name of a table of another
// program may look like that of a partition.
const listMoves = `/* schema.moves */
	WITH RECURSIVE own AS (
		SELECT c.oid FROM pg_class c WHERE c.relnamespace = to_regnamespace(?0) AND c.relkind IN ('r', 'p', 'S') AND (c.relname ~ ?1 OR c.relname IN (?4))
		UNION SELECT i.inhrelid FROM pg_inherits i JOIN own ON own.oid = i.inhparent)
	SELECT format('ALTER %s %I.%I SET SCHEMA %I', CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, ?0, c.relname, ?3)
	FROM own JOIN pg_class c ON c.oid = own.oid
	WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i') AND c.relkind = 'S')
	UNION ALL
	SELECT format('ALTER FUNCTION %s SET SCHEMA %I', p.oid::regprocedure, ?3) FROM pg_proc p
	WHERE p.pronamespace = to_regnamespace(?0) AND p.proname ~ ?2
	UNION ALL
	SELECT format('ALTER TYPE %I.%I SET SCHEMA %I', ?0, t.typname, ?3) FROM pg_type t
	WHERE t.typnamespace = to_regnamespace(?0) AND t.typtype IN ('e', 'd') AND t.typname ~ ?1`

var (
	createdTable   = regexp.MustCompile(`(?m)^CREATE (?:UNLOGGED )?(?:TABLE|SEQUENCE) (\w+)`)
	createdRoutine = regexp.MustCompile(`(?m)^CREATE (?:OR REPLACE )?FUNCTION (\w+)`)
)

// ownTables returns the pattern of the names of the tables and sequences that the
// migrations create, and of those of the migrator and the job queue.
var ownTables = sync.OnceValue(func() string {
	return `^(migrations|migration_locks|river_(job|job_state|leader|queue|client|client_queue|migration|notification)(_[a-z_]+_seq)?|(` + strings.Join(created(createdTable), "|") + `)(_[a-z_]+_seq)?)$`
})

// ownRoutines returns the pattern of the names of our functions and those of the
// job queue.
var ownRoutines = sync.OnceValue(func() string {
	return `^(river_[a-z_]+|` + strings.Join(created(createdRoutine), "|") + `)$`
})

// created lists what the migrations create.
func created(pattern *regexp.Regexp) (names []string) {
	_ = fs.WalkDir(migrationFiles, ".", func(path string, _ fs.DirEntry, _ error) error {
		if !strings.HasSuffix(path, ".up.sql") {
			return nil
		}
		content, err := migrationFiles.ReadFile(path)
		for _, found := range pattern.FindAllStringSubmatch(string(content), -1) {
			names = append(names, found[1])
		}
		return err
	})
	slices.Sort(names)
	return slices.Compact(names)
}
