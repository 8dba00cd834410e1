package resolver

import (
	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/graph/cohort"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
	"context"
	"slices"
	"time"
)

// Transaction is a transaction. A list of them knows only as much as a line
// shows; the rest is loaded for all of them when it is asked for.
type Transaction struct {
	onChain
	membership[*Transaction]
	line  chain.TxLine
	place domain.BlockRef
	time  time.Time
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
func (t *Transaction) TxType() scalar.Enum { return scalar.Enum(t.line.Type) }

// FromAddress returns the account that sent the transaction.
func (t *Transaction) FromAddress() *starknet.Felt { return t.line.Sender }

// ToAddress returns the contract that the transaction calls or deploys.
func (t *Transaction) ToAddress() *starknet.Felt { return t.line.Contract }

// ExecutionStatus tells whether the calls took effect.
func (t *Transaction) ExecutionStatus() scalar.Enum {
	return scalar.Enum(chain.Execution(t.line.Reverted))
}

// FinalityStatus returns what the network says of the block.
func (t *Transaction) FinalityStatus() scalar.Enum { return scalar.Enum(t.line.Finality) }

// SourceTier tells whether the transaction can still be undone.
func (t *Transaction) SourceTier() scalar.Enum { return scalar.Enum(t.line.Tier) }

// facts returns everything that the index keeps of the transaction itself.
func (t *Transaction) facts(ctx context.Context) (*chain.Transaction, error) {
	return transactionFacts(loadFacts(ctx, t, (*Transaction).TxHash, t.transactionsByHash().Fact), t.TxHash())
}

func transactionFacts(b *cohort.Batch[starknet.Felt, *chain.Transaction], hash starknet.Felt) (*chain.Transaction, error) {
	found, err := b.Get(hash)
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
	found, err := loadFact(ctx, t, (*Transaction).TxHash, factOf(t.onChain, "outline of a transaction", t.resolver.Transactions.Outlines))
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
	return toOne(ctx, t, "Transaction.block", requiredKey((*Transaction).BlockHash), t.blocksByHash())
}

// Sender returns the account that sent the transaction.
func (t *Transaction) Sender(context.Context) (*Address, error) {
	return toAddress(t, "Transaction.sender", optionalKey((*Transaction).FromAddress))
}

// To returns the contract that the transaction calls or deploys.
func (t *Transaction) To(context.Context) (*Address, error) {
	return toAddress(t, "Transaction.to", optionalKey((*Transaction).ToAddress))
}

// Events returns the transaction's events.
func (t *Transaction) Events(ctx context.Context, first *int, after *string) (*EventConnection, error) {
	page, l, err := toMany(ctx, t, first, after, (*Transaction).ref, t.eventsOfTransactions())
	if err != nil {
		return nil, err
	}
	return page.connection(l, counting(t.LogCount)), nil
}

// Transfers returns what the transaction moved.
func (t *Transaction) Transfers(ctx context.Context, first *int, after *string) (*TransferConnection, error) {
	return connect(ctx, t, first, after, (*Transaction).ref, t.transfersOfTransactions(), counting(t.TransferCount))
}

// Messages returns the transaction's messages.
func (t *Transaction) Messages(ctx context.Context) ([]*Message, error) {
	return toOne(ctx, t, "Transaction.messages", requiredKey((*Transaction).ref), t.messagesOfTransactions())
}

// txRef is where a transaction stands, and its hash: what is found by its place
// must be of the transaction.
type txRef struct {
	place chain.TxPlace
	hash  starknet.Felt
}

func (t *Transaction) ref() txRef { return txRef{t.line.Place, t.line.Hash} }

// places are where transactions stand.
func places(txs []txRef) []chain.TxPlace {
	return convert(txs, func(tx txRef) chain.TxPlace { return tx.place })
}

// transactionsByHash looks transactions up by their hash.
func (on onChain) transactionsByHash() lookup[starknet.Felt, *chain.Transaction, *Transaction] {
	return lookupOf(factOf(on, "transaction by hash", on.resolver.Transactions.ByHash), on.newTransaction)
}

func (on onChain) newTransaction(tx *chain.Transaction) *Transaction {
	return &Transaction{
		onChain: on, place: tx.Block, time: tx.Time(),
		line: chain.TxLine{
			Place: tx.Place(), Hash: tx.Hash, Type: tx.Type, Sender: tx.Sender, Contract: tx.Contract, Reverted: tx.Reverted,
			Finality: tx.Finality, Tier: tx.Tier,
		},
	}
}

// transactionsOfBlocks pages through each block's transactions.
func (on onChain) transactionsOfBlocks(blocks *cohort.Cohort[*Block]) pager[domain.BlockRef, *domain.Page[chain.TxLine], slice[*Transaction]] {
	return pager[domain.BlockRef, *domain.Page[chain.TxLine], slice[*Transaction]]{
		pagesOf(on, func(ctx context.Context, c domain.Chain, refs []domain.BlockRef, page domain.PageRequest) ([]*domain.Page[chain.TxLine], error) {
			found, err := on.resolver.Transactions.OfBlocks(ctx, c, refs, page)
			if err == nil && slices.Contains(found, nil) {
				err = chain.Replaced()
			}
			return found, err
		}),
		func(b *cohort.Batch[domain.BlockRef, *domain.Page[chain.TxLine]]) []slice[*Transaction] {
			known := factsByRef(blocks)
			list := slicesOf(b.Cache, convert(b.Values, pageOrEmpty[chain.TxLine]), nil, func(i int, line chain.TxLine) *Transaction {
				return &Transaction{onChain: on, line: line, place: b.Keys[i], time: known[b.Keys[i]].Time()}
			})
			for i := range list {
				list[i].at = func(j int) domain.Position { return chain.LinePosition(b.Keys[i], b.Values[i].Items[j].Place.Tx) }
			}
			return list
		},
	}
}

// pageOrEmpty is the page of a key, which is empty where the key failed.
func pageOrEmpty[R any](page *domain.Page[R]) domain.Page[R] {
	if page == nil {
		return domain.Page[R]{}
	}
	return *page
}

// TransactionConnection is a page of transactions.
type TransactionConnection = Connection[*Transaction]

// TransactionEdge is a transaction in a list.
type TransactionEdge = Edge[*Transaction]

// Transaction returns a transaction by its hash.
func (r *Query) Transaction(ctx context.Context, id domain.Chain, hash starknet.Felt) (*Transaction, error) {
	on, err := r.resolver.onChain(id)
	if err != nil {
		return nil, err
	}
	found, err := on.transactionsByHash().all(ctx, nil, []starknet.Felt{hash})
	if err != nil {
		return nil, err
	}
	if found[0] == nil {
		return nil, r.resolver.Details.Absent(ctx, id, hash)
	}
	return found[0], nil
}

// Receipt is what became of a transaction.
type Receipt struct {
	ExecutionStatus scalar.Enum
	FinalityStatus  scalar.Enum
	ActualFeeRaw    *domain.Amount
	FeeUnit         *scalar.Enum
	L1Gas           *domain.Amount
	L1DataGas       *domain.Amount
	L2Gas           *domain.Amount
	RevertReason    *string
}

// Receipt returns what became of the transaction.
func (t *Transaction) Receipt(ctx context.Context) (*Receipt, error) {
	facts, err := t.facts(ctx)
	if err != nil {
		return nil, err
	}
	return &Receipt{
		ExecutionStatus: scalar.Enum(chain.Execution(facts.Reverted)), FinalityStatus: scalar.Enum(facts.Finality),
		ActualFeeRaw: new(feltAmount(facts.Fee)), FeeUnit: enumOrNil(facts.FeeUnit),
		L1Gas:        new(domain.AmountFromUint64(facts.Resources.L1Gas)),
		L1DataGas:    new(domain.AmountFromUint64(facts.Resources.L1DataGas)),
		L2Gas:        new(domain.AmountFromUint64(facts.Resources.L2Gas)),
		RevertReason: textOrNil(facts.RevertReason),
	}, nil
}
