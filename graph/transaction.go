package graph

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// Transaction is a transaction. A list of them knows only as much as a line
// shows; the rest is read for all of them when it is asked for.
type Transaction struct {
	part
	among[*Transaction]
	line  chain.TxLine
	place domain.BlockRef
	time  time.Time
	whole *chain.Transaction // nil while only the line is known
}

// transactionType is the type of a transaction's global id.
const transactionType = "Transaction"

// IsNode marks the transaction as a Node.
func (t *Transaction) IsNode() {}

// ID returns the transaction's global id.
func (t *Transaction) ID() string { return t.id(transactionType, t.line.Hash.String()) }

// TxHash returns the transaction's hash.
func (t *Transaction) TxHash() starknet.Felt { return t.line.Hash }

// BlockNumber returns the number of the block.
func (t *Transaction) BlockNumber() uint64 { return t.place.Number }

// BlockHash returns the hash of the block.
func (t *Transaction) BlockHash() starknet.Felt { return t.place.Hash }

// TimestampIso returns when the block was made.
func (t *Transaction) TimestampIso() time.Time { return t.time }

// TxIndex returns the index in the block.
func (t *Transaction) TxIndex() int { return t.line.Place.Tx }

// TxCursor returns the place as one text.
func (t *Transaction) TxCursor() string { return t.line.Place.Cursor() }

// TxType returns the transaction's type.
func (t *Transaction) TxType() Word { return Word(t.line.Type) }

// FromAddress returns the account that sent the transaction.
func (t *Transaction) FromAddress() *starknet.Felt { return t.line.Sender }

// ToAddress returns the contract that the transaction calls or deploys.
func (t *Transaction) ToAddress() *starknet.Felt { return t.line.Contract }

// ExecutionStatus tells whether the calls took effect.
func (t *Transaction) ExecutionStatus() Word { return Word(chain.Execution(t.line.Reverted)) }

// FinalityStatus returns what the network says of the block.
func (t *Transaction) FinalityStatus() Word { return Word(t.line.Finality) }

// SourceTier tells whether the transaction can still be undone.
func (t *Transaction) SourceTier() Word { return Word(t.line.Tier) }

// facts returns everything that the index keeps of the transaction itself.
func (t *Transaction) facts(ctx context.Context) (*chain.Transaction, error) {
	if t.whole != nil {
		return t.whole, nil
	}
	found, err := load(ctx, t.peers, edge{field: "Transaction.facts"}, t, func(ctx context.Context, txs []*Transaction) ([]*chain.Transaction, error) {
		return t.h.Transactions.ByHash(ctx, t.chain, convert(txs, (*Transaction).TxHash))
	})
	if err == nil && found == nil {
		err = chain.Replaced()
	}
	return found, err
}

// Version returns the version of the type.
func (t *Transaction) Version(ctx context.Context) (uint64, error) {
	facts, err := t.facts(ctx)
	if err != nil {
		return 0, err
	}
	return facts.Version, nil
}

// Nonce returns the nonce.
func (t *Transaction) Nonce(ctx context.Context) (*starknet.Felt, error) {
	facts, err := t.facts(ctx)
	if err != nil {
		return nil, err
	}
	return facts.Nonce, nil
}

// SignatureLen returns how many felts the signature has.
func (t *Transaction) SignatureLen(ctx context.Context) (int, error) {
	facts, err := t.facts(ctx)
	if err != nil {
		return 0, err
	}
	return facts.SignatureLength, nil
}

// Calldata returns the calldata.
func (t *Transaction) Calldata(ctx context.Context) ([]starknet.Felt, error) {
	facts, err := t.facts(ctx)
	if err != nil {
		return nil, err
	}
	return facts.Calldata, nil
}

// outline returns what the transaction is about.
func (t *Transaction) outline(ctx context.Context) (*chain.TxOutline, error) {
	found, err := load(ctx, t.peers, edge{field: "Transaction.outline"}, t, func(ctx context.Context, txs []*Transaction) ([]*chain.TxOutline, error) {
		return t.h.Transactions.Outlines(ctx, t.chain, convert(txs, (*Transaction).TxHash))
	})
	if err == nil && found == nil {
		err = chain.Replaced()
	}
	return found, err
}

// PrimaryMethod returns the name of the entry point that is called first.
func (t *Transaction) PrimaryMethod(ctx context.Context) (*string, error) {
	outline, err := t.outline(ctx)
	if err != nil {
		return nil, err
	}
	return textOrNil(outline.Method), nil
}

// CallCount returns how many calls the account was asked to make.
func (t *Transaction) CallCount(ctx context.Context) (*int, error) {
	outline, err := t.outline(ctx)
	if err != nil {
		return nil, err
	}
	return outline.Calls, nil
}

