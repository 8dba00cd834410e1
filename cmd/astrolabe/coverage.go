package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"astrolabe/cmd/astrolabe/listing"
	"astrolabe/domain"
	"astrolabe/domain/event"
	"astrolabe/repo/events"
	"astrolabe/starknet"
)

// coverageSettings declare the events of wide searches.
type coverageSettings struct {
	WideSelectors []wideSelector `help:"Events that wallet workspaces can search by key over any number of blocks: a name or selector, then key positions, for example Transfer:1,2. Each position takes about 140 bytes per event. Use \"none\" to disable." default:"Transfer:1,2;Approval:1,2;TransferSingle:2,3;TransferBatch:2,3;DepositHandled:1,2;WithdrawInitiated:1,2,3" sep:";" placeholder:"EVENT:POSITION,…;…"`
}

// declared returns the key positions of all selectors.
func (s coverageSettings) declared() (list []event.SelectorPosition) {
	for _, wide := range s.WideSelectors {
		list = append(list, wide.positions...)
	}
	return list
}

// wideSelector is a selector with key positions, written as NAME:1,2.
type wideSelector struct {
	text      string
	positions []event.SelectorPosition
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (w *wideSelector) UnmarshalText(text []byte) error {
	w.text = string(text)
	if w.text == "none" {
		return nil
	}
	name, list, _ := strings.Cut(w.text, ":")
	selector, err := eventSelector(name)
	if err != nil {
		return err
	}
	for _, text := range strings.Split(list, ",") {
		position, err := strconv.Atoi(text)
		if err != nil || position < 1 || position >= event.Positions {
			return fmt.Errorf("%q is not an event with key positions from 1 to %d, such as Transfer:1,2", w.text, event.Positions-1)
		}
		w.positions = append(w.positions, event.SelectorPosition{Selector: selector, Position: position})
	}
	return nil
}

// String returns the text.
func (w wideSelector) String() string { return w.text }

// eventSelector parses the name or the 0x-prefixed selector of an event.
func eventSelector(text string) (starknet.Felt, error) {
	if !strings.HasPrefix(text, "0x") && text != "" {
		return starknet.Selector(text), nil
	}
	selector, err := starknet.ParseFelt(text)
	if err != nil {
		return selector, fmt.Errorf("%q is neither the name nor the selector of an event", text)
	}
	return selector, nil
}

// coverageCommand lists and rebuilds the certificates of wide searches.
type coverageCommand struct {
	List    coverageList    `cmd:"" help:"List the certificates of wide event searches: one per event and key position."`
	Rebuild coverageRebuild `cmd:"" help:"Discard a certificate. The workers rebuild it if --wide-selectors still declares it."`
}

type coverageList struct {
	databaseSettings
	listing.Format
}

// Validate checks the settings before anything starts.
func (l coverageList) Validate() error { return l.check() }

// Run lists certificates.
func (l coverageList) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, l.databaseSettings, func(db *database) error {
		var rows []coverageRow
		for _, name := range domain.Chains {
			certificates, err := events.NewCertificates(db.DB).Certificates(ctx, name)
			if err != nil {
				return err
			}
			for _, cert := range certificates {
				row := coverageRow{Chain: name, Selector: cert.Selector, Position: cert.Position, Status: string(cert.Status), ThroughBlock: cert.Through, VerifiedAt: cert.VerifiedAt}
				if cert.Through != nil {
					row.FromBlock = &cert.From
				}
				rows = append(rows, row)
			}
		}
		return listing.Print(c.stdout, l.Format, rows)
	})
}

// coverageRow is a certificate in a list. The blocks are absent while it covers
// none.
type coverageRow struct {
	Chain        domain.Chain  `json:"chain"`
	Selector     starknet.Felt `json:"selector"`
	Position     int           `json:"position"`
	Status       string        `json:"status"`
	FromBlock    *uint64       `json:"fromBlock"`
	ThroughBlock *uint64       `json:"throughBlock"`
	VerifiedAt   *time.Time    `json:"verifiedAt"`
}

type coverageRebuild struct {
	databaseSettings
	Chain    domain.Chain `help:"Chain: SN_MAIN or SN_SEPOLIA." required:"" env:"-" placeholder:"CHAIN"`
	Selector string       `help:"Name or selector of the event." required:"" env:"-" placeholder:"EVENT"`
	Position int          `help:"Key position, 1 to 15." required:"" env:"-" placeholder:"N"`
}

// Validate checks the settings before anything starts.
func (r coverageRebuild) Validate() error { return r.check() }

// Run discards a certificate.
func (r coverageRebuild) Run(ctx context.Context, c *console) error {
	selector, err := eventSelector(r.Selector)
	if err != nil {
		return usageError{err}
	}
	return withSchema(ctx, c, r.databaseSettings, func(db *database) error {
		found, err := events.NewCertificates(db.DB).DiscardCertificate(ctx, r.Chain, event.SelectorPosition{Selector: selector, Position: r.Position})
		if err != nil {
			return err
		}
		if !found {
			return usageError{fmt.Errorf("%s has no certificate for position %d of %s; see astrolabe coverage list", r.Chain, r.Position, selector)}
		}
		fmt.Fprintf(c.stdout, "%s  %s  %d  discarded\n", r.Chain, selector, r.Position)
		return nil
	})
}
