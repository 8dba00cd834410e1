package repo_test

import (
	"context"

	"astrolabe/domain/indexing"
	"astrolabe/repo"
	"astrolabe/repo/repotest"
)

func init() {
	repo.OpenRanges = func(ctx context.Context, url string, blocks, ranges int) error {
		if err := repotest.Migrated(ctx, url); err != nil {
			return err
		}
		db, err := repo.Open(ctx, repo.Options{URL: url})
		if err != nil {
			return err
		}
		defer db.Close()
		index := repotest.NewIndex(ctx, db, 0, 1)
		for i := range ranges {
			index.Open(uint64(i*blocks), uint64((i+1)*blocks), indexing.RangeReady)
		}
		index.Release()
		return index.Err()
	}
}
