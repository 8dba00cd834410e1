package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

// nested is the largest query of an explorer's front page.
const nested = `{blocks(chain:SN_MAIN first:50){nodes{hash:blockHash transactions(first:20){nodes{sender{address label} events(first:10){nodes{contract{address token{symbol}} decodedFields{label}}}}}}}}`

// parallel is the number of concurrent REST calls: a browser's connection limit
// per host.
const parallel = 6

// outcome counts the returned facts, and has the newest block.
type outcome struct {
	newest                                string
	blocks, transactions, events          int
	labelled, decoded, ofTokens, requests int
}

// facts returns the outcome without the number of requests.
func (o outcome) facts() outcome {
	o.requests = 0
	return o
}

// besideREST measures the nested query and the REST calls for the same facts,
// one client at a time.
func (b bench) besideREST(ctx context.Context) error {
	contenders := []struct {
		name string
		read func(context.Context) (outcome, error)
	}{{"REST", b.byREST}, {"GraphQL", b.byGraphQL}}
	times := make([][]float64, len(contenders))
	fmt.Println()
	for round := range b.rounds + 1 {
		outcomes := make([]outcome, len(contenders))
		for i, c := range contenders {
			started := time.Now()
			counts, err := c.read(ctx)
			if err != nil {
				return fmt.Errorf("the nested query by %s: %w", c.name, err)
			}
			took := float64(time.Since(started).Microseconds()) / 1000
			outcomes[i] = counts
			if round > 0 {
				times[i] = append(times[i], took)
				fmt.Printf("round %d  the nested query, %-8s %8.1f ms  %4d requests, %d blocks, %d transactions, %d events\n",
					round, c.name, took, counts.requests, counts.blocks, counts.transactions, counts.events)
			}
		}
		if outcomes[0].newest == outcomes[1].newest && outcomes[0].facts() != outcomes[1].facts() {
			return fmt.Errorf("the facts differ: %+v", outcomes)
		}
	}
	fmt.Println()
	fmt.Printf("nested query, GraphQL over REST (%d calls at once)  %.2f  (goal: at most 0.5)\n", parallel, median(times[1])/median(times[0]))
	return nil
}

// byGraphQL sends the nested query.
func (b bench) byGraphQL(ctx context.Context) (outcome, error) {
	type list[T any] struct{ Nodes []T }
	type event struct {
		Contract struct {
			Address string
			Token   *struct{ Symbol *string }
		}
		DecodedFields []struct{ Label string }
	}
	type transaction struct {
		Sender *struct{ Label *string }
		Events list[event]
	}
	var data struct {
		Blocks list[struct {
			Hash         string
			Transactions list[transaction]
		}]
	}
	if err := b.ours.ask(ctx, nested, &data); err != nil {
		return outcome{}, err
	}
	counts := outcome{requests: 1, newest: data.Blocks.Nodes[0].Hash, blocks: len(data.Blocks.Nodes)}
	for _, block := range data.Blocks.Nodes {
		counts.transactions += len(block.Transactions.Nodes)
		for _, transaction := range block.Transactions.Nodes {
			if transaction.Sender != nil && transaction.Sender.Label != nil {
				counts.labelled++
			}
			counts.events += len(transaction.Events.Nodes)
			for _, event := range transaction.Events.Nodes {
				counts.decoded += len(event.DecodedFields)
				if event.Contract.Token != nil && event.Contract.Token.Symbol != nil {
					counts.ofTokens++
				}
			}
		}
	}
	return counts, nil
}

// restBlock, restTransaction and restEvent are the decoded fields of REST's
// objects.
type restBlock struct{ BlockHash string }

type restTransaction struct {
	TxHash      string
	FromAddress *string
}

type restEvent struct {
	Address       string
	DecodedFields []struct{ Label string }
}

