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

// censusSettings configure holder censuses.
type censusSettings struct {
	CensusRefresh   time.Duration `help:"Interval between two holder censuses of a token." default:"1h"`
	CensusRetention time.Duration `help:"How long a holder census and its cursors stay valid. At least twice the refresh interval." default:"6h"`
}

func (s censusSettings) check() error {
	if s.CensusRefresh < time.Second || s.CensusRetention < 2*s.CensusRefresh {
		return errors.New("--census-refresh must be at least 1s and --census-retention at least twice as long")
	}
	return nil
}

// censusCommand revokes and restores holder censuses.
type censusCommand struct {
	Revoke  censusRevoke  `cmd:"" help:"Revoke the holder census of a token and its cursors, and suspend new ones until it is restored."`
	Restore censusRestore `cmd:"" help:"Resume the holder census of a token."`
}

// censusTarget identifies a token.
type censusTarget struct {
	databaseSettings
	Chain domain.Chain `help:"Chain: SN_MAIN or SN_SEPOLIA." required:"" env:"-" placeholder:"CHAIN"`
	Token string       `help:"Contract address of the token." required:"" env:"-" placeholder:"ADDRESS"`
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
	Reason string `help:"Reason, recorded for other operators." required:"" env:"-" placeholder:"TEXT"`
}

// Validate checks the settings before anything starts.
func (r censusRevoke) Validate() error { return r.check() }

// Run revokes the generations that are being served.
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
		fmt.Fprintf(c.stdout, "%s  %s: revoked with its cursors (generations: %d)\n", r.Chain, address, revoked)
		return nil
	})
}

type censusRestore struct{ censusTarget }

// Validate checks the settings before anything starts.
func (r censusRestore) Validate() error { return r.check() }

// Run allows new censuses of the token.
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
			return usageError{fmt.Errorf("the holder census of %s on %s is not revoked", address, r.Chain)}
		}
		fmt.Fprintf(c.stdout, "%s  %s: restored\n", r.Chain, address)
		return nil
	})
}
