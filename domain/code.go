package domain

import "strings"

// Code is the machine-readable code of an error, the same in REST, GraphQL and
// job records.
type Code string

// The codes. Each facade maps them to its own status in one table; a page
// under docs/errors explains each.
const (
	CodeInvalidRequest         Code = "invalid_request"
	CodeUnauthorized           Code = "unauthorized"
	CodeForbidden              Code = "forbidden"
	CodeNotFound               Code = "not_found"
	CodeUnsupportedRoute       Code = "unsupported_route"
	CodeUnsupportedChain       Code = "unsupported_chain"
	CodeMethodNotAllowed       Code = "method_not_allowed"
	CodePayloadTooLarge        Code = "payload_too_large"
	CodeUnsupportedMediaType   Code = "unsupported_media_type"
	CodeConflictingKeyHeaders  Code = "conflicting_api_key_headers"
	CodeMalformedKeyHeader     Code = "malformed_api_key_header"
	CodeContractCallFailed     Code = "contract_call_failed"
	CodeContractResultTooLarge Code = "contract_result_too_large"
	CodeUnqualifiedToken       Code = "unqualified_token_policy"
	CodeCensusNotCertified     Code = "census_not_certified"
	CodeUnsupportedToken       Code = "unsupported_token"
	CodeHistoryNotIndexed      Code = "history_not_indexed"
	CodeRateLimited            Code = "rate_limited"
	CodeServiceUnavailable     Code = "service_unavailable"
	CodeInternal               Code = "internal_error"

	CodeFullRangeSelectorNotSupported Code = "full_range_selector_not_supported"
	CodeCoverageUnavailable           Code = "event_key_index_coverage_unavailable"

	CodeLengthRequired         Code = "length_required"
	CodeIdempotencyKeyRequired Code = "idempotency_key_required"
	CodeInvalidIdempotencyKey  Code = "invalid_idempotency_key"
	CodeIdempotencyKeyReused   Code = "idempotency_key_reused"

	CodeInvalidVerificationPackage   Code = "invalid_verification_package"
	CodeUnsupportedPolicy            Code = "unsupported_policy"
	CodeUnsupportedVerificationChain Code = "unsupported_verification_chain"
	CodeDeclarationUnavailable       Code = "finalized_declaration_unavailable"
	CodeVerificationActiveJob        Code = "verification_active_job"
	CodeVerificationDailyQuota       Code = "verification_daily_quota"
	CodeVerificationQueueFull        Code = "verification_queue_full"
	CodeVerificationUnavailable      Code = "verification_unavailable"
	CodeVerificationUploadMismatch   Code = "verification_upload_mismatch"
	CodeVerificationSourceCommitted  Code = "verification_source_committed"
	CodeVerificationJobTerminal      Code = "verification_job_terminal"

	CodeProverDailyBudget    Code = "prover_daily_budget_exhausted"
	CodeProverKeyConcurrency Code = "prover_key_concurrency"
	CodeProverQueueFull      Code = "prover_queue_full"
	CodeProverUnavailable    Code = "prover_unavailable"
)

// Explained is a code with the texts of its documentation page.
type Explained struct {
	Code    Code
	Meaning string // one sentence: what happened
	Remedy  string // one sentence: what the caller can do
}

