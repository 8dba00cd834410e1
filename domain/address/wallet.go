package address

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/domain/token"
	"astrolabe/starknet"
)

// WalletMode says how to handle an incomplete snapshot.
type WalletMode string

// The modes.
const (
	RequireComplete WalletMode = "require_complete" // fail
	VerifiedPartial WalletMode = "verified_partial" // return it, with the status of each balance
)

// BlockPreference selects the block of a snapshot.
type BlockPreference string

// The preferences.
const (
	PreferLatest   BlockPreference = "latest_accepted_l2"
	PreferL1       BlockPreference = "l1_accepted"
	PreferExplicit BlockPreference = "explicit" // the block that the caller names
)

// MaxWallet is the largest number of tokens of a snapshot.
const MaxWallet = 25

// WalletQuery requests a snapshot of each of some wallets.
type WalletQuery struct {
	Mode   WalletMode
	Scope  Scope
	Tokens []starknet.Felt // of ScopeExplicit
	Limit  int             // how many tokens to look at: 1 to MaxWallet

	Preference  BlockPreference
	BlockHash   *starknet.Felt // of PreferExplicit, if BlockNumber is not given
	BlockNumber *uint64
}

// The arguments of a query in messages.
const (
	modeArgument       domain.Argument = "mode"
	scopeArgument      domain.Argument = "scope"
	tokensArgument     domain.Argument = "tokenAddresses"
	limitArgument      domain.Argument = "limit"
	preferenceArgument domain.Argument = "blockPreference"
	hashArgument       domain.Argument = "blockHash"
	numberArgument     domain.Argument = "blockNumber"
)

// BalanceStatus is the status of one balance.
type BalanceStatus string

// The statuses of a balance. An unsupported contract has no balance entry point
// at that block, or is not deployed. The last two mean that reading failed; a
// revert is an error.
const (
	BalanceOK          BalanceStatus = "ok"
	BalanceUnsupported BalanceStatus = "unsupported"
	BalanceTimeout     BalanceStatus = "timeout"
	BalanceError       BalanceStatus = "error"
)

// Balance is one token of a snapshot.
type Balance struct {
	Token  starknet.Felt
	Raw    *starknet.Uint256 // nil unless the status is ok
	Status BalanceStatus
	Known  *token.Token // what is known of the token; nil: nothing
}

// Correctness says whether a snapshot is complete. In any case every returned
// balance was read at the snapshot's block.
type Correctness string

// The degrees of correctness.
const (
	// CorrectComplete has all tokens of the scope and all their balances.
	CorrectComplete Correctness = "verified_complete"
	// CorrectPartial lacks tokens or balances; see its coverage and items.
	CorrectPartial Correctness = "verified_partial"
)

// Wallet is a snapshot: every balance is of the same block.
type Wallet struct {
	Block       chain.StateBlock
	Coverage    AssetCoverage // which tokens within the scope were looked for
	Correctness Correctness
	Items       []Balance
}

// WalletResult is the snapshot of one wallet, or why there is none.
type WalletResult struct {
	Wallet Wallet
	Err    error
}

// Wallets reads token balances of addresses.
type Wallets struct {
	addresses  *Addresses
	blocks     *chain.Blocks
	tokens     *token.Tokens
	quantities *token.Quantities
}

// NewWallets makes the service.
func NewWallets(addresses *Addresses, blocks *chain.Blocks, tokens *token.Tokens, quantities *token.Quantities) *Wallets {
	return &Wallets{addresses, blocks, tokens, quantities}
}

// walletRetry is the Retry-After of an incomplete snapshot.
const walletRetry = 2 * time.Second

// At returns the snapshot of one wallet, as Of does.
func (s *Wallets) At(ctx context.Context, c domain.Chain, q WalletQuery, owner starknet.Felt) (Wallet, error) {
	results, err := s.Of(ctx, c, q, []starknet.Felt{owner})
	if err != nil {
		return Wallet{}, err
	}
	return results[0].Wallet, results[0].Err
}

