package signin

import (
	"slices"
	"strings"
)

// person is who an identity token is about.
type person struct {
	subject string
	email   string // empty where the provider does not say
	// verified reports that the provider has verified that the address is the
	// person's.
	verified bool
}

// refusal says why a person may not sign in, for the log; it is empty for those
// who may.
func (p *RelyingParty) refusal(who person) string {
	if len(p.AllowedDomains)+len(p.AllowedSubjects) == 0 || slices.Contains(p.AllowedSubjects, who.subject) {
		return ""
	}
	local, domain, ok := strings.Cut(who.email, "@")
	switch allowed := func(d string) bool { return strings.EqualFold(d, domain) }; {
	case len(p.AllowedDomains) == 0:
		return "the subject is not allowed"
	case !ok || local == "":
		return "the subject is not allowed, and the token has no e-mail address"
	case !who.verified:
		return "the e-mail address is not verified"
	case !slices.ContainsFunc(p.AllowedDomains, allowed):
		return "neither the subject nor the domain of the e-mail address is allowed"
	}
	return ""
}
