package repo

// ClaimTokensStatement is exported for the test that looks at its plan.
const ClaimTokensStatement = claimUnread

// TransferListStatement is exported for the test that looks at plans.
var TransferListStatement = transferListStatement
