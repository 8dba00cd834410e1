package repo

// ClaimTokensStatement is exported for the test that looks at its plan.
const ClaimTokensStatement = claimUnread
