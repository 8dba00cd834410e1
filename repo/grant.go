package repo

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/uptrace/bun"
)

// GrantRoles gives each role of roleGrants exactly what is listed there: it
// creates the roles that are missing, if the migrating role may, and changes
// only what differs, so that a start takes no locks. A role that is missing
// afterwards gets nothing; see MissingRoles.
//
// The roles belong to the server and not to one database, so processes that
// migrate different databases may create them at the same time. They are
// created without LOGIN: the operator decides how their processes connect.
func (db *DB) GrantRoles(ctx context.Context) error {
	if err := db.createGroups(ctx); err != nil {
		return err
	}
	missing, err := db.MissingRoles(ctx)
	if err != nil {
		return err
	}
	want := permissions(missing)
	return db.write.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		var list []permission
		if err := tx.NewRaw(listPermissions, bun.List(rolesOf(roleGrants)), bun.List(grantedTables()), searchPath(db.schema)).Scan(ctx, &list); err != nil {
			return fmt.Errorf("list the permissions of roles: %w", err)
		}
		var changes []string
		for _, had := range list {
			if !want[had] {
				changes = append(changes, had.undo())
			}
			delete(want, had)
		}
		for given := range want {
			changes = append(changes, given.do()...)
		}
		var closed []string
		if err := tx.NewRaw(listClosed, searchPath(db.schema), bun.List(rolesOf(roleGrants)), db.schema).Scan(ctx, &closed); err != nil {
			return fmt.Errorf("list the roles that cannot use the schema: %w", err)
		}
		for _, change := range append(closed, changes...) {
			if _, err := tx.NewRaw("/* roles.change */ ?", bun.Safe(change)).Exec(ctx); err != nil {
				return fmt.Errorf("%s: %w", change, err)
			}
		}
		return nil
	})
}

// createGroups creates the roles that are missing, if the current role may.
func (db *DB) createGroups(ctx context.Context) error {
	for role := range roleGrants {
		if _, err := db.write.NewRaw(createGroup, role, bun.Ident(role)).Exec(ctx); err != nil {
			return fmt.Errorf("create the role %s: %w", role, err)
		}
	}
	return nil
}

// MissingRoles returns the roles that do not exist. Their processes cannot run.
func (db *DB) MissingRoles(ctx context.Context) (missing []string, err error) {
	var known []string
	roles := rolesOf(roleGrants)
	err = db.write.NewRaw("/* roles.known */ SELECT rolname FROM pg_roles WHERE rolname IN (?)", bun.List(roles)).Scan(ctx, &known)
	if err != nil {
		return nil, fmt.Errorf("list the roles: %w", err)
	}
	return slices.DeleteFunc(roles, func(role string) bool { return slices.Contains(known, role) }), nil
}

// listClosed lists the statements that let roles use the schema.
const listClosed = `/* roles.closed */
	SELECT format('GRANT USAGE ON SCHEMA %I TO %I', ?2, r.rolname) FROM pg_roles r
	WHERE r.rolname IN (?1) AND NOT has_schema_privilege(r.oid, to_regnamespace(?0), 'USAGE')`

func rolesOf(grants map[string][]grant) []string { return slices.Sorted(maps.Keys(grants)) }

// createGroup creates a role that cannot log in, if the current one may.
const createGroup = `/* roles.create */ DO $$ BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ?0)
		AND (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user) THEN
		CREATE ROLE ?1 NOLOGIN;
	END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
	NULL; -- another process was faster
END $$`
