package repo

// ClaimTokensStatement is exported for the test that looks at its plan.
const ClaimTokensStatement = claimUnread

// TransferListStatement is exported for the test that looks at plans.
var TransferListStatement = transferListStatement

// CensusLock is exported for the test that holds it.
const CensusLock = censusLock

// CensusStatements are exported for the test that looks at their plans.
var CensusStatements = struct{ Standings, Holders, Claim, Count, Forget, Leftover string }{
	standings, pageOfHolders, claimCensuses, countHolders, forgetGenerations, leftoverSnapshot,
}
