package domain

import "strings"

// Code is the machine-readable name of a failure, the same in REST, GraphQL
// and job records.
type Code string

// The codes. Each facade maps them to its own status in one table; a page
// under docs/errors explains each.
const (
	CodeInvalidRequest        Code = "invalid_request"
	CodeUnauthorized          Code = "unauthorized"
	CodeForbidden             Code = "forbidden"
	CodeNotFound              Code = "not_found"
	CodeUnsupportedRoute      Code = "unsupported_route"
	CodeUnsupportedChain      Code = "unsupported_chain"
	CodeMethodNotAllowed      Code = "method_not_allowed"
	CodePayloadTooLarge       Code = "payload_too_large"
	CodeUnsupportedMediaType  Code = "unsupported_media_type"
	CodeConflictingKeyHeaders Code = "conflicting_api_key_headers"
	CodeMalformedKeyHeader    Code = "malformed_api_key_header"
	CodeContractCallFailed    Code = "contract_call_failed"
	CodeUnqualifiedToken      Code = "unqualified_token_policy"
	CodeUnsupportedSelector   Code = "unsupported_selector"
	CodeRateLimited           Code = "rate_limited"
	CodeServiceUnavailable    Code = "service_unavailable"
	CodeInternal              Code = "internal_error"

	CodeFullRangeSelectorNotSupported Code = "full_range_selector_not_supported"
	CodeCoverageUnavailable           Code = "event_key_index_coverage_unavailable"
)

// Explained is a code with what a reader of its page needs.
type Explained struct {
	Code    Code
	Meaning string // one sentence: what happened
	Remedy  string // one sentence: what the caller can do
}

// Catalogue explains every code, in the order of the documentation.
var Catalogue = []Explained{
	{CodeInvalidRequest, "The request is malformed: a parameter, a body key or a cursor is not acceptable.",
		"Correct what the message names. A cursor that is refused cannot be repaired: start the list again without one."},
	{CodeConflictingKeyHeaders, "Two API key headers were sent with different values.",
		"Send the key in one header, X-Service-Api-Key or, from a browser, X-Api-Key."},
	{CodeMalformedKeyHeader, "An API key header is empty, repeated, quoted or contains white space.",
		"Send the key's text once, exactly as it was issued."},
	{CodeUnauthorized, "The API key is missing or not recognised.",
		"Send a valid key in X-Service-Api-Key. Keys that were revoked or have expired are not recognised either."},
	{CodeForbidden, "The key is valid but lacks the permission that the operation needs.",
		"The scope attribute of WWW-Authenticate names the missing permission; ask the operator for a key that has it."},
	{CodeNotFound, "The resource does not exist, or not for this caller.",
		"Check the identifier and the chain. A very recent transaction may not be indexed yet; the message then says so."},
	{CodeUnsupportedRoute, "The route is not part of the published contract.",
		"The OpenAPI document lists every route."},
	{CodeUnsupportedChain, "The chain exists but is not served here.",
		"The capabilities list the chains that this deployment serves."},
	{CodeMethodNotAllowed, "The route exists but does not take this method.",
		"The Allow header lists the methods that it takes."},
	{CodePayloadTooLarge, "The body is larger than the operation accepts.",
		"Send less at once; the reference states each limit."},
	{CodeUnsupportedMediaType, "The body's content type is not one that the operation reads.",
		"Send the Content-Type that the reference names, without Content-Encoding."},
	{CodeContractCallFailed, "The contract has the entry point, but failed in it with this calldata at this block, or returned more than is passed on.",
		"Do not retry the same call at the same block. Check the calldata against the contract's ABI."},
	{CodeUnqualifiedToken, "The token does not meet the criteria of the holder census, so nothing is known of its holders as a whole. That is not a count of zero.",
		"Do not retry: the message names the criterion and what it requires. Transfers and single balances are served all the same."},
	{CodeUnsupportedSelector, "The selector is not among those that the operator declared for searches over wide block ranges.",
		"Search at most 10,000 blocks at once, or choose a selector that the capabilities list under eventSearch.fullRange.selectorCoverage."},
	{CodeFullRangeSelectorNotSupported, "No key position that the search populates is ready for a wide block range.",
		"Search at most 10,000 blocks at once, or populate a position whose coverage the capabilities list as ready. The same request can succeed only when they change."},
	{CodeRateLimited, "The budget of this route class is used up.",
		"Wait for as long as Retry-After says. X-Ratelimit-Remaining tells beforehand how much is left."},
	{CodeServiceUnavailable, "A part of the service is temporarily unavailable, or the time budget of the request ran out.",
		"Send the same request again after the delay in Retry-After; do not spin. A smaller request may fit the budget."},
	{CodeCoverageUnavailable, "The coverage of the selector does not reach the requested lower bound, is behind the chain, or has just been withdrawn.",
		"The capabilities tell which blocks are covered. Raise from_block, lower to_block, or try again after the delay in Retry-After."},
	{CodeInternal, "The service failed in a way that it did not foresee.",
		"Nothing was changed half-way. Report the request id: it finds the cause in the operator's log."},
}

// DocSlug returns the path under /docs of the code's page.
func (c Code) DocSlug() string {
	return "errors/" + strings.ReplaceAll(string(c), "_", "-")
}