// byREST makes the calls that a careful client would: lists first, then each
// transaction once, each contract once, and the labels of all senders in
// batches.
func (b bench) byREST(ctx context.Context) (outcome, error) {
	var page struct{ Items []restBlock }
	if err := b.get(ctx, "/blocks?limit=50", &page); err != nil {
		return outcome{}, err
	}
	counts := outcome{requests: 1, newest: page.Items[0].BlockHash, blocks: len(page.Items)}

	lists, err := each(ctx, &counts, page.Items, func(ctx context.Context, block restBlock) ([]restTransaction, error) {
		var list struct{ Items []restTransaction }
		err := b.get(ctx, "/block/"+block.BlockHash+"/txs?limit=20", &list)
		return list.Items, err
	})
	if err != nil {
		return counts, err
	}
	transactions := slices.Concat(lists...)
	counts.transactions = len(transactions)

	logs, err := each(ctx, &counts, transactions, func(ctx context.Context, transaction restTransaction) ([]restEvent, error) {
		var whole struct{ Logs []restEvent }
		err := b.get(ctx, "/tx/"+transaction.TxHash+"?log_limit=10", &whole)
		return whole.Logs, err
	})
	if err != nil {
		return counts, err
	}
	events := slices.Concat(logs...)
	counts.events = len(events)
	for _, event := range events {
		counts.decoded += len(event.DecodedFields)
	}
	if err := b.addLabels(ctx, &counts, transactions); err != nil {
		return counts, err
	}
	return counts, b.addTokens(ctx, &counts, events)
}

// addLabels requests the labels of the senders.
func (b bench) addLabels(ctx context.Context, counts *outcome, transactions []restTransaction) error {
	var senders []string
	for _, transaction := range transactions {
		if transaction.FromAddress != nil {
			senders = append(senders, *transaction.FromAddress)
		}
	}
	type item struct {
		Address string
		Label   *string
	}
	items, err := each(ctx, counts, slices.Collect(slices.Chunk(distinct(senders), 128)), func(ctx context.Context, addresses []string) ([]item, error) {
		body, err := json.Marshal(map[string][]string{"addresses": addresses})
		if err != nil {
			return nil, err
		}
		var batch struct{ Items []item }
		err = exchange(ctx, http.MethodPost, b.rest+"/address/intelligence", b.ours.header(), body, &batch)
		return batch.Items, err
	})
	if err != nil {
		return err
	}
	labels := map[string]bool{}
	for _, item := range slices.Concat(items...) {
		labels[item.Address] = item.Label != nil
	}
	for _, sender := range senders {
		if labels[sender] {
			counts.labelled++
		}
	}
	return nil
}

// addTokens requests which contracts are tokens.
func (b bench) addTokens(ctx context.Context, counts *outcome, events []restEvent) error {
	var emitters []string
	for _, event := range events {
		emitters = append(emitters, event.Address)
	}
	contracts := distinct(emitters)
	isToken, err := each(ctx, counts, contracts, func(ctx context.Context, address string) (bool, error) {
		var token struct{ Symbol *string }
		err := b.get(ctx, "/token/"+address, &token)
		if errors.Is(err, errMissing) {
			return false, nil
		}
		return token.Symbol != nil, err
	})
	if err != nil {
		return err
	}
	tokens := map[string]bool{}
	for i, address := range contracts {
		tokens[address] = isToken[i]
	}
	for _, address := range emitters {
		if tokens[address] {
			counts.ofTokens++
		}
	}
	return nil
}

func distinct(texts []string) []string { return slices.Compact(slices.Sorted(slices.Values(texts))) }

func (b bench) get(ctx context.Context, path string, answer any) error {
	return exchange(ctx, http.MethodGet, b.rest+path, b.ours.header(), nil, answer)
}

// each makes a call for each item, some concurrently, and counts the calls.
func each[A, B any](ctx context.Context, counts *outcome, items []A, call func(context.Context, A) (B, error)) ([]B, error) {
	answers := make([]B, len(items))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for i, item := range items {
		group.Go(func() (err error) {
			answers[i], err = call(ctx, item)
			return err
		})
	}
	counts.requests += len(items)
	return answers, group.Wait()
}
