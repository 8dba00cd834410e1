package tokens

import (
	"time"

	"astrolabe/domain"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// CensusLock is exported for the test that holds it.
const CensusLock = censusLock

// Statements are exported for the tests of their plans.
var (
	TransferListStatement = transferListStatement
	PoolListsStatement    = poolListsStatement
)

// Statements with the chain and a page size of 25, for the same tests.
var (
	SummariesStatement = repo.Text(summarised, 1, 25_000)
	StandingsStatement = repo.Text(standings, 1)
	UntypedOfStatement = repo.Text(untypedOf, 1)
	UntypedInStatement = repo.Text(untypedIn, 1)
	HoldersStatement   = repo.Text(pageOfHolders, 1, 26)
)

// ClaimStatements returns the statements that claim tokens, by name.
func ClaimStatements(db *repo.DB, now time.Time) map[string]string {
	statements := map[string]string{}
	for _, d := range []due{metadataDue, supplyDue, censusDue} {
		statements[d.statement] = d.query(db, domain.Mainnet, 1000, now, now, 100).String()
	}
	return statements
}

// CensusStatements returns statements that build and delete censuses.
func CensusStatements(db *repo.DB, now time.Time) (count, forget, leftover string) {
	return db.Write().NewRaw(countHolders, 1, int64(9), int64(3), model.ID(1000077), int64(10), uint64(1900), starknet.Felt{}).String(),
		NewCensusBuilder(db).expiredGenerations(now, 100).String(),
		leftoverSnapshot(db.Write(), now).String()
}
