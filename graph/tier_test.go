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
		t.Errorf("the schema has %v, keys have %v", listed, account.Permissions)
	}
}

// TestTieredFieldIsNullable keeps a refused field from taking its parent with
// it.
func TestTieredFieldIsNullable(t *testing.T) {
	t.Parallel()
	for _, definition := range schema.Types {
		for _, field := range definition.Fields {
			if field.Directives.ForName("tier") != nil && field.Type.NonNull {
				t.Errorf("%s.%s has a tier and is not nullable", definition.Name, field.Name)
			}
		}
	}
}

// TestEveryRootFieldHasATier lets no new field be read without a permission.
func TestEveryRootFieldHasATier(t *testing.T) {
	t.Parallel()
	open := []string{"service", "viewer"}
	for _, field := range slices.Concat(schema.Query.Fields, schema.Subscription.Fields) {
		tiered := field.Directives.ForName("tier") != nil
		if !strings.HasPrefix(field.Name, "__") && tiered == slices.Contains(open, field.Name) {
			t.Errorf("%s: has a tier: %v", field.Name, tiered)
		}
	}
}

func TestForbiddenFieldLeavesTheRestIntact(t *testing.T) {
	t.Parallel()
	g := serveOwn(t, nil)
	a := g.post(t, `{"query":"{ viewer { kind } service { version } hidden: status(chain: SN_MAIN) { asOf } }"}`, g.asPerson())
	if a.status != 200 || string(a.body.Data) != `{"viewer":{"kind":"SESSION"},"service":{"version":"v1.2.3"},"hidden":null}` || len(a.body.Errors) != 1 {
		t.Fatalf("%d %s", a.status, a.text)
	}
	e := a.body.Errors[0]
	if e.Extensions.Code != domain.CodeForbidden || e.Extensions.Scope != account.Read || len(e.Path) != 1 || e.Path[0] != "hidden" {
		t.Errorf("%+v", e)
	}
	if g.store.count() != 0 {
		t.Error("something was read")
	}
}

func TestEveryTierRequiresItsPermission(t *testing.T) {
	t.Parallel()
	next := func(context.Context) (any, error) { return "let in", nil }
	for _, needed := range account.Permissions {
		for _, has := range account.Permissions {
			ctx := account.WithCaller(t.Context(), &account.Caller{Permissions: []account.Permission{has}})
			if got, err := tier(ctx, nil, next, needed); (got != nil) != (has == needed) || (err == nil) != (has == needed) {
				t.Errorf("%s with %s: %v, %v", needed, has, got, err)
			}
		}
	}
}

// asPerson is the header of a signed-in person, without a key.
func (g *servedGraph) asPerson() map[string]string {
	return map[string]string{"X-Service-Api-Key": "", "Authorization": "Bearer " + g.access.Cookie}
}
