package repo

// ClaimTokensStatement is exported for the test that looks at its plan.
const ClaimTokensStatement = claimUnread

// TransferListStatement is exported for the test that looks at plans.
var TransferListStatement = transferListStatement

// The statements of tokens are exported for the test that looks at plans.
const CountedTokensStatement = countedTokens
