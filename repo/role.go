package repo

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"
)

// CreateRole creates a role without privileges beyond one database, unless it
// exists, and gives it that database with everything in it. It also creates the
// roles of verification, which that role may not. The address is that of a
// superuser.
func CreateRole(ctx context.Context, address, role string) error {
	db, err := Open(ctx, Options{URL: address, MaxConns: 1})
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Write().NewRaw(createRole, role, bun.Ident(role)).Exec(ctx); err != nil {
		return fmt.Errorf("create the database role: %w", err)
	}
	if err := db.createGroups(ctx); err != nil {
		return err
	}
	if _, err := db.Write().NewRaw(giveDatabase, role).Exec(ctx); err != nil {
		return fmt.Errorf("give the database to its role: %w", err)
	}
	return nil
}

const createRole = `/* role.create */ DO $$ BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ?) THEN
		CREATE ROLE ? LOGIN;
	END IF;
END $$`

// giveDatabase changes the owner of the database last, so that a new owner means
// that everything else has changed. Sequences of columns follow their tables.
const giveDatabase = `/* role.give */ DO $$
DECLARE
	role name := ?;
	change text;
BEGIN
	IF (SELECT datdba FROM pg_database WHERE datname = current_database()) = role::regrole THEN
		RETURN;
	END IF;
	FOR change IN
		WITH schemas AS (
			SELECT oid, nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
		), extended AS (
			SELECT classid, objid FROM pg_depend WHERE deptype = 'e'
		)
		SELECT format('ALTER SCHEMA %I OWNER TO %I', nspname, role) FROM schemas
		UNION ALL
		SELECT format('ALTER TABLE %s OWNER TO %I', c.oid::regclass, role)
		FROM pg_class c JOIN schemas s ON s.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S')
			AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i') AND c.relkind = 'S')
			AND ('pg_class'::regclass, c.oid) NOT IN (SELECT classid, objid FROM extended)
		UNION ALL
		SELECT format('ALTER ROUTINE %s OWNER TO %I', p.oid::regprocedure, role)
		FROM pg_proc p JOIN schemas s ON s.oid = p.pronamespace
		WHERE ('pg_proc'::regclass, p.oid) NOT IN (SELECT classid, objid FROM extended)
		UNION ALL
		SELECT format('ALTER TYPE %s OWNER TO %I', t.oid::regtype, role)
		FROM pg_type t JOIN schemas s ON s.oid = t.typnamespace
		WHERE t.typtype IN ('e', 'd') AND ('pg_type'::regclass, t.oid) NOT IN (SELECT classid, objid FROM extended)
	LOOP
		EXECUTE change;
	END LOOP;
	EXECUTE format('ALTER DATABASE %I OWNER TO %I', current_database(), role);
END $$`
