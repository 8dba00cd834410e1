package event

import (
	"context"
	"time"

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
	store    CertificateStore
	freshFor time.Duration

	turn  chan struct{} // held by whoever reads or looks at what was read
	known map[domain.Chain]knownCertificates
}

type knownCertificates struct {
	list   []Certificate
	readAt time.Time
}

func newCertificates(store CertificateStore, freshFor time.Duration) *certificates {
	return &certificates{store: store, freshFor: freshFor, turn: make(chan struct{}, 1), known: map[domain.Chain]knownCertificates{}}
}

// of returns the certificates of a chain. Callers that come while one reads
// wait for its answer, but no longer than their own time allows.
func (m *certificates) of(ctx context.Context, c domain.Chain) ([]Certificate, error) {
	select {
	case m.turn <- struct{}{}:
		defer func() { <-m.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	now := time.Now()
	if known, ok := m.known[c]; ok && now.Sub(known.readAt) < m.freshFor {
		return known.list, nil
	}
	list, err := m.store.Certificates(ctx, c)
	if err != nil {
		return nil, err
	}
	m.known[c] = knownCertificates{list, now}
	return list, nil
}

// Coverage returns the certificates of a chain that cover something, each
// with how it stands.
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
			covered = append(covered, SelectorCoverage{cert, cert.diagnose(horizon)})
		}
	}
	return covered, nil
}
