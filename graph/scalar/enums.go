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

// upper writes a domain value as an enum value, which is upper case in GraphQL.
func upper[T ~string](value T) graphql.Marshaler { return quoted(strings.ToUpper(string(value))) }

// lower reads an enum value as one of the domain values.
func lower[T ~string](v any, values ...T) (T, error) {
	text, _ := v.(string)
	value := T(strings.ToLower(text))
	if !slices.Contains(values, value) || strings.ToUpper(text) != text {
		return "", domain.Errorf(domain.CodeInvalidRequest, "The value must be one of the values of its enum, in upper case.")
	}
	return value, nil
}

// MarshalIndexState writes the state of an indexer.
func MarshalIndexState(s chain.IndexState) graphql.Marshaler { return upper(s) }

// UnmarshalIndexState reads the state of an indexer.
func UnmarshalIndexState(v any) (chain.IndexState, error) {
	return lower(v, chain.Following, chain.Backfilling, chain.RateLimited, chain.Halted)
}

// MarshalPermission writes a permission.
func MarshalPermission(p account.Permission) graphql.Marshaler { return upper(p) }

// UnmarshalPermission reads a permission.
func UnmarshalPermission(v any) (account.Permission, error) { return lower(v, account.Permissions...) }

// MarshalCallerKind writes how a caller authenticated.
func MarshalCallerKind(k account.Kind) graphql.Marshaler { return upper(k) }

// UnmarshalCallerKind reads how a caller authenticated.
func UnmarshalCallerKind(v any) (account.Kind, error) {
	return lower(v, account.ByKey, account.BySession, account.ByFirstParty, account.ByInternal)
}

// MarshalPlan writes a plan.
func MarshalPlan(p account.Plan) graphql.Marshaler { return upper(p) }

// UnmarshalPlan reads a plan.
func UnmarshalPlan(v any) (account.Plan, error) { return lower(v, account.Plans...) }

// MarshalAPIKeyEnvironment writes the environment of an API key.
func MarshalAPIKeyEnvironment(e account.Environment) graphql.Marshaler { return upper(e) }

// UnmarshalAPIKeyEnvironment reads the environment of an API key.
func UnmarshalAPIKeyEnvironment(v any) (account.Environment, error) {
	return lower(v, account.Live, account.Test)
}

// MarshalAPIKeyStatus writes the state of an API key.
func MarshalAPIKeyStatus(s account.Status) graphql.Marshaler { return upper(s) }

// UnmarshalAPIKeyStatus reads the state of an API key.
func UnmarshalAPIKeyStatus(v any) (account.Status, error) {
	return lower(v, account.Active, account.Expired, account.Revoked)
}

// MarshalIssueAction writes the effect of issuing a key.
func MarshalIssueAction(action string) graphql.Marshaler { return upper(action) }

// UnmarshalIssueAction reads the effect of issuing a key.
func UnmarshalIssueAction(v any) (string, error) { return lower(v, "created", "rotated") }
