package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"astrolabe/domain"
	"astrolabe/repo/tokens"
	"astrolabe/starknet"
)

// censusSettings say how holder censuses are made.
type censusSettings struct {
	CensusRefresh   time.Duration `help:"How often the holders of a token are counted again." default:"1h"`
	CensusRetention time.Duration `help:"For how long a holder census can be read, and its cursors are good." default:"6h"`
}

func (s censusSettings) check() error {
	if s.CensusRefresh < time.Second || s.CensusRetention < 2*s.CensusRefresh {
		return errors.New("--census-refresh must be at least 1s and --census-retention at least twice as long")
	}
	return nil
}

// censusCommand looks after holder censuses.
type censusCommand struct {
	Revoke  censusRevoke  `cmd:"" help:"Revoke the holder census of a token, with its cursors. No other is made until it is restored."`
	Restore censusRestore `cmd:"" help:"Let a token have a holder census again."`
}

// censusTarget names a token.
type censusTarget struct {
	databaseSettings
	Chain domain.Chain `help:"The chain, SN_MAIN or SN_SEPOLIA." required:"" env:"-" placeholder:"CHAIN"`
	Token string       `help:"The token's contract address." required:"" env:"-" placeholder:"ADDRESS"`
}

func (t censusTarget) address() (starknet.Felt, error) {
	address, err := starknet.ParseFelt(t.Token)
	if err != nil {
		return address, usageError{fmt.Errorf("--token must be a 0x-prefixed address: %w", err)}
	}
	return address, nil
}

type censusRevoke struct {
	censusTarget
	Reason string `help:"Why, for the operators who come after you." required:"" env:"-" placeholder:"TEXT"`
}

// Validate checks the settings before anything is started.
func (r censusRevoke) Validate() error { return r.check() }

// Run revokes what can be served.
func (r censusRevoke) Run(ctx context.Context, c *console) error {
	address, err := r.address()
	if err != nil {
		return err
	}
	return withSchema(ctx, c, r.databaseSettings, func(db *database) error {
		revoked, err := tokens.NewCensusBuilder(db.DB).HoldCensus(ctx, r.Chain, address, r.Reason)
		if err != nil {
			return err
		}
		if revoked == 0 {
			return usageError{fmt.Errorf("%s has no certified holder census of %s", r.Chain, address)}
		}
		fmt.Fprintf(c.stdout, "%s  %s: revoked, with the cursors of its generations (%d)\n", r.Chain, address, revoked)
		return nil
	})
}

type censusRestore struct{ censusTarget }

// Validate checks the settings before anything is started.
func (r censusRestore) Validate() error { return r.check() }

// Run lets the next census be made.
func (r censusRestore) Run(ctx context.Context, c *console) error {
	address, err := r.address()
	if err != nil {
		return err
	}
	return withSchema(ctx, c, r.databaseSettings, func(db *database) error {
		released, err := tokens.NewCensusBuilder(db.DB).ReleaseCensus(ctx, r.Chain, address)
		if err != nil {
			return err
		}
		if !released {
			return usageError{fmt.Errorf("nobody revoked the holder census of %s on %s", address, r.Chain)}
		}
		fmt.Fprintf(c.stdout, "%s  %s: its holders are counted again\n", r.Chain, address)
		return nil
	})
}
