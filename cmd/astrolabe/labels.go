package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/address"
	"astrolabe/repo/addresses"
	"astrolabe/starknet"
)

// labelsCommand looks after what addresses and classes are called.
type labelsCommand struct {
	Add    labelsAdd    `cmd:"" help:"Give an address or a class a label, instead of the one that it has."`
	List   labelsList   `cmd:"" help:"List the labels that were added."`
	Remove labelsRemove `cmd:"" help:"Take a label away that was added."`
}

// labelled says what a label is of.
type labelled struct {
	Address starknet.Felt `arg:"" help:"The address, or the hash of the class."`
	Chain   domain.Chain  `help:"The chain." default:"SN_MAIN" env:"-"`
	Class   bool          `help:"Label all addresses of a class, by its hash." env:"-"`
}

func (l labelled) subject() address.Subject {
	if l.Class {
		return address.OfClass
	}
	return address.OfAddress
}

type labelsAdd struct {
	databaseSettings
	labelled
	Label      string             `arg:"" help:"What it is called."`
	Protocol   string             `help:"The protocol that it is a part of." env:"-" placeholder:"NAME"`
	Kind       string             `help:"What the protocol is, for example bridge, dex, exchange or wallet." env:"-"`
	Confidence address.Confidence `help:"How sure that is: high, medium or low." enum:"high,medium,low" default:"high" env:"-"`
}

// Help is the long help.
func (labelsAdd) Help() string {
	return `The label counts at once, in every process. It wins over the labels that come with the program; the label of an address wins over that of its class.`
}

// Validate checks the settings before anything is started.
func (l labelsAdd) Validate() error {
	if l.Kind != "" && l.Protocol == "" {
		return errors.New("--kind is the kind of a protocol: name it with --protocol")
	}
	return nil
}

// Run adds a label.
func (l labelsAdd) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, l.databaseSettings, func(db *database) error {
		note := address.Note{
			Chain: l.Chain, Subject: l.subject(), Felt: l.Address, By: operatorHere().String(),
			Label: address.Label{Text: l.Label, Confidence: l.Confidence},
		}
		if l.Protocol != "" {
			note.Label.Protocol = &address.Protocol{Name: l.Protocol, Kind: l.Kind}
		}
		if err := labels(db).Add(ctx, note); err != nil {
			return err
		}
		printNote(c, note)
		return nil
	})
}

type labelsList struct {
	databaseSettings
}

// Run lists labels.
func (l labelsList) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, l.databaseSettings, func(db *database) error {
		notes, err := labels(db).List(ctx)
		for _, note := range notes {
			printNote(c, note)
		}
		return err
	})
}

type labelsRemove struct {
	databaseSettings
	labelled
}

// Run removes a label.
func (l labelsRemove) Run(ctx context.Context, c *console) error {
	return withSchema(ctx, c, l.databaseSettings, func(db *database) error {
		return mistaken(labels(db).Remove(ctx, l.Chain, l.subject(), l.Address))
	})
}

func labels(db *database) *address.Labels {
	return address.NewLabels(addresses.NewLabels(db.DB), time.Now)
}

func printNote(c *console, n address.Note) {
	protocol := "-"
	if n.Label.Protocol != nil {
		protocol = n.Label.Protocol.Name + "/" + n.Label.Protocol.Kind
	}
	fmt.Fprintf(c.stdout, "%s  %s  %s  %s  %s  by %s  %s\n", n.Chain, n.Subject, n.Felt, n.Label.Confidence, protocol, n.By, n.Label.Text)
}
