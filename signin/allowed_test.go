package signin_test

import (
	"net/http"
	"testing"

	"astrolabe/domain"
	"astrolabe/signin"
	"astrolabe/signin/idptest"
)

func TestOnlyAllowedPeopleSignIn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		domains, subjects []string
		email             any
		verified          any
		want              bool
	}{
		"nothing is restricted":       {nil, nil, nil, nil, true},
		"an allowed domain":           {[]string{"idp.example"}, nil, "ada@IDP.example", true, true},
		"an allowed subject":          {[]string{"other.example"}, []string{"ada"}, nil, nil, true},
		"another domain":              {[]string{"idp.example"}, nil, "ada@evil.example", true, false},
		"a domain below":              {[]string{"idp.example"}, nil, "ada@a.idp.example", true, false},
		"a domain that ends alike":    {[]string{"idp.example"}, nil, "ada@evilidp.example", true, false},
		"two at signs":                {[]string{"idp.example"}, nil, "ada@evil.example@idp.example", true, false},
		"no local part":               {[]string{"idp.example"}, nil, "@idp.example", true, false},
		"an unverified address":       {[]string{"idp.example"}, nil, "ada@idp.example", false, false},
		"verification that is text":   {[]string{"idp.example"}, nil, "ada@idp.example", "true", false},
		"verification that is absent": {[]string{"idp.example"}, nil, "ada@idp.example", nil, false},
		"no address":                  {[]string{"idp.example"}, nil, nil, true, false},
		"another subject":             {nil, []string{"bob"}, "ada@idp.example", true, false},
		"a subject that begins alike": {nil, []string{"adam"}, nil, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t, func(o *signin.Options) { o.AllowedDomains, o.AllowedSubjects = c.domains, c.subjects })
			s.idp.Forge(s.idp.Changed(func(claims idptest.Claims) {
				for claim, value := range map[string]any{"email": c.email, "email_verified": c.verified} {
					if claims[claim] = value; value == nil {
						delete(claims, claim)
					}
				}
			}))
			b := s.browser()
			got := b.opens("/auth/login")
			if c.want && (got.StatusCode != http.StatusOK || b.cookie() == "") {
				t.Errorf("got status %d with %s, want a session", got.StatusCode, got.body)
			}
			if !c.want {
				b.refuses(got, http.StatusForbidden, domain.CodeForbidden)
			}
		})
	}
}
