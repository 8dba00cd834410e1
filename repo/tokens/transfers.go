package tokens

import (
	"context"
	"fmt"
	"strings"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Transfers reads lists of transfers.
type Transfers struct{ db *repo.DB }

var (
	_ token.TransferStore = Transfers{}
	_ token.UntypedStore  = Transfers{}
)

// NewTransfers returns the repository of transfers.
func NewTransfers(db *repo.DB) Transfers { return Transfers{db} }

// transferRow is a row of transferColumns for one of several parents.
type transferRow struct {
	Parent    int64             `bun:"parent"`
	Block     model.BlockNumber `bun:"block"`
	Tx        model.Index       `bun:"tx"`
	Log       model.Index       `bun:"log"`
	Idx       model.Index       `bun:"idx"`
	Standard  model.Standard    `bun:"standard"`
	Amount    *starknet.Uint256 `bun:"amount"`
	TokenID   *starknet.Uint256 `bun:"token_id"`
	Token     starknet.Felt     `bun:"token"`
	Sender    starknet.Felt     `bun:"sender"`
	Receiver  starknet.Felt     `bun:"receiver"`
	Timestamp *int64            `bun:"timestamp"`
	TxHash    starknet.Felt     `bun:"tx_hash"`
	Name      *string           `bun:"name"`
	Symbol    *string           `bun:"symbol"`
	Decimals  *model.Decimals   `bun:"decimals"`
}

// transferColumns are the columns of a transfer t and of its token's metadata
// m. Each value of another table is looked up by key, so that no plan can read
// a whole dictionary for a page.
const transferColumns = `t.block, t.tx, t.log, t.idx, t.standard, t.amount, t.token_id,
	(SELECT felt FROM addresses WHERE chain = %[1]d AND id = t.token) AS token,
	(SELECT felt FROM addresses WHERE chain = %[1]d AND id = t.sender) AS sender,
	(SELECT felt FROM addresses WHERE chain = %[1]d AND id = t.receiver) AS receiver,
	(SELECT timestamp FROM blocks WHERE chain = %[1]d AND block = t.block) AS timestamp,
	(SELECT hash FROM transactions WHERE chain = %[1]d AND block = t.block AND tx = t.tx) AS tx_hash,
	m.name, m.symbol, m.decimals`

// transferToken is the metadata m of the token of a transfer t.
const transferToken = `LEFT JOIN LATERAL (
		SELECT name, symbol, decimals FROM tokens WHERE chain = %[1]d AND address = t.token LIMIT 1
	) m ON true`

// listedColumns are the columns of transfers that transferColumns needs.
const listedColumns = "block, tx, log, idx, standard, token, sender, receiver, amount, token_id"

// read converts the row and returns its parent.
func (r *transferRow) read() (parent int64, t token.Transfer, err error) {
	if r.Timestamp == nil {
		return 0, t, &indexing.DamageError{Table: facts.TableTransfers, Block: new(uint64(r.Block)), What: "its block is missing"}
	}
	return r.Parent, token.Transfer{
		Block: uint64(r.Block), Tx: int(r.Tx), Log: int(r.Log), Index: int(r.Idx), Standard: facts.Standard(r.Standard),
		Amount: r.Amount, TokenID: r.TokenID, Token: r.Token, From: r.Sender, To: r.Receiver,
		Time: time.Unix(*r.Timestamp, 0).UTC(), TxHash: r.TxHash,
		Metadata: token.Metadata{Name: r.Name, Symbol: r.Symbol, Decimals: (*uint8)(r.Decimals)},
	}, nil
}

// list runs a statement and returns the transfers of each parent.
func (r Transfers) list(ctx context.Context, parents int, statement string, arguments ...any) ([][]token.Transfer, error) {
	rows, err := repo.Select[transferRow](ctx, r.db.Read(), statement, arguments...)
	if err != nil {
		return nil, err
	}
	return repo.ByParent(rows, parents, (*transferRow).read)
}

// transfersOfTransactions uses transfers_…_place.
const transfersOfTransactions = `/* transfer.of_transactions */
	SELECT p.parent, ` + transferColumns + `
	FROM unnest($1::integer[], $2::smallint[]) WITH ORDINALITY AS p (block, tx, parent)
	CROSS JOIN LATERAL (
		SELECT ` + listedColumns + `
		FROM transfers WHERE chain = %[1]d AND block = p.block AND tx = p.tx AND (log, idx) > ($3, $4)
		ORDER BY log, idx %[2]s
	) t
	` + transferToken + `
	ORDER BY p.parent, t.log, t.idx`

// TransfersOfTransactions implements token.TransferStore.
func (r Transfers) TransfersOfTransactions(ctx context.Context, c domain.Chain, txs []chain.TxPlace, after token.WithinTx, limit int) ([][]token.Transfer, error) {
	blocks, indexes := make([]int32, len(txs)), make([]int16, len(txs))
	for i, tx := range txs {
		blocks[i], indexes[i] = int32(tx.Block), int16(tx.Tx)
	}
	bound := ""
	if limit > 0 {
		bound = fmt.Sprintf("LIMIT %d", repo.RowsFor(limit))
	}
	return r.list(ctx, len(txs), fmt.Sprintf(transfersOfTransactions, model.Code(c), bound), blocks, indexes, int16(after.Log), int16(after.Index))
}

// newestFirst is the order of the lists of tokens and addresses.
const newestFirst = "block DESC, tx DESC, log DESC, idx DESC"

// transferStream selects the first transfers that satisfy %[2]s within the
// window of the arguments $2 to $6. It uses an index on the columns of the
// condition, then the position. The oldest block is compared as part of a
// position: with two bounds on one column, the planner expects hardly any rows
// between them and sorts instead of reading in index order.
const transferStream = `(
		SELECT ` + listedColumns + ` FROM transfers
		WHERE chain = %[1]d AND %[2]s AND block <= $3
			AND (block, tx, log, idx) < ($3, $4::integer, $5::integer, $6::integer) AND (block, tx) >= ($2, 0)
		ORDER BY ` + newestFirst + ` LIMIT %[3]d)`

// transferLists returns, for each parent of $1, the newest transfers of its
// streams. A stream's condition refers to the parent as a.id. Duplicates between
// streams are removed.
const transferLists = `/* transfer.%[4]s */
	SELECT p.parent, ` + transferColumns + `
	FROM unnest($1::bytea[]) WITH ORDINALITY AS p (felt, parent)
	CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = p.felt LIMIT 1) a
	CROSS JOIN LATERAL (
		SELECT DISTINCT ON (block, tx, log, idx) ` + listedColumns + ` FROM (%[2]s) s
		ORDER BY ` + newestFirst + ` LIMIT %[3]d
	) t
	` + transferToken + `
	ORDER BY p.parent, t.block DESC, t.tx DESC, t.log DESC, t.idx DESC`

// eachOf creates streams for every felt in $7, whose id is f.id. Their first
// rows are sorted together: at most a page per felt.
const eachOf = `
	SELECT s.* FROM unnest($7::bytea[]) AS w (felt)
	CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = w.felt LIMIT 1) f
	CROSS JOIN LATERAL (%[2]s) s`

// TransfersOfTokens implements token.TransferStore. It uses transfers_…_token
// or, with parties, transfers_…_sender_token and transfers_…_receiver_token.
func (r Transfers) TransfersOfTokens(ctx context.Context, c domain.Chain, tokens, parties []starknet.Felt, w token.Window, limit int) ([][]token.Transfer, error) {
	if len(parties) == 0 {
		return r.newest(ctx, c, "of_tokens", tokens, nil, w, limit, "token = a.id")
	}
	return r.newest(ctx, c, "of_tokens_and_parties", tokens, parties, w, limit,
		"sender = f.id AND token = a.id", "receiver = f.id AND token = a.id")
}

// TransfersOfAddresses implements token.TransferStore. It uses
// transfers_…_sender and transfers_…_receiver or, with tokens,
// transfers_…_sender_token and transfers_…_receiver_token.
func (r Transfers) TransfersOfAddresses(ctx context.Context, c domain.Chain, addresses, tokens []starknet.Felt, d token.Direction, w token.Window, limit int) ([][]token.Transfer, error) {
	name, of := "of_addresses", ""
	if len(tokens) > 0 {
		name, of = "of_addresses_and_tokens", " AND token = f.id"
	}
	var streams []string
	if d != token.Incoming {
		streams = append(streams, "sender = a.id"+of)
	}
	if d != token.Outgoing {
		streams = append(streams, "receiver = a.id"+of)
	}
	return r.newest(ctx, c, name, addresses, tokens, w, limit, streams...)
}

// newest lists, for each parent, the newest transfers of its streams within a
// window. With felts in each, every felt has its own streams, whose conditions
// refer to it as f.id.
func (r Transfers) newest(ctx context.Context, c domain.Chain, name string, parents, each []starknet.Felt, w token.Window, limit int, streams ...string) ([][]token.Transfer, error) {
	arguments := []any{model.Bytes(parents), int64(w.Oldest), int64(w.Newest), w.Tx, w.Log, w.Index}
	if len(each) > 0 {
		arguments = append(arguments, model.Bytes(each))
	}
	return r.list(ctx, len(parents), transferListStatement(c, name, len(each) > 0, limit, streams), arguments...)
}

func transferListStatement(c domain.Chain, name string, each bool, limit int, streams []string) string {
	code, rows := model.Code(c), repo.RowsFor(limit)
	merged := make([]string, len(streams))
	for i, where := range streams {
		merged[i] = fmt.Sprintf(transferStream, code, where, rows)
	}
	beginnings := strings.Join(merged, " UNION ALL ")
	if each {
		beginnings = fmt.Sprintf(eachOf, code, beginnings)
	}
	return fmt.Sprintf(transferLists, code, beginnings, rows, name)
}
