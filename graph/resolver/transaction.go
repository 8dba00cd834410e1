package resolver

import (
	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/chain"
	"astrolabe/graph/cohort"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
	"context"
	"slices"
	"time"
)

// Transaction is a transaction. A list reads only a summary of each; the other
// facts are loaded for the whole cohort if they are selected.
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

// TxHash returns the transaction hash.
func (t *Transaction) TxHash() starknet.Felt { return t.line.Hash }

// BlockNumber returns the number of the block that contains the transaction.
func (t *Transaction) BlockNumber() uint64 { return t.place.Number }

// BlockHash returns the hash of the block that contains the transaction.
func (t *Transaction) BlockHash() starknet.Felt { return t.place.Hash }

// TimestampIso returns the timestamp of that block.
func (t *Transaction) TimestampIso() time.Time { return t.time }

// TxIndex returns the index of the transaction in its block.
func (t *Transaction) TxIndex() int { return t.line.Place.Tx }

// TxCursor returns the position of the transaction as a string: block number,
// colon, transaction index.
func (t *Transaction) TxCursor() string { return t.line.Place.Cursor() }

// TxType returns the transaction type.
func (t *Transaction) TxType() scalar.Enum { return scalar.Enum(t.line.Type) }

// FromAddress returns the account that sent the transaction, or that it
// deploys.
func (t *Transaction) FromAddress() *starknet.Felt { return t.line.Sender }

// ToAddress returns the contract that the transaction itself calls or deploys.
func (t *Transaction) ToAddress() *starknet.Felt { return t.line.Contract }

// ExecutionStatus reports whether the transaction succeeded or was reverted.
func (t *Transaction) ExecutionStatus() scalar.Enum {
	return scalar.Enum(chain.Execution(t.line.Reverted))
}

// FinalityStatus returns the finality of the block on Starknet.
func (t *Transaction) FinalityStatus() scalar.Enum { return scalar.Enum(t.line.Finality) }

// SourceTier reports whether a reorg can still remove the transaction from the
// index.
func (t *Transaction) SourceTier() scalar.Enum { return scalar.Enum(t.line.Tier) }

// facts returns all indexed facts of the transaction itself.
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

// Version returns the transaction version.
func (t *Transaction) Version(ctx context.Context) (uint64, error) {
	facts, err := t.facts(ctx)
	if err != nil {
		return 0, err
	}
	return facts.Version, nil
}

// Nonce returns the nonce of the sender or of the message from L1.
func (t *Transaction) Nonce(ctx context.Context) (*starknet.Felt, error) {
	facts, err := t.facts(ctx)
	if err != nil {
		return nil, err
	}
	return facts.Nonce, nil
}

// SignatureLen returns the number of felts in the signature.
func (t *Transaction) SignatureLen(ctx context.Context) (int, error) {
	facts, err := t.facts(ctx)
	if err != nil {
		return 0, err
	}
	return len(facts.Signature), nil
}

// Calldata returns the calldata.
func (t *Transaction) Calldata(ctx context.Context) ([]starknet.Felt, error) {
	facts, err := t.facts(ctx)
	if err != nil {
		return nil, err
	}
	return facts.Calldata, nil
}

// outline returns the method and the counts of the transaction.
func (t *Transaction) outline(ctx context.Context) (*chain.TxOutline, error) {
	found, err := loadFact(ctx, t, (*Transaction).TxHash, factOf(t.onChain, "outline of a transaction", t.resolver.Transactions.Outlines))
	if err == nil && found == nil {
		err = chain.Replaced()
	}
	return found, err
}

// PrimaryMethod returns the name of the first call's entry point.
func (t *Transaction) PrimaryMethod(ctx context.Context) (*string, error) {
	outline, err := t.outline(ctx)
	if err != nil {
		return nil, err
	}
	return textOrNil(outline.Method), nil
}

// CallCount returns the number of account calls.
func (t *Transaction) CallCount(ctx context.Context) (*int, error) {
	outline, err := t.outline(ctx)
	if err != nil {
		return nil, err
	}
	return outline.Calls, nil
}

// TransferCount returns the number of token transfers in the transaction.
func (t *Transaction) TransferCount(ctx context.Context) (int, error) {
	outline, err := t.outline(ctx)
	if err != nil {
		return 0, err
	}
	return outline.Transfers, nil
}

