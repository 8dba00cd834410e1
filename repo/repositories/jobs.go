package repositories

import (
	"astrolabe/domain"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/repo"
	"astrolabe/repo/index"
	"astrolabe/repo/privacy"
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

// Inspector checks the read model, and after it the flow ledgers of privacy
// pools.
type Inspector struct {
	index   index.Inspector
	ledgers privacy.Ledgers
}

// NewInspector returns the inspector of jobs/fsck.
func NewInspector(db *repo.DB) Inspector {
	return Inspector{index.NewInspector(db), privacy.NewLedgers(db)}
}

// Checks implements fsck.Inspector.
func (i Inspector) Checks(c domain.Chain, from, to uint64) []indexing.Check {
	return append(i.index.Checks(c, from, to), i.ledgers.Check(c))
}
