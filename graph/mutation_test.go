package graph

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/graph/resolver"
)

const revokeFields = `apiKey { publicId } userErrors { code message argument retryAfterSeconds }`

type revokePayload struct {
	APIKey     *struct{ PublicID string }
	UserErrors []resolver.UserError
}

type issuePayload struct {
	PlaintextKey *string
	UserErrors   []resolver.UserError
}

// TestFailedMutationKeepsTheKeyOfTheOneBefore rotates the default key and then
// fails, in a way that the caller can correct and in one that it cannot. Nobody
// would ever see the new key if the failure made the whole result null.
func TestFailedMutationKeepsTheKeyOfTheOneBefore(t *testing.T) {
	t.Parallel()
	g := serveOwn(t, nil)
	broken := publicID(g.access.Key)
	g.execute(t, `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'broken'; END $$`)
	g.execute(t, `CREATE TRIGGER broken BEFORE UPDATE ON api_keys FOR EACH ROW WHEN (OLD.public_id = '`+broken+`') EXECUTE FUNCTION refuse()`)
	for id, errs := range map[string]int{"zz": 0, broken: 1} {
		a := g.post(t, `{"query":"mutation { first: issueApiKey { plaintextKey userErrors { code } } revokeApiKey(publicId: \"`+id+`\") { `+revokeFields+` } last: issueApiKey { plaintextKey } }"}`, g.asUser())
		var got struct {
			First, Last  issuePayload
			RevokeAPIKey *revokePayload
		}
		if err := json.Unmarshal(a.body.Data, &got); err != nil {
			t.Fatalf("%s: got %s and %v, want data", id, a.text, err)
		}
		if len(a.body.Errors) != errs || got.First.PlaintextKey == nil || got.Last.PlaintextKey == nil || (got.RevokeAPIKey == nil) != (errs == 1) {
			t.Fatalf("%s: got %s, want both keys and %d errors", id, a.text, errs)
		}
		if a := g.post(t, `{"query":"{__typename}"}`, map[string]string{"X-Service-Api-Key": *got.Last.PlaintextKey}); a.status != http.StatusOK {
			t.Errorf("%s: the last key: got status %d, want 200", id, a.status)
		}
	}
}

func TestKeyIsRotatedWithAnOverlapAsInREST(t *testing.T) {
	t.Parallel()
	g := serveOwn(t, nil)
	issue := func(arguments string) issuePayload {
		t.Helper()
		return data[struct{ IssueAPIKey issuePayload }](t, g.post(t, `{"query":"mutation { issueApiKey`+arguments+` { plaintextKey userErrors { code message argument } } }"}`, g.asUser())).IssueAPIKey
	}
	status := func(key *string) int {
		return g.post(t, `{"query":"{__typename}"}`, map[string]string{"X-Service-Api-Key": *key}).status
	}
	first := issue("").PlaintextKey
	second := issue("(overlapSeconds: 3600)").PlaintextKey
	if got := status(first); got != http.StatusOK {
		t.Errorf("old key within the overlap: got status %d, want 200", got)
	}
	for _, seconds := range []string{"-1", "86401"} {
		refused := issue("(overlapSeconds: " + seconds + ")")
		want := resolver.UserError{Code: string(domain.CodeInvalidRequest), Message: "overlapSeconds must be an integer from 0 to 86400, got " + seconds + ".", Argument: new("overlapSeconds")}
		if diff := cmp.Diff([]resolver.UserError{want}, refused.UserErrors); diff != "" || refused.PlaintextKey != nil {
			t.Errorf("%s: got another refusal (-want +got):\n%s", seconds, diff)
		}
	}
	third := issue("").PlaintextKey
	for name, c := range map[string]struct {
		key  *string
		want int
	}{"first": {first, http.StatusUnauthorized}, "second": {second, http.StatusUnauthorized}, "third": {third, http.StatusOK}} {
		if got := status(c.key); got != c.want {
			t.Errorf("%s key after a rotation without an overlap: got status %d, want %d", name, got, c.want)
		}
	}
}

func TestTooManyKeysOfADayAreAUserError(t *testing.T) {
	t.Parallel()
	g := serveOwn(t, nil)
	var all strings.Builder
	for i := range 20 { // those of a day
		all.WriteString(" k" + string(rune('a'+i)) + ": issueApiKey { plaintextKey }")
	}
	g.post(t, `{"query":"mutation {`+all.String()+` }"}`, g.asUser())
	got := data[struct{ IssueAPIKey issuePayload }](t, g.post(t, `{"query":"mutation { issueApiKey { plaintextKey userErrors { code message argument retryAfterSeconds } } }"}`, g.asUser())).IssueAPIKey
	if got.PlaintextKey != nil || len(got.UserErrors) != 1 {
		t.Fatalf("got %+v, want one error and no key", got)
	}
	if e := got.UserErrors[0]; e.Code != string(domain.CodeRateLimited) || e.RetryAfterSeconds == nil || e.Argument != nil {
		t.Errorf("got %+v, want %s with a delay", e, domain.CodeRateLimited)
	}
}

// execute runs a statement past the program.
func (g *servedGraph) execute(t *testing.T, statement string) {
	t.Helper()
	if _, err := g.db.Write().ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}
