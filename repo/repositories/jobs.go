package repositories

import (
	"astrolabe/repo"
	"astrolabe/repo/tokens"
)

// CensusStore is what the job needs that makes holder censuses: those there
// are, and the way to make more.
type CensusStore struct {
	tokens.Census
	tokens.CensusBuilder
}

// Census returns the store of jobs/census.
func Census(db *repo.DB) CensusStore {
	return CensusStore{tokens.NewCensus(db), tokens.NewCensusBuilder(db)}
}
