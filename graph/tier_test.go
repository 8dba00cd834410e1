package graph

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"astrolabe/domain/account"
)

func TestSchemaPermissionsMatchKeyPermissions(t *testing.T) {
	t.Parallel()
	var listed []account.Permission
	for _, value := range schema.Types["Permission"].EnumValues {
		listed = append(listed, account.Permission(strings.ToLower(value.Name)))
	}
	if !slices.Equal(listed, account.Permissions) {
		t.Errorf("got %v in the schema, want %v as of keys", listed, account.Permissions)
	}
}

func TestTieredFieldIsNullable(t *testing.T) {
	t.Parallel()
	for _, definition := range schema.Types {
		for _, field := range definition.Fields {
			if field.Directives.ForName("tier") != nil && field.Type.NonNull {
				t.Errorf("%s.%s: got a tier on a non-null field, want it nullable", definition.Name, field.Name)
			}
		}
	}
}

// TestEveryRootFieldHasATier ensures that no new field is readable without a
// permission. What the open ones return is public in REST, or the caller's own.
func TestEveryRootFieldHasATier(t *testing.T) {
	t.Parallel()
	open := []string{"service", "viewer", "verificationAvailability", "verificationTrustRoot"}
	for _, field := range slices.Concat(schema.Query.Fields, schema.Subscription.Fields) {
		tiered := field.Directives.ForName("tier") != nil
		if !strings.HasPrefix(field.Name, "__") && tiered == slices.Contains(open, field.Name) {
			t.Errorf("%s: got a tier: %v, want %v", field.Name, tiered, !tiered)
		}
	}
}

func TestSessionMayNotReadTheChain(t *testing.T) {
	t.Parallel()
	g := serveOwn(t, nil)
	a := g.post(t, `{"query":"{ viewer { kind } hidden: status(chain: SN_MAIN) { asOf } }"}`, g.asUser())
	if a.status != http.StatusForbidden || a.body.Data != nil || len(a.body.Errors) != 1 || a.body.Errors[0].Extensions.Scope != account.Read {
		t.Errorf("got status %d with %s, want 403 with the scope %s and no data", a.status, a.text, account.Read)
	}
	if a := g.post(t, `{"query":"{ viewer { kind } service { version } }"}`, g.asUser()); a.status != http.StatusOK || len(a.body.Errors) > 0 {
		t.Errorf("fields without a tier: got status %d with %s, want 200", a.status, a.text)
	}
	if g.store.count() != 0 {
		t.Errorf("got %d reads, want none", g.store.count())
	}
}

func TestEveryTierRequiresItsPermission(t *testing.T) {
	t.Parallel()
	tiers := map[account.Permission]bool{}
	for _, parent := range schema.Types {
		for _, definition := range parent.Fields {
			if definition.Directives.ForName("tier") == nil {
				continue
			}
			needed := permissionOf(definition)
			tiers[needed] = true
			op := &operation{tiered: []*ast.Field{{Name: definition.Name, Definition: definition, ObjectDefinition: parent, Position: &ast.Position{}}}}
			for _, has := range account.Permissions {
				err := permitted(&account.Caller{Permissions: []account.Permission{has}}, op)
				if (err == nil) != (has == needed) {
					t.Errorf("%s.%s with the permission %s: got %v, want allowed: %v", parent.Name, definition.Name, has, err, has == needed)
				}
			}
		}
	}
	if len(tiers) < 2 {
		t.Errorf("got fields of the tiers %v, want several tiers", tiers)
	}
}

// asUser returns the header of a session, without a key.
func (g *servedGraph) asUser() map[string]string {
	return map[string]string{"X-Service-Api-Key": "", "Authorization": "Bearer " + g.access.Cookie}
}
