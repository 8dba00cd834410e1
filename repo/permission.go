package repo

import (
	"fmt"
	"slices"
	"strings"
)

// permission is a privilege on a column or a table, a policy, or that a table
// has row-level security.
type permission struct {
	Kind   string `bun:"kind"`
	Table  string `bun:"table_name"`
	Role   string `bun:"role"`       // of a privilege, else empty
	Act    string `bun:"act"`        // of a privilege; the name of a policy
	Column string `bun:"column"`     // of a privilege; empty for the whole table
	Text   string `bun:"definition"` // of a policy
}

// The kinds of permissions.
const (
	privilege   = "privilege"
	policy      = "policy"
	rowSecurity = "row security"
)

// listPermissions lists the permissions that the database has. Postgres keeps
// policies as trees, so their text is kept as a comment.
const listPermissions = `/* roles.list */
	SELECT 'privilege' AS kind, c.relname AS table_name, r.rolname AS role, a.privilege_type AS act, '' AS "column", '' AS definition
	FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
	WHERE r.rolname IN (?0) AND c.relnamespace = to_regnamespace(?2)
	UNION ALL
	SELECT 'privilege', c.relname, r.rolname, a.privilege_type, t.attname, ''
	FROM pg_attribute t JOIN pg_class c ON c.oid = t.attrelid CROSS JOIN LATERAL aclexplode(t.attacl) a JOIN pg_roles r ON r.oid = a.grantee
	WHERE NOT t.attisdropped AND r.rolname IN (?0) AND c.relnamespace = to_regnamespace(?2)
	UNION ALL
	SELECT 'policy', c.relname, '', p.polname, '', coalesce(obj_description(p.oid, 'pg_policy'), '')
	FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid WHERE p.polname ~ '^astrolabe_' AND c.relnamespace = to_regnamespace(?2)
	UNION ALL
	SELECT 'row security', c.relname, '', '', '', '' FROM pg_class c
	WHERE c.relrowsecurity AND c.relname IN (?1) AND c.relnamespace = to_regnamespace(?2)`

// do returns the statements that give the permission.
func (p permission) do() []string {
	switch p.Kind {
	case privilege:
		return []string{fmt.Sprintf("GRANT %s ON %s TO %s", p.acts(), quoted(p.Table), p.Role)}
	case policy:
		return []string{
			fmt.Sprintf("CREATE POLICY %s ON %s %s", p.Act, quoted(p.Table), p.Text),
			fmt.Sprintf("COMMENT ON POLICY %s ON %s IS '%s'", p.Act, quoted(p.Table), strings.ReplaceAll(p.Text, "'", "''")),
		}
	}
	return []string{fmt.Sprintf("ALTER TABLE %s ENABLE ROW LEVEL SECURITY", quoted(p.Table))}
}

// undo returns the statement that takes the permission.
func (p permission) undo() string {
	switch p.Kind {
	case privilege:
		return fmt.Sprintf("REVOKE %s ON %s FROM %s", p.acts(), quoted(p.Table), p.Role)
	case policy:
		return fmt.Sprintf("DROP POLICY %s ON %s", quoted(p.Act), quoted(p.Table))
	}
	return fmt.Sprintf("ALTER TABLE %s DISABLE ROW LEVEL SECURITY", quoted(p.Table))
}

func (p permission) acts() string {
	if p.Column == "" {
		return p.Act
	}
	return p.Act + " (" + quoted(p.Column) + ")"
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// permissions returns everything that roleGrants lists, for the roles that are
// not missing.
func permissions(missing []string) map[permission]bool {
	all := map[permission]bool{}
	var roles []string
	for _, role := range rolesOf(roleGrants) {
		if slices.Contains(missing, role) {
			continue
		}
		roles = append(roles, role)
		for _, g := range roleGrants[role] {
			for _, column := range strings.Split(g.columns, ",") {
				all[permission{Kind: privilege, Table: g.table, Role: role, Act: g.act, Column: strings.TrimSpace(column)}] = true
			}
			if securedTables()[g.table] {
				all[permission{Kind: policy, Table: g.table, Act: role + "_" + strings.ToLower(g.act), Text: g.policy(role)}] = true
			}
		}
	}
	if len(roles) == 0 {
		return all
	}
	for table := range securedTables() {
		all[permission{Kind: rowSecurity, Table: table}] = true
		all[permission{Kind: policy, Table: table, Act: "astrolabe_others", Text: othersPolicy(roles)}] = true
	}
	return all
}

// policy is the definition of the policy of a grant.
func (g grant) policy(role string) string {
	condition := func(clause, text string) string {
		if text == "" {
			text = "true"
		}
		return " " + clause + " (" + text + ")"
	}
	text := "FOR " + g.act + " TO " + role
	if g.act != "INSERT" {
		text += condition("USING", g.rows)
	}
	if g.act == "INSERT" || g.act == "UPDATE" {
		text += condition("WITH CHECK", g.becomes)
	}
	return text
}

// othersPolicy gives all rows to roles that have none of the roles. The owner of
// the tables is not subject to policies at all.
func othersPolicy(roles []string) string {
	var none []string
	for _, role := range roles {
		none = append(none, fmt.Sprintf("NOT pg_has_role('%s', 'USAGE')", role))
	}
	return "FOR ALL USING (" + strings.Join(none, " AND ") + ")"
}

// grantedTables lists the tables of all grants.
func grantedTables() (tables []string) {
	for _, grants := range roleGrants {
		for _, g := range grants {
			tables = append(tables, g.table)
		}
	}
	slices.Sort(tables)
	return slices.Compact(tables)
}

// securedTables are the tables with a condition on their rows.
func securedTables() map[string]bool {
	tables := map[string]bool{}
	for _, grants := range roleGrants {
		for _, g := range grants {
			if g.rows != "" || g.becomes != "" {
				tables[g.table] = true
			}
		}
	}
	return tables
}
