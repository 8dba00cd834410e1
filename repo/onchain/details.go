package onchain

import (
	"cmp"
	"context"
	"slices"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/event"
	"astrolabe/domain/facts"
	"astrolabe/domain/indexing"
	"astrolabe/domain/token"
	"astrolabe/domain/transaction"
	"astrolabe/repo"
	"astrolabe/repo/model"
	"astrolabe/starknet"
)

// Details reads the events, transfers and messages of a transaction and what
// decodes them.
type Details struct{ db *repo.DB }

var _ transaction.Store = Details{}

// NewDetails returns the repository of transaction details.
func NewDetails(db *repo.DB) Details { return Details{db} }

// The kinds of rows of transactionParts.
const (
	eventPart = iota + 1
	transferPart
	messagePart
	classPart
	functionPart
	eventNamePart
)

// transactionParts reads what belongs to the transaction at block $1 and index
// $2 in one statement, so that all of it is of one snapshot and takes one round
// trip: its first events, its transfers and messages by place; the classes of
// the contracts that emitted the events or are in $3, by the primary key of
// contract_classes (a contract gets at most three classes in a block, so four
// rows include the one before); the name of each function in $4, by
// function_schemas_selector; and the names of the events' selectors on which
// all classes agree, by event_schemas_selector. Each kind of row fills only its
// own columns.
const transactionParts = `/* transaction.parts */
	WITH emitted AS MATERIALIZED (
		SELECT log, address, selector, keys, payload FROM events WHERE chain = %[1]d AND block = $1 AND tx = $2 ORDER BY log LIMIT %[2]d
	), contracts AS MATERIALIZED (
		SELECT address AS id FROM emitted
		UNION
		SELECT a.id FROM unnest($3::bytea[]) AS asked (felt)
		CROSS JOIN LATERAL (SELECT id FROM addresses WHERE chain = %[1]d AND felt = asked.felt LIMIT 1) a
	)
	SELECT 1 AS part, log, NULL::smallint AS idx,
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = address) AS address,
		(SELECT felt FROM selectors WHERE chain = %[1]d AND id = selector) AS selector,
		keys, payload, NULL::smallint AS standard, NULL::bytea AS sender, NULL::bytea AS receiver,
		NULL::numeric AS amount, NULL::numeric AS token_id, NULL::text AS name, NULL::text AS symbol, NULL::smallint AS decimals,
		NULL::boolean AS to_l1, NULL::numeric AS nonce, NULL::bytea AS hash, NULL::bytea AS l1_address, NULL::integer AS block, NULL::smallint AS origin, NULL::bytea AS class
	FROM emitted
	UNION ALL
	SELECT 2, t.log, t.idx, (SELECT felt FROM addresses WHERE chain = %[1]d AND id = t.token), NULL, NULL, NULL, t.standard,
		(SELECT felt FROM addresses WHERE chain = %[1]d AND id = t.sender), (SELECT felt FROM addresses WHERE chain = %[1]d AND id = t.receiver),
		t.amount, t.token_id, m.name, m.symbol, m.decimals, NULL, NULL, NULL, NULL, NULL, NULL, NULL
	FROM (SELECT log, idx, standard, token, sender, receiver, amount, token_id FROM transfers WHERE chain = %[1]d AND block = $1 AND tx = $2) t
	LEFT JOIN LATERAL (SELECT name, symbol, decimals FROM tokens WHERE chain = %[1]d AND address = t.token LIMIT 1) m ON true
	UNION ALL
	SELECT 3, NULL, idx, (SELECT felt FROM addresses WHERE chain = %[1]d AND id = contract), (SELECT felt FROM selectors WHERE chain = %[1]d AND id = selector),
		NULL, payload, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, to_l1, nonce, hash, l1_address, NULL, NULL, NULL
	FROM messages WHERE chain = %[1]d AND block = $1 AND tx = $2
	UNION ALL
	SELECT 4, NULL, NULL, (SELECT felt FROM addresses WHERE chain = %[1]d AND id = contracts.id), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
		NULL, NULL, NULL, NULL, NULL, NULL, NULL, h.block, h.origin, (SELECT hash FROM classes WHERE chain = %[1]d AND id = h.class)
	FROM contracts
	CROSS JOIN LATERAL (
		SELECT block, origin, class FROM contract_classes WHERE chain = %[1]d AND address = contracts.id AND block <= $1
		ORDER BY block DESC, origin DESC LIMIT 4
	) h
	UNION ALL
	SELECT 5, NULL, NULL, NULL, asked.felt, NULL, NULL, NULL, NULL, NULL, NULL, NULL, f.name, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
	FROM unnest($4::bytea[]) AS asked (felt)
	CROSS JOIN LATERAL (SELECT id FROM selectors WHERE chain = %[1]d AND felt = asked.felt LIMIT 1) s
	CROSS JOIN LATERAL (SELECT name FROM function_schemas WHERE chain = %[1]d AND selector = s.id ORDER BY name LIMIT 1) f
	UNION ALL
	SELECT 6, NULL, NULL, NULL, (SELECT felt FROM selectors WHERE chain = %[1]d AND id = s.selector), NULL, NULL, NULL, NULL, NULL, NULL, NULL,
		first.name, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
	FROM (SELECT DISTINCT selector FROM emitted WHERE selector IS NOT NULL) s
	CROSS JOIN LATERAL (SELECT name FROM event_schemas WHERE chain = %[1]d AND selector = s.selector ORDER BY name LIMIT 1) first
	CROSS JOIN LATERAL (SELECT name FROM event_schemas WHERE chain = %[1]d AND selector = s.selector ORDER BY name DESC LIMIT 1) last
	WHERE first.name = last.name`

