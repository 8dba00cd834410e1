package event

import (
	"context"
	"time"

	"astrolabe/cache"
	"astrolabe/domain"
	"astrolabe/starknet"
)

// CertificateStore keeps certificates and searches the events that they cover.
type CertificateStore interface {
	// Certificates returns the certificates of a chain.
	Certificates(ctx context.Context, c domain.Chain) ([]Certificate, error)
	// SearchCovered does the same as Store.SearchEvents for the events of one
	// certificate, by the filter's keys at its position.
	SearchCovered(ctx context.Context, c domain.Chain, cert Certificate, f Filter, span Span, limit int) ([]Row, error)
	// LastCovered does the same as Store.LastCandidate, by the keys at the
	// certificate's position alone.
	LastCovered(ctx context.Context, c domain.Chain, cert Certificate, keys []starknet.Felt, span Span, most int) (*Place, error)
	// CountCovered returns how many events of a span have one of the keys at
	// the certificate's position, and most if there are more. This and the two
	// before it return ErrCoverageLost when the certificate does not cover the
	// span any more.
	CountCovered(ctx context.Context, c domain.Chain, cert Certificate, keys []starknet.Felt, span Span, most int) (int, error)
}

// certificates remembers the certificates of chains for a moment.
type certificates struct {
	freshFor time.Duration
	known    *cache.Loading[domain.Chain, []Certificate]
}

// readTime bounds a read that several callers wait for.
const readTime = 5 * time.Second

func newCertificates(store CertificateStore, freshFor time.Duration) *certificates {
	load := func(ctx context.Context, c domain.Chain) ([]Certificate, error) {
		ctx, cancel := context.WithTimeout(ctx, readTime)
		defer cancel()
		return store.Certificates(ctx, c)
	}
	return &certificates{freshFor: freshFor, known: cache.NewLoading(len(domain.Chains), time.Now, load)}
}

// of returns the certificates of a chain. Callers that come while one reads
// wait for its answer, but no longer than their own time allows.
func (m *certificates) of(ctx context.Context, c domain.Chain) ([]Certificate, error) {
	return m.known.Get(ctx, c, m.freshFor)
}

// Coverage returns the certificates of a chain that cover at least one block,
// with their diagnostics. Times have the precision of domain.Milliseconds.
func (s *Events) Coverage(ctx context.Context, c domain.Chain) ([]SelectorCoverage, error) {
	horizon, err := s.statuses.Horizon(ctx, c)
	if err != nil || horizon.Coverage == nil {
		return nil, err
	}
	list, err := s.certificates.of(ctx, c)
	if err != nil {
		return nil, err
	}
	var covered []SelectorCoverage
	for _, cert := range list {
		if cert.Through != nil {
			cert.VerifiedAt = domain.MillisecondsOrNil(cert.VerifiedAt)
			covered = append(covered, SelectorCoverage{cert, cert.diagnose(horizon)})
		}
	}
	return covered, nil
}