// Of returns a snapshot of the wallet of each owner, all at the same block. A
// query that contradicts itself or whose limit is out of range is
// invalid_request.
//
// With require_complete only a complete snapshot is returned. A wallet is
// invalid_request if the query's limit excludes tokens, history_not_indexed if
// the index can never prove that no token is missing, unsupported_token if a
// contract has no balance entry point, and service_unavailable if a balance could
// not be read, or the index is behind or follows another fork than the node.
func (s *Wallets) Of(ctx context.Context, c domain.Chain, q WalletQuery, owners []starknet.Felt) ([]WalletResult, error) {
	if err := q.checkLimit(); err != nil {
		return nil, err
	}
	block, err := q.block()
	if err != nil {
		return nil, err
	}
	found, err := s.candidates(ctx, c, q, owners)
	if err != nil {
		return nil, err
	}
	results := make([]WalletResult, len(owners))
	var readable []int // the wallets that may succeed
	var holdings []token.Holding
	for i, owner := range owners {
		if q.Mode == RequireComplete {
			results[i].Err = unprovable(found.lists[i].reasons)
		}
		if results[i].Err == nil {
			readable = append(readable, i)
			holdings = append(holdings, found.lists[i].holdings(owner)...)
		}
	}
	if len(readable) == 0 {
		return results, nil
	}
	if block, err = s.anchor(ctx, c, q, block, found); err != nil {
		return nil, err
	}
	at, quantities, err := s.quantities.Balances(ctx, c, block, holdings)
	if err != nil {
		return nil, err
	}
	held, err := s.holds(ctx, c, q, at, found)
	if err != nil {
		return nil, err
	}
	empty := Wallet{Block: at, Coverage: AssetCoverage{Scope: q.Scope, Through: found.through}, Correctness: CorrectPartial}
	for _, i := range readable {
		n := len(found.lists[i].tokens)
		results[i].Wallet, results[i].Err = q.snapshot(empty, found.lists[i], quantities[:n], held)
		quantities = quantities[n:]
	}
	return results, nil
}

// snapshot adds balances to an empty wallet. Held says whether the index holds
// their block.
func (q WalletQuery) snapshot(wallet Wallet, list candidateList, quantities []token.Quantity, held bool) (Wallet, error) {
	items, cut := balances(q, list.tokens, quantities)
	if cut && !slices.Contains(list.reasons, domain.ReasonLimit) {
		list.reasons = append([]string{domain.ReasonLimit}, list.reasons...)
	}
	wallet.Items, wallet.Coverage.Reasons = items, list.missing(q.Scope, held)
	err := incomplete(wallet.Coverage.Reasons, items)
	switch {
	case err == nil:
		wallet.Correctness = CorrectComplete
	case q.Mode == RequireComplete:
		return Wallet{}, err
	}
	return wallet, nil
}

// balances returns the balances of at most as many tokens as the query's limit,
// and whether there are more. Tokens of the registry that are not deployed do not
// count.
func balances(q WalletQuery, tokens []candidate, quantities []token.Quantity) (items []Balance, cut bool) {
	items = make([]Balance, 0, len(tokens))
	for i, candidate := range tokens {
		if quantities[i].Absent && q.Scope != ScopeExplicit {
			continue
		}
		if len(items) == q.Limit {
			return items, true
		}
		item := Balance{Token: candidate.address, Status: balanceStatus(quantities[i]), Known: candidate.known}
		if item.Status == BalanceOK {
			item.Raw = &quantities[i].Raw
		}
		items = append(items, item)
	}
	return items, false
}

// anchor returns the block to read at. The node's newest block is often ahead
// of the index, which then cannot know all tokens there: complete snapshots are
// read at the newest block that both have.
func (s *Wallets) anchor(ctx context.Context, c domain.Chain, q WalletQuery, block chain.BlockID, found candidates) (chain.BlockID, error) {
	if q.Mode != RequireComplete || q.Preference != PreferLatest || q.Scope == ScopeExplicit || !found.anyComplete() || found.through == nil {
		return block, nil
	}
	newest, _, err := s.quantities.Balances(ctx, c, block, nil)
	if err != nil {
		return block, err
	}
	return chain.NumberID(min(newest.Number, *found.through)), nil
}

