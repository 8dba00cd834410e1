package token

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// WalletMode says what becomes of a snapshot that is not complete.
type WalletMode string

// The modes.
const (
	RequireComplete WalletMode = "require_complete" // it is refused, unless a contract just has no balance
	VerifiedPartial WalletMode = "verified_partial" // it says what is missing
)

// BlockPreference says at which block a wallet is looked at.
type BlockPreference string

// The preferences.
const (
	PreferLatest   BlockPreference = "latest_accepted_l2"
	PreferL1       BlockPreference = "l1_accepted"
	PreferExplicit BlockPreference = "explicit" // the block that the caller names
)

// MaxWallet is the largest number of tokens of a snapshot.
const MaxWallet = 25

// WalletQuery asks for a snapshot.
type WalletQuery struct {
	Owner  starknet.Felt
	Mode   WalletMode
	Scope  Scope
	Tokens []starknet.Felt // of ScopeExplicit
	Limit  int             // how many tokens to look at

	Preference  BlockPreference
	BlockHash   *starknet.Felt // of PreferExplicit, if BlockNumber is not given
	BlockNumber *uint64
}

// BalanceStatus tells what came of one balance.
type BalanceStatus string

// The statuses of a balance. An unsupported one cannot be read from its
// contract at that block by anybody. The last two could not be learned.
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
	Known  *Token // what is known of the token; nil: nothing
}

// Wallet is a snapshot: every balance is of the same block.
type Wallet struct {
	Block    chain.StateBlock
	Through  *uint64  // up to which block tokens were looked for
	Reasons  []string // why these are not all tokens within the scope
	Complete bool     // these are all tokens within the scope, and every balance was learned
	Items    []Balance
}

// Wallets answers what addresses hold.
type Wallets struct {
	assets     Assets
	tokens     *Tokens
	quantities *Quantities
}

// NewWallets makes the service.
func NewWallets(assets Assets, tokens *Tokens, quantities *Quantities) *Wallets {
	return &Wallets{assets, tokens, quantities}
}

// walletRetry is when to ask again for a snapshot that was not complete.
const walletRetry = 2 * time.Second

// At returns a snapshot of a wallet at one block.
//
// With require_complete it is refused when a balance could not be learned or
// tokens within the scope may be missing: as service_unavailable, or as
// invalid_request when the query's own limit cuts them off. A contract without a
// balance that can be read refuses nothing, or anybody could spoil a wallet by
// sending it a broken token; but such a snapshot is not called complete.
func (s *Wallets) At(ctx context.Context, c domain.Chain, q WalletQuery) (Wallet, error) {
	block, err := q.block()
	if err != nil {
		return Wallet{}, err
	}
	found, err := s.scope(ctx, c, q)
	if err != nil {
		return Wallet{}, err
	}
	if block, err = s.anchor(ctx, c, q, block, found); err != nil {
		return Wallet{}, err
	}
	holdings := make([]Holding, len(found.Tokens))
	for i, candidate := range found.Tokens {
		holdings[i] = Holding{candidate.Address, q.Owner}
	}
	at, quantities, err := s.quantities.Balances(ctx, c, block, holdings)
	if err != nil {
		return Wallet{}, err
	}
	wallet := Wallet{Block: at, Through: found.Through, Reasons: found.missing(q.Scope, at.Number), Items: make([]Balance, 0, len(found.Tokens))}
	failed, unread := 0, 0
	for i, candidate := range found.Tokens {
		if quantities[i].Absent && q.Scope != ScopeExplicit {
			continue // a token of the registry that is not there
		}
		item := Balance{Token: candidate.Address, Status: balanceStatus(quantities[i].Err), Known: candidate.Known}
		switch item.Status {
		case BalanceOK:
			item.Raw = &quantities[i].Raw
		case BalanceUnsupported:
			unread++
		default:
			failed++
		}
		wallet.Items = append(wallet.Items, item)
	}
	wallet.Complete = failed == 0 && unread == 0 && len(wallet.Reasons) == 0
	if q.Mode == RequireComplete {
		if err := incomplete(wallet.Reasons, failed); err != nil {
			return Wallet{}, err
		}
	}
	return wallet, nil
}

