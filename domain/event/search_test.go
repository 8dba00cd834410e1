package event

import (
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/chain"
)

func TestASearchSaysWhatTheIndexLacks(t *testing.T) {
	t.Parallel()
	whole, later := &chain.Coverage{First: 0, Last: 50}, &chain.Coverage{First: 10, Last: 50}
	at := func(n uint64) *uint64 { return &n }
	for name, test := range map[string]struct {
		held     *chain.Coverage
		from, to *uint64
		want     domain.Coverage
	}{
		"everything":                   {whole, nil, nil, domain.Coverage{Status: domain.CoverageExact}},
		"within the history":           {later, at(10), at(50), domain.Coverage{Status: domain.CoverageExact}},
		"the newest of it":             {later, at(10), nil, domain.Coverage{Status: domain.CoverageExact}},
		"before it":                    {later, at(9), at(50), domain.Coverage{Status: domain.CoveragePartial, ReasonCode: domain.ReasonIndexStart}},
		"without a lower bound":        {later, nil, at(50), domain.Coverage{Status: domain.CoveragePartial, ReasonCode: domain.ReasonIndexStart}},
		"beyond it":                    {whole, at(1), at(51), domain.Coverage{Status: domain.CoveragePartial, ReasonCode: ReasonIndexEnd}},
		"when nothing is there to see": {nil, nil, nil, domain.Coverage{Status: domain.CoverageUnavailable, ReasonCode: ReasonIndexEmpty}},
	} {
		if got := coverageOf(test.held, Filter{From: test.from, To: test.to}); got != test.want {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
}
