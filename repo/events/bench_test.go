package events_test

import (
	"testing"

	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/repo/events"
	"astrolabe/repo/repotest"
	"astrolabe/starknet"
)

// benchSpan is the span of crowded that its certificate covers.
var benchSpan = event.Span{Before: event.Place{Block: 2900}}

// BenchmarkPage reads pages of 25 events, and the emitters of as many.
func BenchmarkPage(b *testing.B) {
	db := repotest.OpenTemplate(b, crowded)
	stored, certificates := events.NewEvents(db), events.NewCertificates(db)
	known, err := certificates.Certificates(b.Context(), domain.Mainnet)
	if err != nil || len(known) != 1 {
		b.Fatalf("got %v and %v, want one", known, err)
	}
	one := []starknet.Felt{starknet.FeltFromUint64(1)}
	key := starknet.FeltFromUint64(31)
	var emissions []event.Emission
	for n := range uint64(25) {
		emissions = append(emissions, event.Emission{Address: starknet.FeltFromUint64(n + 1), Selector: starknet.FeltFromUint64(n + 1), Block: 2000})
	}
	for name, read := range map[string]func() (rows int, err error){
		"address": func() (int, error) {
			rows, err := stored.SearchEvents(b.Context(), domain.Mainnet, event.Filter{Addresses: one}, benchSpan, 25)
			return len(rows), err
		},
		"selector": func() (int, error) {
			rows, err := stored.SearchEvents(b.Context(), domain.Mainnet, event.Filter{Topics: [event.Positions][]starknet.Felt{one}}, benchSpan, 25)
			return len(rows), err
		},
		"covered": func() (int, error) {
			rows, err := certificates.SearchCovered(b.Context(), domain.Mainnet, known[0], event.Filter{Topics: [event.Positions][]starknet.Felt{one, {key}}}, benchSpan, 25)
			return len(rows), err
		},
		"emitters": func() (int, error) {
			emitters, err := stored.Emitters(b.Context(), domain.Mainnet, emissions)
			return len(emitters), err
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if rows, err := read(); err != nil || rows < 5 {
					b.Fatalf("got %d rows and %v, want at least 5", rows, err)
				}
			}
		})
	}
}
