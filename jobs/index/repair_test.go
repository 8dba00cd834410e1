package index_test

import (
	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/jobs/index"
	"astrolabe/jobs/repair"
	"astrolabe/repo"
	store "astrolabe/repo/index"
)

func init() {
	index.ProverOf = func(db *repo.DB, node index.Node) index.Prover {
		return &repair.Job{
			Chain: domain.Mainnet, Holder: "repair", Leases: store.NewLeases(db), Checkpoints: store.NewCheckpoints(db), Archive: store.NewArchive(db), Store: store.NewRepairer(db),
			Node: node, Verify: facts.FullyVerified, Report: func(string) {},
		}
	}
}
