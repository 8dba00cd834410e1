package oracle

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/address"
	"astrolabe/domain/event"
	"astrolabe/domain/token"
	"astrolabe/jobs/census"
	"astrolabe/jobs/markets"
	"astrolabe/jobs/materialise"
	"astrolabe/jobs/metadata"
	"astrolabe/jobs/summaries"
	"astrolabe/repo/accounts"
	"astrolabe/repo/addresses"
	"astrolabe/repo/events"
	"astrolabe/repo/index"
	"astrolabe/repo/repositories"
	"astrolabe/repo/tokens"
	"astrolabe/starknet"
)

// staff does once what operators and jobs do all the time, and tells the model:
// tokens are asked their names and supplies, transfers and holders counted,
// pools looked up, addresses labelled, classes verified and certificates for
// wide searches made.
func (w *world) staff() {
	w.Helper()
	logger := slog.New(slog.DiscardHandler)
	nodes := map[domain.Chain]token.Views{w.chain: w.pool.Source()}
	names := &metadata.Worker{Nodes: nodes, Index: index.NewCheckpoints(w.db), Store: tokens.NewTokens(w.db), Logger: logger}
	holders := &census.Worker{Nodes: nodes, Index: index.NewCheckpoints(w.db), Classes: index.NewArchive(w.db), Store: repositories.Census(w.db), Refresh: time.Hour, Retention: time.Hour, Logger: logger}
	pools := &markets.Worker{Store: tokens.NewPools(w.db)}
	sums := &summaries.Sums{Store: tokens.NewSummaries(w.db), Logger: logger}
	supplies := &summaries.Supplies{Nodes: nodes, Index: index.NewCheckpoints(w.db), Store: tokens.NewSupplies(w.db), Logger: logger}
	w.must(names.Run(w.Context(), time.Now()))
	w.must(holders.Run(w.Context(), time.Now()))
	w.must(pools.Run(w.Context(), time.Now()))
	w.must(sums.Run(w.Context(), time.Now()))
	w.must(supplies.Run(w.Context(), time.Now()))
	w.fold()
	w.model.AskTokens()
	w.model.Counted = true
	w.label()
	w.verify()
	w.certify()
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// execute changes the database behind the service's back. It returns how many
// rows that were.
func (w *world) execute(sql string, arguments ...any) int64 {
	w.Helper()
	conn, err := pgx.Connect(w.Context(), w.database)
	w.must(err)
	defer func() { _ = conn.Close(w.Context()) }()
	done, err := conn.Exec(w.Context(), sql, arguments...)
	w.must(err)
	return done.RowsAffected()
}

// label names an address that the registry calls something else, an account,
// and the class that most contracts have.
func (w *world) label() {
	w.Helper()
	classes := map[starknet.Felt]int{}
	for _, contract := range slices.SortedFunc(maps.Keys(w.model.changes), starknet.Felt.Cmp) {
		classes[w.model.current(contract).class]++
	}
	common := slices.MaxFunc(slices.SortedFunc(maps.Keys(classes), starknet.Felt.Cmp), func(a, b starknet.Felt) int { return classes[a] - classes[b] })
	sender := w.model.txs[slices.IndexFunc(w.model.txs, func(t *tx) bool { return t.from != nil })].from
	w.model.Notes = []Note{
		{Felt: w.model.Registry.Addresses[0].Address, Label: "Ours, not the registry's", Confidence: "low"},
		{Felt: *sender, Label: "Treasury", Confidence: "high", ProtocolName: "Acme", ProtocolKind: "dao"},
		{Felt: common, OfClass: true, Label: "Common account", Confidence: "medium", ProtocolName: "Acme"},
	}
	labels := address.NewLabels(addresses.NewLabels(w.db), time.Now)
	for _, n := range w.model.Notes {
		note := address.Note{
			Chain: w.chain, Subject: address.OfAddress, Felt: n.Felt, By: "test",
			Label: address.Label{Text: n.Label, Confidence: address.Confidence(n.Confidence)},
		}
		if n.OfClass {
			note.Subject = address.OfClass
		}
		if n.ProtocolName != "" {
			note.Label.Protocol = &address.Protocol{Name: n.ProtocolName, Kind: n.ProtocolKind}
		}
		w.must(labels.Add(w.Context(), note))
	}
}

// verify records that two of three classes were verified, half of these twice.
func (w *world) verify() {
	w.Helper()
	w.model.Verified = map[starknet.Felt]map[string]any{}
	issued := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i, class := range slices.SortedFunc(maps.Keys(w.model.Classes), starknet.Felt.Cmp) {
		for again := range i % 3 {
			id := i + 100*again + 1
			w.execute(`INSERT INTO verifications (chain, class, receipt_id, issued_at, key_id, receipt_digest)
				SELECT chain, $1, $2, $3, 'key-1', $4 FROM index_checkpoints`, class[:], id, issued, fmt.Sprintf("sha256:%064d", id))
			w.model.Verified[class] = map[string]any{"receiptId": id, "issuedAt": issued, "keyId": "key-1", "receiptDigest": fmt.Sprintf("sha256:%064d", id)}
		}
	}
}

// certify has certificates made. One of them loses a row, which a recount
// notices.
func (w *world) certify() {
	w.Helper()
	w.model.Certificates = []Certificate{
		{Selector: starknet.Selector("Transfer"), Position: 1}, {Selector: starknet.Selector("Transfer"), Position: 2},
		{Selector: starknet.Selector("TransferSingle"), Position: 2}, {Selector: starknet.Selector("Approval"), Position: 1, Failed: true},
	}
	var declared []event.SelectorPosition
	for _, c := range w.model.Certificates {
		declared = append(declared, event.SelectorPosition{Selector: c.Selector, Position: c.Position})
	}
	chains, logger, certificates := []domain.Chain{w.chain}, slog.New(slog.DiscardHandler), events.NewCertificates(w.db)
	extend := &materialise.Extend{Chains: chains, Declared: declared, Store: certificates, Logger: logger}
	w.must(extend.Run(w.Context(), time.Now()))
	w.must(extend.Run(w.Context(), time.Now())) // now they are counted
	made, err := certificates.Certificates(w.Context(), w.chain)
	w.must(err)
	for _, c := range made {
		if slices.Contains(w.model.Certificates, Certificate{c.Selector, c.Position, true}) {
			rows := fmt.Sprintf("event_positions_%d", c.ID)
			if got := w.execute("DELETE FROM " + rows + " WHERE ctid = (SELECT min(ctid) FROM " + rows + ")"); got != 1 {
				w.Fatalf("got %d deleted rows of %s, want 1", got, rows)
			}
		}
	}
	recount := &materialise.Verify{Chains: chains, Store: certificates, Logger: logger}
	w.must(recount.Run(w.Context(), time.Now()))
}

// requireCoverage requires that the capabilities tell how the certificates
// stand.
func (w *world) requireCoverage() {
	w.Helper()
	_, capabilities := w.get(Request{Path: "/v1/meta/capabilities"}, "")
	got := capabilities["eventSearch"].(object)["fullRange"].(object)["selectorCoverage"]
	forget(got, unmodelled["getCapabilities"])
	text, err := json.Marshal(w.model.selectorCoverage())
	w.must(err)
	if diff := differences("selectorCoverage", plain(w.T, text), got); len(diff) > 0 {
		w.Errorf("the coverage of the capabilities differs from what the model wants:\n%s", strings.Join(diff, "\n"))
	}
}

// newWallet makes a wallet workspace and returns a key of it.
func (w *world) newWallet() string {
	w.Helper()
	by := account.Operator("test")
	workspaces := account.NewWorkspaces(accounts.NewWorkspaces(w.db), time.Now)
	workspace, err := workspaces.Ensure(w.Context(), "wallet", by)
	w.must(err)
	_, err = workspaces.SetPlan(w.Context(), workspace.ID, account.Wallet, by)
	w.must(err)
	wallet := *w.access
	wallet.Workspace = workspace
	return wallet.Issue(account.IssueRequest{Permissions: account.Grantable, Budgets: account.Budgets{
		account.Light: 1_000_000, account.Heavy: 1_000_000, account.Bulk: 1_000_000,
	}})
}
