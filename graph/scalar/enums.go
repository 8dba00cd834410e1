package scalar

import (
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
)

// MarshalChainID writes a chain's name.
func MarshalChainID(c domain.Chain) graphql.Marshaler { return quoted(string(c)) }

// UnmarshalChainID reads a chain's exact name.
func UnmarshalChainID(v any) (domain.Chain, error) {
	text, _ := v.(string)
	return domain.ParseChain(text)
}

// upper writes a word of the domain in GraphQL's upper case.
func upper[T ~string](word T) graphql.Marshaler { return quoted(strings.ToUpper(string(word))) }

// lower reads what upper wrote, if it is one of the words.
func lower[T ~string](v any, words ...T) (T, error) {
	text, _ := v.(string)
	word := T(strings.ToLower(text))
	if !slices.Contains(words, word) || strings.ToUpper(text) != text {
		return "", domain.Errorf(domain.CodeInvalidRequest, "the value is not one of its enum")
	}
	return word, nil
}

// MarshalIndexState writes a state of an index.
func MarshalIndexState(s chain.IndexState) graphql.Marshaler { return upper(s) }

// UnmarshalIndexState reads a state of an index.
func UnmarshalIndexState(v any) (chain.IndexState, error) {
	return lower(v, chain.Following, chain.Backfilling, chain.Halted)
}

// MarshalPermission writes a permission.
func MarshalPermission(p account.Permission) graphql.Marshaler { return upper(p) }

// UnmarshalPermission reads a permission.
func UnmarshalPermission(v any) (account.Permission, error) { return lower(v, account.Permissions...) }

// MarshalCallerKind writes by what a caller was recognised.
func MarshalCallerKind(k account.Kind) graphql.Marshaler { return upper(k) }

// UnmarshalCallerKind reads by what a caller was recognised.
func UnmarshalCallerKind(v any) (account.Kind, error) {
	return lower(v, account.ByKey, account.BySession, account.ByFirstParty, account.ByInternal)
}

// MarshalPlan writes a plan.
func MarshalPlan(p account.Plan) graphql.Marshaler { return upper(p) }

// UnmarshalPlan reads a plan.
func UnmarshalPlan(v any) (account.Plan, error) { return lower(v, account.Plans...) }

// MarshalAPIKeyEnvironment writes what a key is for.
func MarshalAPIKeyEnvironment(e account.Environment) graphql.Marshaler { return upper(e) }

// UnmarshalAPIKeyEnvironment reads what a key is for.
func UnmarshalAPIKeyEnvironment(v any) (account.Environment, error) {
	return lower(v, account.Live, account.Test)
}

// MarshalAPIKeyStatus writes the state of a key.
func MarshalAPIKeyStatus(s account.Status) graphql.Marshaler { return upper(s) }

// UnmarshalAPIKeyStatus reads the state of a key.
func UnmarshalAPIKeyStatus(v any) (account.Status, error) {
	return lower(v, account.Active, account.Expired, account.Revoked)
}

// MarshalIssueAction writes what issuing a key did.
func MarshalIssueAction(action string) graphql.Marshaler { return upper(action) }

// UnmarshalIssueAction reads what issuing a key did.
func UnmarshalIssueAction(v any) (string, error) { return lower(v, "created", "rotated") }
