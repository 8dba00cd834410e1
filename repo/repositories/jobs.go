package repositories

import (
	"astrolabe/repo"
	"astrolabe/repo/tokens"
)

// MetadataStore is what the job needs that asks tokens for their metadata:
// where the index stands, and the tokens.
type MetadataStore struct {
	*repo.DB
	tokens.Tokens
}

// Metadata returns the store of jobs/metadata.
func Metadata(db *repo.DB) MetadataStore { return MetadataStore{db, tokens.NewTokens(db)} }

// SupplyStore is what the job needs that asks tokens for their supply.
type SupplyStore struct {
	*repo.DB
	tokens.Supplies
}

// Supplies returns the store of the supplies of jobs/summaries.
func Supplies(db *repo.DB) SupplyStore { return SupplyStore{db, tokens.NewSupplies(db)} }

// CensusStore is what the job needs that makes holder censuses: the index and
// its histories of classes, and the censuses to read and to make.
type CensusStore struct {
	*repo.DB
	tokens.Census
	tokens.CensusBuilder
}

// Census returns the store of jobs/census.
func Census(db *repo.DB) CensusStore {
	return CensusStore{db, tokens.NewCensus(db), tokens.NewCensusBuilder(db)}
}