// partRow is a row of transactionParts. Columns that its kind does not have are
// nil.
type partRow struct {
	Part      int64              `bun:"part"`
	Log       *model.Index       `bun:"log"`
	Idx       *model.Index       `bun:"idx"`
	Address   *starknet.Felt     `bun:"address"` // the emitter of an event, the token of a transfer, or the contract of a message or class
	Selector  *starknet.Felt     `bun:"selector"`
	Keys      *model.Index       `bun:"keys"`
	Payload   *model.Felts       `bun:"payload"`
	Standard  *model.Standard    `bun:"standard"`
	Sender    *starknet.Felt     `bun:"sender"`
	Receiver  *starknet.Felt     `bun:"receiver"`
	Amount    *starknet.Uint256  `bun:"amount"`
	TokenID   *starknet.Uint256  `bun:"token_id"`
	Name      *string            `bun:"name"`
	Symbol    *string            `bun:"symbol"`
	Decimals  *model.Decimals    `bun:"decimals"`
	ToL1      *bool              `bun:"to_l1"`
	Nonce     *model.FeltNumber  `bun:"nonce"`
	Hash      *model.Hash        `bun:"hash"`
	L1Address *starknet.Felt     `bun:"l1_address"`
	Block     *model.BlockNumber `bun:"block"`
	Origin    *model.Origin      `bun:"origin"`
	Class     *starknet.Felt     `bun:"class"`
}

// PartsOf implements transaction.Store.
func (r Details) PartsOf(ctx context.Context, c domain.Chain, tx *chain.TxFacts, asked chain.CallLookups, logLimit int) (transaction.Parts, error) {
	block := func(*partRow) model.BlockNumber { return model.BlockNumber(tx.Block.Number) }
	rows, err := read(ctx, r.db, facts.TableTransactions, block, repo.Text(transactionParts, model.Code(c), repo.RowsFor(logLimit)),
		model.ClipBlock(tx.Block.Number), int16(tx.Index), model.Bytes(asked.Contracts), model.Bytes(asked.Selectors))
	if err != nil {
		return transaction.Parts{}, err
	}
	parts := transaction.Parts{
		Attribution: event.Attribution{Classes: make(map[starknet.Felt]facts.ClassHistory), Names: make(map[starknet.Felt]string)},
		Functions:   make(map[starknet.Felt]string),
	}
	for i := range rows {
		if rows[i].addTo(&parts, tx) {
			continue
		}
		damage := &indexing.DamageError{
			Table: partTables[rows[i].Part], Block: &tx.Block.Number, What: "a value is missing, or an id is in no dictionary",
		}
		// Events can be returned undecoded; calls cannot.
		if rows[i].Part != classPart || rows[i].Address == nil || slices.Contains(asked.Contracts, *rows[i].Address) {
			return transaction.Parts{}, damage
		}
		parts.Attribution.Damage = damage
	}
	sortParts(&parts)
	return parts, nil
}