// anchor returns the block to read at. The newest block of the node is often a
// little beyond the index, which then cannot know all tokens there: who requires
// a complete snapshot gets the newest block that both know.
func (s *Wallets) anchor(ctx context.Context, c domain.Chain, q WalletQuery, block chain.BlockID, found Discovery) (chain.BlockID, error) {
	if q.Mode != RequireComplete || q.Preference != PreferLatest || q.Scope == ScopeExplicit || len(found.Reasons) > 0 || found.Through == nil {
		return block, nil
	}
	newest, _, err := s.quantities.Balances(ctx, c, block, nil)
	if err != nil {
		return block, err
	}
	return chain.NumberID(min(newest.Number, *found.Through)), nil
}

// missing tells why tokens at a block may be missing. What the index lacks
// beyond that block does not matter.
func (d *Discovery) missing(scope Scope, block uint64) []string {
	reasons := slices.DeleteFunc(slices.Clone(d.Reasons), func(reason string) bool { return reason == domain.ReasonIndexBehind })
	if scope != ScopeExplicit && d.Through != nil && *d.Through < block {
		reasons = append(reasons, domain.ReasonIndexBehind)
	}
	return reasons
}

// incomplete refuses a snapshot that was required to be complete and is not.
func incomplete(reasons []string, failed int) error {
	if slices.Contains(reasons, domain.ReasonLimit) {
		return domain.Errorf(domain.CodeInvalidRequest,
			"the scope has more tokens than limit: raise it, name the tokens with scope explicit, or ask with mode %s", VerifiedPartial)
	}
	if failed == 0 && len(reasons) == 0 {
		return nil
	}
	refusal := domain.Unavailable("a complete snapshot", walletRetry, nil)
	refusal.Message += ": not every balance could be read"
	if failed == 0 {
		refusal.Message = "a complete snapshot is not available: " + strings.Join(reasons, ", ")
	}
	return refusal
}

// block is the block that the query asks for.
func (q WalletQuery) block() (chain.BlockID, error) {
	named := chain.BlockID{Number: q.BlockNumber, Hash: q.BlockHash}
	given := q.BlockNumber != nil || q.BlockHash != nil
	switch {
	case q.Preference != PreferExplicit && given:
		return named, domain.Errorf(domain.CodeInvalidRequest, "blockHash and blockNumber go with blockPreference explicit")
	case q.Preference == PreferLatest:
		return chain.BlockID{Tag: chain.Latest}, nil
	case q.Preference == PreferL1:
		return chain.BlockID{Tag: chain.L1Accepted}, nil
	case !given || q.BlockNumber != nil && q.BlockHash != nil:
		return named, domain.Errorf(domain.CodeInvalidRequest, "blockPreference explicit takes either blockHash or blockNumber")
	}
	return named, nil
}

// scope returns the tokens that the query is about.
func (s *Wallets) scope(ctx context.Context, c domain.Chain, q WalletQuery) (Discovery, error) {
	switch {
	case q.Scope != ScopeExplicit && len(q.Tokens) > 0:
		return Discovery{}, domain.Errorf(domain.CodeInvalidRequest, "tokenAddresses goes with scope explicit")
	case q.Scope != ScopeExplicit:
		return s.assets.Discovered(ctx, c, q.Owner, q.Scope, q.Limit)
	case len(q.Tokens) == 0 || len(q.Tokens) > MaxWallet:
		return Discovery{}, domain.Errorf(domain.CodeInvalidRequest, "tokenAddresses must have 1 to %d addresses", MaxWallet)
	case len(q.Tokens) > q.Limit:
		return Discovery{}, domain.Errorf(domain.CodeInvalidRequest, "tokenAddresses has %d addresses, limit allows %d", len(q.Tokens), q.Limit)
	}
	known, err := s.tokens.Of(ctx, c, q.Tokens)
	if err != nil {
		return Discovery{}, err
	}
	found := Discovery{Tokens: make([]Candidate, len(q.Tokens))}
	for i, token := range q.Tokens {
		found.Tokens[i] = Candidate{token, known[i]}
	}
	return found, nil
}

func balanceStatus(err error) BalanceStatus {
	switch {
	case err == nil:
		return BalanceOK
	case domain.CodeOf(err) == domain.CodeNotFound:
		return BalanceUnsupported
	case errors.Is(err, context.DeadlineExceeded):
		return BalanceTimeout
	}
	return BalanceError
}