// TransferCount returns how many transfers there are.
func (t *Transaction) TransferCount(ctx context.Context) (int, error) {
	outline, err := t.outline(ctx)
	if err != nil {
		return 0, err
	}
	return outline.Transfers, nil
}

// LogCount returns how many events there are.
func (t *Transaction) LogCount(ctx context.Context) (int, error) {
	outline, err := t.outline(ctx)
	if err != nil {
		return 0, err
	}
	return outline.Events, nil
}

// Block returns the block.
func (t *Transaction) Block(ctx context.Context) (*Block, error) {
	return toOne(ctx, t.peers, t, "Transaction.block", present((*Transaction).BlockHash), t.blocksByHash)
}

// Sender returns the account that sent the transaction.
func (t *Transaction) Sender(ctx context.Context) (*Address, error) {
	return toOne(ctx, t.peers, t, "Transaction.sender", perhaps((*Transaction).FromAddress), t.addresses)
}

// To returns the contract that the transaction calls or deploys.
func (t *Transaction) To(ctx context.Context) (*Address, error) {
	return toOne(ctx, t.peers, t, "Transaction.to", perhaps((*Transaction).ToAddress), t.addresses)
}

// Events returns the transaction's events.
func (t *Transaction) Events(ctx context.Context, first *int, after *string) (*EventConnection, error) {
	page, l, err := toMany(ctx, t, first, after, t.eventsOfTransactions)
	if err != nil {
		return nil, err
	}
	return page.connection(l, counting(t.LogCount)), nil
}

// Transfers returns what the transaction moved.
func (t *Transaction) Transfers(ctx context.Context, first *int, after *string) (*TransferConnection, error) {
	return connect(ctx, t, first, after, t.transfersOfTransactions, counting(t.TransferCount))
}

// Messages returns the transaction's messages.
func (t *Transaction) Messages(ctx context.Context) ([]*Message, error) {
	return load(ctx, t.peers, edge{field: "Transaction.messages"}, t, t.messagesOfTransactions)
}

// newTransactions makes a cohort of transactions.
func (p part) newTransactions(found []*chain.Transaction) []*Transaction {
	txs := make([]*Transaction, len(found))
	for i, tx := range found {
		if tx != nil {
			txs[i] = &Transaction{
				part: p, place: tx.Block, time: tx.Time(), whole: tx,
				line: chain.TxLine{
					Place: tx.Place(), Hash: tx.Hash, Type: tx.Type, Sender: tx.Sender, Contract: tx.Contract, Reverted: tx.Reverted,
					Finality: tx.Finality, Tier: tx.Tier,
				},
			}
		}
	}
	return together(txs)
}

func (p part) transactionsByHash(ctx context.Context, hashes []starknet.Felt) ([]*Transaction, error) {
	found, err := p.h.Transactions.ByHash(ctx, p.chain, hashes)
	if err != nil {
		return nil, err
	}
	return p.newTransactions(found), nil
}

// transactionsOfBlocks reads a page of each block's transactions.
func (p part) transactionsOfBlocks(ctx context.Context, blocks []*Block, request domain.PageRequest) ([]slice[*Transaction], error) {
	refs := convert(blocks, func(b *Block) domain.BlockRef { return b.facts.Ref() })
	found, err := p.h.Transactions.OfBlocks(ctx, p.chain, refs, request)
	if err != nil {
		return nil, err
	}
	pages := make([]domain.Page[chain.TxLine], len(found))
	for i, page := range found {
		if page == nil {
			return nil, chain.Replaced()
		}
		pages[i] = *page
	}
	list := slicesOf(pages, nil, func(i int, line chain.TxLine) *Transaction {
		return &Transaction{part: p, line: line, place: refs[i], time: blocks[i].facts.Time()}
	})
	for i := range list {
		lines := pages[i].Items
		list[i].at = func(j int) domain.Position { return chain.LinePosition(refs[i], lines[j].Place.Tx) }
	}
	return list, nil
}

// places are where transactions stand.
func places(txs []*Transaction) []chain.TxPlace {
	return convert(txs, func(t *Transaction) chain.TxPlace { return t.line.Place })
}

// TransactionConnection is a page of transactions.
type TransactionConnection = Connection[*Transaction]

// TransactionEdge is a transaction in a list.
type TransactionEdge = Edge[*Transaction]

// Transaction returns a transaction by its hash.
func (r queryResolver) Transaction(ctx context.Context, id domain.Chain, hash starknet.Felt) (*Transaction, error) {
	p, err := r.h.of(id)
	if err != nil {
		return nil, err
	}
	found, err := p.transactionsByHash(ctx, []starknet.Felt{hash})
	if err != nil {
		return nil, err
	}
	if found[0] == nil {
		return nil, r.h.Details.Absent(ctx, id, hash)
	}
	return found[0], nil
}
