package graph

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

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

// TestTieredFieldIsNullable ensures that a field does not make its parent null
// when the caller loses a permission during a subscription.
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