// LogCount returns the number of events in the transaction.
func (t *Transaction) LogCount(ctx context.Context) (int, error) {
	outline, err := t.outline(ctx)
	if err != nil {
		return 0, err
	}
	return outline.Events, nil
}

// Block returns the block of the transaction.
func (t *Transaction) Block(ctx context.Context) (*Block, error) {
	return toOne(ctx, t, "Transaction.block", requiredKey((*Transaction).BlockHash), t.blocksByHash())
}

// Sender returns the account that sent the transaction, or that it deploys.
func (t *Transaction) Sender(context.Context) (*Address, error) {
	return toAddress(t, "Transaction.sender", optionalKey((*Transaction).FromAddress))
}

// To returns the contract that the transaction itself calls or deploys.
func (t *Transaction) To(context.Context) (*Address, error) {
	return toAddress(t, "Transaction.to", optionalKey((*Transaction).ToAddress))
}

// Events returns the events of the transaction, in order.
func (t *Transaction) Events(ctx context.Context, first *int, after *string) (*EventConnection, error) {
	page, l, err := toMany(ctx, t, first, after, (*Transaction).ref, t.eventsOfTransactions())
	if err != nil {
		return nil, err
	}
	return page.connection(l, counting(t.LogCount)), nil
}

// Transfers returns the token transfers of the transaction, in order.
func (t *Transaction) Transfers(ctx context.Context, first *int, after *string) (*TransferConnection, error) {
	return connect(ctx, t, first, after, (*Transaction).ref, t.transfersOfTransactions(), counting(t.TransferCount))
}

// Messages returns the message from L1 that the transaction handles, followed
// by the messages that it sends to L1, in order.
func (t *Transaction) Messages(ctx context.Context) ([]*Message, error) {
	return toOne(ctx, t, "Transaction.messages", requiredKey((*Transaction).ref), t.messagesOfTransactions())
}

// txRef is the position of a transaction and its hash. Rows that are read by
// position are checked against the hash.
type txRef struct {
	place chain.TxPlace
	hash  starknet.Felt
}

func (t *Transaction) ref() txRef { return txRef{t.line.Place, t.line.Hash} }

// places returns the positions of transactions.
func places(txs []txRef) []chain.TxPlace {
	return convert(txs, func(tx txRef) chain.TxPlace { return tx.place })
}

// transactionsByHash looks up transactions by hash.
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

// pageOrEmpty returns the page of a key, empty if the key failed.
func pageOrEmpty[R any](page *domain.Page[R]) domain.Page[R] {
	if page == nil {
		return domain.Page[R]{}
	}
	return *page
}

// TransactionConnection is a page of transactions.
type TransactionConnection = Connection[*Transaction]

// TransactionEdge is an edge of a connection with one transaction and its cursor.
type TransactionEdge = Edge[*Transaction]

// Transaction returns a transaction by hash.
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
		if err := r.resolver.Draw(ctx, account.Light, 1); err != nil { // the node is asked
			return nil, err
		}
		return nil, r.resolver.Details.Absent(ctx, id, hash)
	}
	return found[0], nil
}

// Receipt is the receipt of a transaction.
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

// Receipt returns the status, fee, resources and revert reason.
func (t *Transaction) Receipt(ctx context.Context) (*Receipt, error) {
	facts, err := t.facts(ctx)
	if err != nil {
		return nil, err
	}
	receipt := &Receipt{
		ExecutionStatus: scalar.Enum(chain.Execution(facts.Reverted)), FinalityStatus: scalar.Enum(facts.Finality),
		ActualFeeRaw: new(feltAmount(facts.Fee)), FeeUnit: enumOrNil(facts.FeeUnit),
		RevertReason: textOrNil(facts.RevertReason),
	}
	if gas := facts.Gas(); gas != nil {
		receipt.L1Gas, receipt.L1DataGas = new(domain.AmountFromUint64(gas.L1Gas)), new(domain.AmountFromUint64(gas.L1DataGas))
		receipt.L2Gas = new(domain.AmountFromUint64(gas.L2Gas))
	}
	return receipt, nil
}