// Catalogue explains every code, in the order of the documentation.
var Catalogue = []Explained{
	{CodeInvalidRequest, "The request is invalid: a parameter, a body field or a cursor is unknown, malformed or out of range.",
		"Correct the input that the message names. An invalid cursor cannot be repaired: restart the list without one."},
	{CodeConflictingKeyHeaders, "Two API key headers were sent with different values.",
		"Send the key in one header, X-Service-Api-Key or, from a browser, X-Api-Key."},
	{CodeMalformedKeyHeader, "An API key header is empty, repeated, quoted or contains whitespace.",
		"Send the key once, exactly as it was issued."},
	{CodeUnauthorized, "The API key is missing, unknown, revoked or expired.",
		"Send a valid key in X-Service-Api-Key."},
	{CodeForbidden, "The API key is valid but lacks the permission that the operation requires.",
		"The scope attribute of WWW-Authenticate names the missing permission. Ask the operator for a key that has it."},
	{CodeNotFound, "The resource does not exist, or belongs to another workspace.",
		"Check the identifier and the chain. A very recent transaction may not be indexed yet; the message then begins with pending_indexing."},
	{CodeUnsupportedRoute, "The route is not part of the published contract.",
		"The OpenAPI document at /openapi.json lists every route."},
	{CodeUnsupportedChain, "The chain is valid, but this deployment does not serve it.",
		"GET /v1/meta/capabilities lists the chains of this deployment."},
	{CodeMethodNotAllowed, "The route does not support this HTTP method.",
		"The Allow header lists the supported methods."},
	{CodePayloadTooLarge, "The request body exceeds the size limit of the operation.",
		"Split the request. The message and the API reference state the limit."},
	{CodeUnsupportedMediaType, "The operation does not accept the content type of the request body.",
		"Send the Content-Type that the API reference names, without Content-Encoding."},
	{CodeContractCallFailed, "The contract call reverted with this calldata at this block. The message quotes the reason as far as the upstream node gave one.",
		"Do not retry the same call at the same block. Check the calldata against the contract's ABI."},
	{CodeContractResultTooLarge, "The contract call succeeded, but its result exceeds the size limit.",
		"Do not retry the same call. Call a view that returns less, or use the JSON-RPC method starknet_call of a node of your own."},
	{CodeUnqualifiedToken, "The token does not meet the criteria of the holder census, so its holders are unknown. This is not a holder count of zero.",
		"Do not retry. The message names the criterion that the token does not meet. Transfers and single balances are still available."},
	{CodeCensusNotCertified, "The token's newest holder census failed its audit, was revoked, or could not be audited, so there is nothing to compute from.",
		"Do not retry. The holder list of the token shows the status and the reason. Transfers and single balances are still available."},
	{CodeUnsupportedToken, "A complete snapshot was required, but a contract has no balance entry point that this service supports.",
		"The message names the contract. Use scope explicit without it, or mode verified_partial."},
	{CodeHistoryNotIndexed, "A complete snapshot was required, but the index does not hold the history that would prove it: it begins later, or has transfers that it cannot type.",
		"Do not retry. Name the tokens with scope explicit, or use mode verified_partial."},
	{CodeFullRangeSelectorNotSupported, "For event searches over wide block ranges, the operator has not declared the selector, or has declared none of the key positions of the search.",
		"Search at most 10,000 blocks at once, or use a selector and a key position that GET /v1/meta/capabilities lists under eventSearch.fullRange.selectorCoverage. Do not retry until the capabilities change."},
	{CodeRateLimited, "The caller exceeded the rate limit of this route class.",
		"Wait for the delay in Retry-After. X-Ratelimit-Remaining shows how much of the limit is left."},
	{CodeServiceUnavailable, "A dependency is temporarily unavailable, or the request exceeded its time limit.",
		"Retry after the delay in Retry-After, with backoff. After a timeout, request less data at once."},
	{CodeCoverageUnavailable, "The certificate of the selector is not ready, does not cover the requested block range, is stale, or was revoked during the search.",
		"GET /v1/meta/capabilities lists the covered blocks. Narrow the block range, or retry after the delay in Retry-After."},
	{CodeLengthRequired, "The upload has no Content-Length.",
		"Send the exact number of bytes in Content-Length, not a chunked body."},
	{CodeIdempotencyKeyRequired, "The header Idempotency-Key is missing.",
		"Send a new key for each new request, and the same key when you retry an identical request."},
	{CodeInvalidIdempotencyKey, "The idempotency key is malformed.",
		"Send the header once. The message states which characters the operation accepts, and how many."},
	{CodeIdempotencyKeyReused, "The workspace has used this idempotency key for a request with another body.",
		"Use a new key. Reuse a key only to retry an identical request."},
	{CodeInvalidVerificationPackage, "A field of the verification package is missing, unknown, malformed or out of range.",
		"Correct the field that the message names. A package has exactly 12 fields, and all are required."},
	{CodeUnsupportedPolicy, "The toolchain policy of the package is not the one that this service builds with.",
		"Use the toolchainPolicyId that the message names. No other compiler is used in its place."},
	{CodeUnsupportedVerificationChain, "Contracts of this chain cannot be verified.",
		"Only classes that are declared on SN_MAIN can be verified."},
	{CodeDeclarationUnavailable, "The declaration of the class is not in the index of this service.",
		"Check selectedClassHash. If the class was declared just now, retry when the block is indexed. A class that was declared before the first indexed block cannot be verified here."},
	{CodeVerificationActiveJob, "The workspace already has a verification job that has not ended.",
		"Wait until that job ends, or cancel it."},
	{CodeVerificationDailyQuota, "The workspace has reached its daily limit of verification jobs.",
		"Retry after the delay in Retry-After, which ends at midnight UTC. Refused requests do not count."},
	{CodeVerificationQueueFull, "Too many verification jobs are unfinished, across all workspaces.",
		"Retry after the delay in Retry-After, with backoff. The refused request does not count."},
	{CodeVerificationUnavailable, "No process of this deployment can build contracts now.",
		"The message and GET /v1/meta/capabilities say why. Retry after the delay in Retry-After."},
	{CodeVerificationUploadMismatch, "The uploaded bytes do not have the length or the SHA-256 digest that the package states.",
		"Upload the exact bytes that the package describes, before uploadExpiresAt. An archive that was compressed again has another digest: create a new job for it."},
	{CodeVerificationSourceCommitted, "The job already has its source, and the uploaded bytes differ from it.",
		"Nothing was changed. Create a new job for another archive."},
	{CodeVerificationJobTerminal, "The verification job has ended, so it accepts no source.",
		"Create a new job under a new idempotency key."},
	{CodeProverDailyBudget, "The API key has reached its daily limit of proof jobs.",
		"Retry after the delay in Retry-After, which ends at midnight UTC. Refused requests and replays do not count."},
	{CodeProverKeyConcurrency, "The API key has reached its limit of unfinished proof jobs.",
		"Poll those jobs until one is terminal, then retry. The refused request does not count."},
	{CodeProverQueueFull, "Too many proof jobs are waiting for the prover, across all workspaces.",
		"Retry after the delay in Retry-After, with backoff. The refused request does not count."},
	{CodeProverUnavailable, "The prover cannot be reached now, or this process is shutting down.",
		"Retry after the delay in Retry-After with the same idempotency key. The refused request does not count."},
	{CodeInternal, "The service failed unexpectedly.",
		"No partial change was made. Report the request ID to the operator, who can find the cause in the log."},
}

// DocSlug returns the path under /docs of the code's page.
func (c Code) DocSlug() string {
	return "errors/" + strings.ReplaceAll(string(c), "_", "-")
}
