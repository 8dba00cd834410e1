package onchain

import (
	"context"
	"errors"
	"testing"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/facts"
	"astrolabe/repo/model"
	"astrolabe/repo/repotest"
)

// TestARequestWhoseTimeEndsAmongItsRowsIsNotDamage cancels reads at many
// moments. Rows that were not read must not be asked for their block.
func TestARequestWhoseTimeEndsAmongItsRowsIsNotDamage(t *testing.T) {
	t.Parallel()
	db := repotest.Open(t)
	type row struct {
		N int64 `bun:"n"`
	}
	ended := 0
	for after := range 60 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(after)*500*time.Microsecond)
		_, err := read(ctx, db, facts.TableTransactions, func(r *row) model.BlockNumber {
			t.Errorf("got row %d, want none", r.N)
			return 0
		}, "/* test.many */ SELECT n::bigint AS n FROM generate_series(1, 20000) n")
		cancel()
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			ended++
		case err != nil && domain.CodeOf(err) != domain.CodeServiceUnavailable: // Postgres may apply the cancellation of the read before
			t.Fatal(err)
		}
	}
	if ended == 0 {
		t.Error("got no read that ended early, want some")
	}
}
