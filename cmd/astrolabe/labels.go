package main

import (
	"context"
	"errors"
	"time"

	"astrolabe/cmd/astrolabe/listing"
	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/repo/addresses"
	"astrolabe/starknet"
)

// labelsCommand manages labels.
type labelsCommand struct {
	Add    labelsAdd    `cmd:"" help:"Label an address or a class. Replaces an existing label."`
	List   labelsList   `cmd:"" help:"List the labels of this deployment."`
	Remove labelsRemove `cmd:"" help:"Remove a label of this deployment."`
}

// labelTarget is the address or the class that a label belongs to.
type labelTarget struct {
	Address starknet.Felt `arg:"" help:"Address, or class hash with --class."`
	Chain   domain.Chain  `help:"Chain: SN_MAIN or SN_SEPOLIA." default:"SN_MAIN" env:"-"`
	Class   bool          `help:"Label every address of a class. The argument is the class hash." env:"-"`
}

func (l labelTarget) subject() address.Subject {
	if l.Class {
		return address.OfClass
	}
	return address.OfAddress
}

type labelsAdd struct {
	databaseSettings
	labelTarget
	Label      string             `arg:"" help:"Text of the label."`
	Protocol   string             `help:"Protocol that the address belongs to." env:"-" placeholder:"NAME"`
	Kind       string             `help:"Kind of the protocol, for example bridge, dex, exchange or wallet." env:"-"`
	Confidence address.Confidence `help:"Confidence in the label: high, medium or low." enum:"high,medium,low" default:"high" env:"-"`
}

// Help returns the detailed help text.
func (labelsAdd) Help() string {
	return `The label takes effect immediately in every process. It overrides the labels that ship with the program. The label of an address overrides the label of its class.`
}

// Validate checks the settings before anything starts.
func (l labelsAdd) Validate() error {
	if l.Kind != "" && l.Protocol == "" {
		return errors.New("--kind requires --protocol")
	}
	return nil
}

// Run adds a label.
func (l labelsAdd) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, l.databaseSettings, func(db *database) error {
		note := address.Note{
			Chain: l.Chain, Subject: l.subject(), Felt: l.Address, By: currentOperator().String(),
			Label: address.Label{Text: l.Label, Confidence: l.Confidence},
		}
		if l.Protocol != "" {
			note.Label.Protocol = &address.Protocol{Name: l.Protocol, Kind: l.Kind}
		}
		if err := labels(db).Add(ctx, note); err != nil {
			return err
		}
		return printNotes(c, listing.Format{}, note)
	})
}

type labelsList struct {
	databaseSettings
	listing.Format
}

// Run lists labels.
func (l labelsList) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, l.databaseSettings, func(db *database) error {
		notes, err := labels(db).List(ctx)
		if err != nil {
			return err
		}
		return printNotes(c, l.Format, notes...)
	})
}

type labelsRemove struct {
	databaseSettings
	labelTarget
}

// Run removes a label.
func (l labelsRemove) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, l.databaseSettings, func(db *database) error {
		return notFoundAsUsage(labels(db).Remove(ctx, l.Chain, l.subject(), l.Address))
	})
}

func labels(db *database) *address.Labels {
	return address.NewLabels(addresses.NewLabels(db.DB), time.Now)
}

// labelRow is a label in a list.
type labelRow struct {
	Chain      domain.Chain  `json:"chain"`
	Subject    string        `json:"subject"`
	Address    starknet.Felt `json:"address"`
	Confidence string        `json:"confidence"`
	Protocol   string        `json:"protocol"`
	Kind       string        `json:"kind"`
	By         string        `json:"by"`
	Label      string        `json:"label"`
}

func printNotes(c *console, f listing.Format, notes ...address.Note) error {
	rows := make([]labelRow, len(notes))
	for i, n := range notes {
		rows[i] = labelRow{Chain: n.Chain, Subject: string(n.Subject), Address: n.Felt, Confidence: string(n.Label.Confidence), By: n.By, Label: n.Label.Text}
		if p := n.Label.Protocol; p != nil {
			rows[i].Protocol, rows[i].Kind = p.Name, p.Kind
		}
	}
	return listing.Print(c.stdout, f, rows)
}
