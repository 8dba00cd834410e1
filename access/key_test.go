package access

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/domain"
	"astrolabe/domain/account"
)

func TestRequestHasAtMostOneKey(t *testing.T) {
	t.Parallel()
	const service, browser = "X-Service-Api-Key", "X-Api-Key"
	for name, c := range map[string]struct {
		header http.Header
		key    string
		code   domain.Code
	}{
		"none":               {http.Header{}, "", ""},
		"the service header": {http.Header{service: {"a"}}, "a", ""},
		"the browser header": {http.Header{browser: {"a"}}, "a", ""},
		"both the same":      {http.Header{service: {"a"}, browser: {"a"}}, "a", ""},
		"both different":     {http.Header{service: {"a"}, browser: {"b"}}, "", domain.CodeConflictingKeyHeaders},
		"repeated":           {http.Header{service: {"a", "a"}}, "", domain.CodeMalformedKeyHeader},
		"empty":              {http.Header{service: {""}}, "", domain.CodeMalformedKeyHeader},
		"an empty second":    {http.Header{service: {"a"}, browser: {""}}, "", domain.CodeMalformedKeyHeader},
		"joined by a proxy":  {http.Header{service: {"a,a"}}, "", domain.CodeMalformedKeyHeader},
		"quoted":             {http.Header{browser: {`"a"`}}, "", domain.CodeMalformedKeyHeader},
		"with a space":       {http.Header{browser: {" a"}}, "", domain.CodeMalformedKeyHeader},
		"with a tab":         {http.Header{browser: {"a\t"}}, "", domain.CodeMalformedKeyHeader},
	} {
		key, err := Key(c.header)
		if key != c.key || (err == nil) != (c.code == "") || err != nil && domain.CodeOf(err) != c.code {
			t.Errorf("%s: got %q, %v, want %q with code %q", name, key, err, c.key, c.code)
		}
	}
}

func TestAuthorizationHeaderHasOneToken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		values []string
		token  string
		want   bool
	}{
		"none":          {nil, "", false},
		"a bearer":      {[]string{"Bearer a"}, "a", true},
		"in lower case": {[]string{"bearer a"}, "a", true},
		"basic":         {[]string{"Basic a"}, "a", false},
		"no token":      {[]string{"Bearer"}, "", true},
		"several":       {[]string{"Bearer a", "Bearer b"}, "", true}, // a credential that is never valid
	} {
		if token, got := bearer(http.Header{"Authorization": c.values}); got != c.want || token != c.token {
			t.Errorf("%s: got %q, %t, want %q, %t", name, token, got, c.token, c.want)
		}
	}
}

func TestChallengeNamesTheMissingScope(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err   error
		needs string
		want  string
	}{
		"no credential":        {domain.Errorf(domain.CodeUnauthorized, "no"), "explorer.read", `error="invalid_token"`},
		"no permission":        {domain.Errorf(domain.CodeForbidden, "no"), "explorer.read", `error="insufficient_scope", scope="explorer.read"`},
		"the session's cookie": {domain.Errorf(domain.CodeForbidden, "no"), "", `realm="service"`},
		"another failure":      {domain.Errorf(domain.CodeNotFound, "no"), "explorer.read", ""},
	} {
		header := http.Header{}
		Challenge(header, c.err, account.Permission(c.needs))
		if got := header.Get("WWW-Authenticate"); !strings.HasSuffix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: got %q, want it to end with %q", name, got, c.want)
		}
	}
}

func TestRateLimitHeadersAreSetOnlyForLimitedResponses(t *testing.T) {
	t.Parallel()
	header := http.Header{}
	Pace(header, account.Decision{Allowed: true})
	if len(header) != 0 {
		t.Errorf("without a budget: got %v, want no headers", header)
	}
	Pace(header, account.Decision{Limit: 240, Remaining: 7, Policy: "heavy;w=60"})
	want := http.Header{"X-Ratelimit-Limit": {"240"}, "X-Ratelimit-Remaining": {"7"}, "X-Ratelimit-Policy": {"heavy;w=60"}}
	if diff := cmp.Diff(want, header); diff != "" {
		t.Errorf("with a budget (-want +got):\n%s", diff)
	}
}
