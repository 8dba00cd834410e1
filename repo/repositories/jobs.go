package repositories

import (
	"astrolabe/domain/token"
	"astrolabe/repo"
	"astrolabe/repo/tokens"
)

// CensusStore is the store of the job that builds holder censuses: it reads
// existing censuses and builds new ones.
type CensusStore struct {
	tokens.Census
	tokens.CensusBuilder
	token.UntypedStore
}

// Census returns the store of jobs/census.
func Census(db *repo.DB) CensusStore {
	return CensusStore{tokens.NewCensus(db), tokens.NewCensusBuilder(db), tokens.NewTransfers(db)}
}