// partTables maps each kind of row to its table.
var partTables = map[int64]facts.Table{
	eventPart: facts.TableEvents, transferPart: facts.TableTransfers, messagePart: facts.TableMessages,
	classPart: facts.TableChanges, functionPart: facts.TableClasses, eventNamePart: facts.TableClasses,
}

// sortParts sorts events, transfers and messages by position. The statement
// returns them unordered.
func sortParts(p *transaction.Parts) {
	slices.SortFunc(p.Events, func(a, b event.Row) int { return cmp.Compare(a.Log, b.Log) })
	slices.SortFunc(p.Transfers, func(a, b token.Transfer) int {
		return cmp.Or(cmp.Compare(a.Log, b.Log), cmp.Compare(a.Index, b.Index))
	})
	slices.SortFunc(p.Messages, func(a, b chain.Message) int { return -newestFirst(a, b) })
	for _, history := range p.Attribution.Classes {
		slices.SortFunc(history, oldestFirst)
	}
}

// addTo adds a row to the parts of a transaction. It returns false if the row
// lacks a value that every row of its kind has.
func (r *partRow) addTo(p *transaction.Parts, tx *chain.TxFacts) bool {
	switch r.Part {
	case eventPart:
		return r.addEvent(p, tx)
	case transferPart:
		return r.addTransfer(p, tx)
	case messagePart:
		return r.addMessage(p, tx)
	case classPart:
		if r.Address == nil || r.Block == nil || r.Origin == nil || r.Class == nil {
			return false
		}
		classes := p.Attribution.Classes
		classes[*r.Address] = append(classes[*r.Address],
			facts.ClassSince{Block: uint64(*r.Block), Origin: facts.Origin(*r.Origin), Class: *r.Class})
		return true
	case functionPart, eventNamePart:
		if r.Selector == nil || r.Name == nil {
			return false
		}
		names := p.Functions
		if r.Part == eventNamePart {
			names = p.Attribution.Names
		}
		names[*r.Selector] = *r.Name
		return true
	}
	return false
}

func (r *partRow) addEvent(p *transaction.Parts, tx *chain.TxFacts) bool {
	if r.Log == nil || r.Address == nil || r.Keys == nil || r.Payload == nil {
		return false
	}
	keys, data, ok := model.SplitPayload(r.Selector, *r.Keys, *r.Payload)
	p.Events = append(p.Events, event.Row{
		Block: tx.Block.Number, Timestamp: tx.Timestamp, Tx: tx.Index, Log: int(*r.Log), TxHash: tx.Hash, Address: *r.Address, Keys: keys, Data: data,
	})
	return ok
}

func (r *partRow) addTransfer(p *transaction.Parts, tx *chain.TxFacts) bool {
	if r.Log == nil || r.Idx == nil || r.Standard == nil || r.Address == nil || r.Sender == nil || r.Receiver == nil {
		return false
	}
	p.Transfers = append(p.Transfers, token.Transfer{
		Block: tx.Block.Number, Time: tx.Time(), Tx: tx.Index, TxHash: tx.Hash, Log: int(*r.Log), Index: int(*r.Idx),
		Standard: facts.Standard(*r.Standard), Token: *r.Address, From: *r.Sender, To: *r.Receiver, Amount: r.Amount, TokenID: r.TokenID,
		Metadata: token.Metadata{Name: r.Name, Symbol: r.Symbol, Decimals: (*uint8)(r.Decimals)},
	})
	return true
}

func (r *partRow) addMessage(p *transaction.Parts, tx *chain.TxFacts) bool {
	if r.Idx == nil || r.Address == nil || r.ToL1 == nil || r.Hash == nil || r.L1Address == nil || r.Payload == nil {
		return false
	}
	m := chain.Message{
		Block: tx.Block.Number, Time: tx.Time(), TxHash: tx.Hash, Reverted: tx.Reverted,
		Message: facts.Message{
			TxIndex: tx.Index, Index: int(*r.Idx), Hash: starknet.Hash256(*r.Hash), Selector: r.Selector, Nonce: r.Nonce.Felt(), Payload: *r.Payload,
			Direction: facts.L1ToL2, From: *r.L1Address, To: *r.Address,
		},
	}
	if *r.ToL1 {
		m.Direction, m.From, m.To = facts.L2ToL1, *r.Address, *r.L1Address
	}
	p.Messages = append(p.Messages, m)
	return true
}
