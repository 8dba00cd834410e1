package repo

import (
	"context"
	"fmt"
	"strings"

	"astrolabe/domain"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// newestTransfers is the order of every list of transfers.
const newestTransfers = "block DESC, tx DESC, log DESC, idx DESC"

// transferStream is the beginning of the transfers that satisfy %[2]s within
// the window of the arguments $2 to $6. It follows an index whose columns are
// those of the condition, then the place. The oldest block is compared as a
// part of a place: two bounds of one column look to the planner as if hardly
// any row were between them, and then it sorts instead of following an index.
const transferStream = `(
		SELECT ` + transferParts + ` FROM transfers
		WHERE chain = %[1]d AND %[2]s AND block <= $3
			AND (block, tx, log, idx) < ($3, $4::integer, $5::integer, $6::integer) AND (block, tx) >= ($2, 0)
		ORDER BY ` + newestTransfers + ` LIMIT %[3]d)`

// transferLists returns, for each parent of $1, the newest of what streams
// have. A stream speaks of the parent's id a.id. What several streams have
// is there once: the beginning of all of them together is in their beginnings.
const transferLists = `/* transfer.%[4]s */
	SELECT p.parent, ` + shownTransfer + `
	FROM unnest($1::bytea[]) WITH ORDINALITY AS p (felt, parent)
	CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = p.felt LIMIT 1) a
	CROSS JOIN LATERAL (
		SELECT DISTINCT ON (block, tx, log, idx) ` + transferParts + ` FROM (%[2]s) s
		ORDER BY ` + newestTransfers + ` LIMIT %[3]d
	) t
	` + transferToken + `
	ORDER BY p.parent, t.block DESC, t.tx DESC, t.log DESC, t.idx DESC`

// eachOf makes streams of every felt in $7, whose id is f.id. Their beginnings
// are sorted together: there are as many rows as felts, times a page.
const eachOf = `
	SELECT s.* FROM unnest($7::bytea[]) AS w (felt)
	CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = w.felt LIMIT 1) f
	CROSS JOIN LATERAL (%[2]s) s`

// TransfersOfTokens implements token.TransferStore. It follows transfers_token
// or, with parties, transfers_sender_token and transfers_receiver_token.
func (db *DB) TransfersOfTokens(ctx context.Context, c domain.Chain, tokens, parties []starknet.Felt, w token.Window, limit int) ([][]token.Transfer, error) {
	if len(parties) == 0 {
		return db.transferLists(ctx, c, "of_tokens", tokens, nil, w, limit, "token = a.id")
	}
	return db.transferLists(ctx, c, "of_tokens_and_parties", tokens, parties, w, limit,
		"sender = f.id AND token = a.id", "receiver = f.id AND token = a.id")
}

// TransfersOfAddresses implements token.TransferStore. It follows
// transfers_sender and transfers_receiver or, with tokens, the same indexes
// with the token in them.
func (db *DB) TransfersOfAddresses(ctx context.Context, c domain.Chain, addresses, tokens []starknet.Felt, d token.Direction, w token.Window, limit int) ([][]token.Transfer, error) {
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
	return db.transferLists(ctx, c, name, addresses, tokens, w, limit, streams...)
}

func (db *DB) transferLists(ctx context.Context, c domain.Chain, name string, parents, each []starknet.Felt, w token.Window, limit int, streams ...string) ([][]token.Transfer, error) {
	arguments := []any{feltBytes(parents), int64(w.Oldest), int64(w.Newest), w.Tx, w.Log, w.Index}
	if len(each) > 0 {
		arguments = append(arguments, feltBytes(each))
	}
	rows, err := collect(ctx, db, childTransfer, transferListStatement(c, name, len(each) > 0, limit, streams), arguments...)
	return ofParents(rows, len(parents)), err
}

func transferListStatement(c domain.Chain, name string, each bool, limit int, streams []string) string {
	code, rows := chainCode(c), rowsFor(limit)
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
