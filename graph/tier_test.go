package graph

import (
	"context"
	"slices"
	"strings"
	"testing"

	"astrolabe/domain"
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

// TestTieredFieldIsNullable ensures that a forbidden field does not make its
// parent null.
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

// TestEveryRootFieldHasATier ensures that no new field is readable without a permission.
func TestEveryRootFieldHasATier(t *testing.T) {
	t.Parallel()
	open := []string{"service", "viewer"}
	for _, field := range slices.Concat(schema.Query.Fields, schema.Subscription.Fields) {
		tiered := field.Directives.ForName("tier") != nil
		if !strings.HasPrefix(field.Name, "__") && tiered == slices.Contains(open, field.Name) {
			t.Errorf("%s: got a tier: %v, want %v", field.Name, tiered, !tiered)
		}
	}
}

func TestForbiddenFieldLeavesTheRestIntact(t *testing.T) {
	t.Parallel()
	g := serveOwn(t, nil)
	a := g.post(t, `{"query":"{ viewer { kind } service { version } hidden: status(chain: SN_MAIN) { asOf } }"}`, g.asUser())
	if a.status != 200 || string(a.body.Data) != `{"viewer":{"kind":"SESSION"},"service":{"version":"v1.2.3"},"hidden":null}` || len(a.body.Errors) != 1 {
		t.Fatalf("got status %d with %s, want 200 with one null field", a.status, a.text)
	}
	e := a.body.Errors[0]
	if e.Extensions.Code != domain.CodeForbidden || e.Extensions.Scope != account.Read || len(e.Path) != 1 || e.Path[0] != "hidden" {
		t.Errorf("got %+v, want %s for hidden with the scope %s", e, domain.CodeForbidden, account.Read)
	}
	if g.store.count() != 0 {
		t.Errorf("got %d reads, want none", g.store.count())
	}
}

func TestEveryTierRequiresItsPermission(t *testing.T) {
	t.Parallel()
	next := func(context.Context) (any, error) { return "let in", nil }
	for _, needed := range account.Permissions {
		for _, has := range account.Permissions {
			ctx := account.WithCaller(t.Context(), &account.Caller{Permissions: []account.Permission{has}})
			if got, err := tier(ctx, nil, next, needed); (got != nil) != (has == needed) || (err == nil) != (has == needed) {
				t.Errorf("%s with %s: got %v and %v, want allowed: %v", needed, has, got, err, has == needed)
			}
		}
	}
}

// asUser returns the header of a session, without a key.
func (g *servedGraph) asUser() map[string]string {
	return map[string]string{"X-Service-Api-Key": "", "Authorization": "Bearer " + g.access.Cookie}
}
