package repo

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"
)

// ConfirmRole returns an error unless the current role has the privileges of a
// role of roleGrants and can reach no other table. A process that shall be
// confined calls it before it starts, so that one with the URL of the owner does
// not run.
func (db *DB) ConfirmRole(ctx context.Context, role string) error {
	var tables []string
	for _, g := range roleGrants[role] {
		tables = append(tables, g.table)
	}
	var found struct {
		Name       string `bun:"name"`
		Has        bool   `bun:"has"`
		Privileged bool   `bun:"privileged"`
		Others     string `bun:"others"`
	}
	if err := db.write.NewRaw(confirmRole, role, bun.List(tables), searchPath(db.schema)).Scan(ctx, &found); err != nil {
		return fmt.Errorf("look up the privileges of the database role: %w", Outage(err))
	}
	switch {
	case found.Privileged:
		return fmt.Errorf("the database role %s can bypass the restrictions of %s: connect as %[2]s", found.Name, role)
	case !found.Has:
		return fmt.Errorf("the database role %s does not have the privileges of %s: connect as %[2]s", found.Name, role)
	case found.Others != "":
		return fmt.Errorf("the database role %s can reach tables that %s must not reach (%s): connect as %[2]s", found.Name, role, found.Others)
	}
	return nil
}

const confirmRole = `/* roles.confirm */
	SELECT current_user::text AS name, rolsuper OR rolbypassrls OR rolcreaterole OR rolreplication AS privileged,
		EXISTS (SELECT FROM pg_roles r WHERE r.rolname = ?0 AND pg_has_role(r.oid, 'USAGE')) AS has,
		coalesce((SELECT string_agg(c.relname, ', ' ORDER BY c.relname) FROM pg_class c
			WHERE c.relnamespace = to_regnamespace(?2) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relname NOT IN (?1)
			AND (has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE') OR has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE'))), '') AS others
	FROM pg_roles WHERE rolname = current_user`
