package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"astrolabe/bench/load"
)

// noun is a resource that a path requests. The statement selects the parameters
// of the paths, each different.
type noun struct{ name, path, names string }

// samples is how many paths of a noun are requested in turns.
const samples = 500

var (
	// Hash order is random with respect to the chain. All of them are finalized.
	transactions = noun{"tx", "/v1/SN_MAIN/tx/0x%s",
		`SELECT encode(hash, 'hex') FROM transactions WHERE chain = 1 AND type = 1 AND block < (SELECT max(block) FROM blocks WHERE chain = 1) ORDER BY hash LIMIT $1`}
	blocks = noun{"block", "/v1/SN_MAIN/block/0x%s",
		`SELECT encode(hash, 'hex') FROM blocks WHERE chain = 1 AND tx_count > 0 AND block < (SELECT max(block) FROM blocks WHERE chain = 1) ORDER BY hash LIMIT $1`}
	// Pages are full: those of the contract with the most events, up to any
	// block of the newer half, and those of addresses with enough transactions.
	eventPages = noun{"events", "/v1/SN_MAIN/events?limit=25&address=0x%s", `
		SELECT encode(a.felt, 'hex') || '&to_block=' || b.block FROM addresses AS a, blocks AS b
		WHERE a.chain = 1 AND a.id = (SELECT address FROM events WHERE chain = 1 GROUP BY address ORDER BY count(*) DESC LIMIT 1)
		AND b.chain = 1 AND b.block > (SELECT max(block) FROM blocks WHERE chain = 1) / 2 ORDER BY b.hash LIMIT $1`}
	transferPages = noun{"transfers", "/v1/SN_MAIN/address/0x%s/transfers?limit=25", `
		SELECT encode(felt, 'hex') FROM addresses
		WHERE chain = 1 AND id IN (SELECT sender FROM transfers WHERE chain = 1 GROUP BY sender HAVING count(*) >= 25) ORDER BY felt LIMIT $1`}
)

// paths returns the paths of samples of the noun.
func (b *bench) paths(ctx context.Context, n noun) ([]string, error) {
	rows, err := b.db.Query(ctx, n.names, samples)
	if err != nil {
		return nil, err
	}
	paths, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		var name string
		err := row.Scan(&name)
		return fmt.Sprintf(n.path, name), err
	})
	if err == nil && len(paths) == 0 {
		err = errors.New("the chain has no rows of this kind")
	}
	return paths, err
}

// The contenders.
const (
	byPgbench = iota
	byPipeline
	byControl
	uncached
	cached
	contenders
)

var contenderNames = [contenders]string{"pgbench", "pgbench, pipelined", "bare chi and pgx", "service, uncached", "service, cached"}

// compare measures all contenders that read a noun, in turns.
func (b *bench) compare(ctx context.Context, n noun) error {
	paths, err := b.paths(ctx, n)
	if err != nil {
		return err
	}
	requests, err := b.capture(ctx, paths)
	if err != nil {
		return err
	}
	places, byPath := alike(requests), map[string][]trip{}
	chosen, kept := make([]string, len(places)), make([][]trip, len(places))
	for i, place := range places {
		chosen[i], kept[i] = paths[place], requests[place]
		byPath[chosen[i]] = kept[i]
	}
	bare, err := b.newPgbench(ctx, n.name, kept)
	if err != nil {
		return err
	}
	var rates [contenders][]float64
	err = b.withControl(ctx, byPath, func(control string) error {
		return b.withService(ctx, service{uncached: true}, func(reading string) error {
			return b.withService(ctx, service{}, func(remembering string) error {
				bases := [contenders]string{byControl: control, uncached: reading, cached: remembering}
				rates, err = b.takeTurns(ctx, bare, chosen, bases)
				return err
			})
		})
	})
	if err != nil {
		return err
	}
	fmt.Printf("%s by hash: %d of them, %s\n", n.name, len(chosen), effort(kept))
	printRates(rates)
	return nil
}

// takeTurns measures every contender in every round, so that load on the
// machine affects all of them.
func (b *bench) takeTurns(ctx context.Context, bare *pgbench, paths []string, bases [contenders]string) (rates [contenders][]float64, err error) {
	for range rounds {
		draw, err := bare.run(ctx, onlyDraw, lasts)
		if err != nil {
			return rates, err
		}
		for i, script := range []string{byPgbench: oneByOne, byPipeline: asService} {
			rate, err := bare.run(ctx, script, lasts)
			if err != nil {
				return rates, err
			}
			rates[i] = append(rates[i], without(draw, rate))
		}
		for i := byControl; i < contenders; i++ {
			result, err := load.Run(ctx, b.requests(bases[i], paths), clients, lasts)
			if err != nil {
				return rates, fmt.Errorf("%s: %w", contenderNames[i], err)
			}
			rates[i] = append(rates[i], result.Rate)
		}
	}
	return rates, nil
}

func printRates(rates [contenders][]float64) {
	var typical [contenders]float64
	for i, list := range rates {
		typical[i] = load.Median(list)
		line(contenderNames[i]+", requests/s", "%s", load.Rounds(list))
	}
	line("uncached over pgbench", "%.2f  (goal: at least 0.35)", typical[uncached]/typical[byPgbench])
	line("uncached over pgbench, pipelined", "%.2f", typical[uncached]/typical[byPipeline])
	line("uncached over bare chi and pgx", "%.2f  (goal: at least 0.80)", typical[uncached]/typical[byControl])
	line("cached over pgbench", "%.2f  (goal: at least 1.00)", typical[cached]/typical[byPgbench])
	fmt.Println()
}
