package token

import (
	"context"
	"errors"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/chain"
	"astrolabe/starknet"
)

// WalletMode says what becomes of a snapshot in which a balance is missing.
type WalletMode string

// The modes.
const (
	RequireComplete WalletMode = "require_complete" // it is refused
	VerifiedPartial WalletMode = "verified_partial" // it says which
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
	Limit  int             // of the other scopes

	Preference  BlockPreference
	BlockHash   *starknet.Felt // of PreferExplicit, if BlockNumber is not given
	BlockNumber *uint64
}

// BalanceStatus tells what came of one balance.
type BalanceStatus string

// The statuses of a balance. An unsupported one is known not to exist: at that
// block the contract has no balance that can be read. The others could not be
// learned.
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
	Complete bool     // every balance was learned
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

// At returns a snapshot of a wallet at one block. With require_complete it is
// service_unavailable when a balance could not be learned.
func (s *Wallets) At(ctx context.Context, c domain.Chain, q WalletQuery) (Wallet, error) {
	block, err := q.block()
	if err != nil {
		return Wallet{}, err
	}
	found, err := s.scope(ctx, c, q)
	if err != nil {
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
	wallet := Wallet{Block: at, Through: found.Through, Reasons: found.Reasons, Complete: true, Items: make([]Balance, len(found.Tokens))}
	if q.Scope != ScopeExplicit && (found.Through == nil || *found.Through < at.Number) {
		wallet.Reasons = append(wallet.Reasons, ReasonIndexBehind)
	}
	failed := 0
	for i, candidate := range found.Tokens {
		item := Balance{Token: candidate.Address, Status: balanceStatus(quantities[i].Err), Known: candidate.Known}
		switch item.Status {
		case BalanceOK:
			item.Raw = &quantities[i].Raw
		case BalanceTimeout, BalanceError:
			failed++
		}
		wallet.Items[i] = item
	}
	wallet.Complete = failed == 0
	if failed > 0 && q.Mode == RequireComplete {
		refusal := domain.Unavailable("a complete snapshot", walletRetry, nil)
		refusal.Message += ": not every balance could be read"
		return Wallet{}, refusal
	}
	return wallet, nil
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