// holds reports whether the index holds the block that the node read balances at,
// so that the discovered tokens are those of its chain. A node that follows another
// fork has the block's number with another hash. The block that discovery reached
// must be there still, too: a reorg in between may have changed the tokens.
func (s *Wallets) holds(ctx context.Context, c domain.Chain, q WalletQuery, at chain.StateBlock, found candidates) (bool, error) {
	switch {
	case q.Scope == ScopeExplicit || found.through == nil:
		return true, nil
	case at.Hash == nil || *found.through < at.Number:
		return false, nil
	}
	refs := []domain.BlockRef{{Number: at.Number, Hash: *at.Hash}}
	if found.tip != nil {
		refs = append(refs, *found.tip)
	}
	return s.blocks.Still(ctx, c, refs)
}

// unprovable returns history_not_indexed if the index lacks history that would
// prove a snapshot complete, so that waiting does not help.
func unprovable(reasons []string) error {
	for _, reason := range reasons {
		if reason == domain.ReasonIndexStart || reason == domain.ReasonUntypedTransfers {
			return domain.Errorf(domain.CodeHistoryNotIndexed,
				"The index does not hold the history that proves the snapshot complete (%s). Name the tokens with %s %s, or use %s %s.",
				reason, scopeArgument, domain.Choice(ScopeExplicit), modeArgument, domain.Choice(VerifiedPartial))
		}
	}
	return nil
}

// incomplete returns the error of an incomplete snapshot under
// require_complete, and nil for a complete one.
func incomplete(reasons []string, items []Balance) error {
	if slices.Contains(reasons, domain.ReasonLimit) {
		return domain.Errorf(domain.CodeInvalidRequest,
			"The scope has more tokens than %s allows. Raise %s (at most %d), name the tokens with %s %s, or use %s %s.",
			limitArgument, limitArgument, MaxWallet, scopeArgument, domain.Choice(ScopeExplicit), modeArgument, domain.Choice(VerifiedPartial))
	}
	failed := 0
	for _, item := range items {
		switch item.Status {
		case BalanceOK:
		case BalanceUnsupported:
			return domain.Errorf(domain.CodeUnsupportedToken,
				"Contract %s has no balance entry point that this service supports. Use %s %s without it, or %s %s.",
				item.Token, scopeArgument, domain.Choice(ScopeExplicit), modeArgument, domain.Choice(VerifiedPartial))
		default:
			failed++
		}
	}
	switch {
	case failed > 0:
		return domain.Unavailable(walletRetry, nil, "Balances that could not be read: %d. The snapshot is incomplete. Retry, or use %s %s.", failed, modeArgument, domain.Choice(VerifiedPartial))
	case len(reasons) > 0:
		return domain.Unavailable(walletRetry, nil, "The index cannot prove that the snapshot is complete (%s). Retry, or use %s %s.", strings.Join(reasons, ", "), modeArgument, domain.Choice(VerifiedPartial))
	}
	return nil
}

// checkLimit returns invalid_request for a limit out of range.
func (q WalletQuery) checkLimit() error {
	if q.Limit < 1 || q.Limit > MaxWallet {
		return domain.Errorf(domain.CodeInvalidRequest, "%s must be between 1 and %d, got %d.", limitArgument, MaxWallet, q.Limit)
	}
	return nil
}

// block returns the requested block.
func (q WalletQuery) block() (chain.BlockID, error) {
	named := chain.BlockID{Number: q.BlockNumber, Hash: q.BlockHash}
	given := q.BlockNumber != nil || q.BlockHash != nil
	switch {
	case q.Preference != PreferExplicit && given:
		return named, domain.Errorf(domain.CodeInvalidRequest, "%s and %s require %s %s.", hashArgument, numberArgument, preferenceArgument, domain.Choice(PreferExplicit))
	case q.Preference == PreferLatest:
		return chain.BlockID{Tag: chain.Latest}, nil
	case q.Preference == PreferL1:
		return chain.BlockID{Tag: chain.L1Accepted}, nil
	case !given || q.BlockNumber != nil && q.BlockHash != nil:
		return named, domain.Errorf(domain.CodeInvalidRequest, "%s %s requires either %s or %s.", preferenceArgument, domain.Choice(PreferExplicit), hashArgument, numberArgument)
	}
	return named, nil
}

func balanceStatus(q token.Quantity) BalanceStatus {
	switch {
	case q.Err == nil:
		return BalanceOK
	case q.Absent || q.NoView:
		return BalanceUnsupported
	case errors.Is(q.Err, context.DeadlineExceeded):
		return BalanceTimeout
	}
	return BalanceError
}
