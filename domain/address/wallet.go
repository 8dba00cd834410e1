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
	RequireComplete WalletMode = "require_complete" // fail, unless only unsupported balances are missing
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

// WalletQuery requests a snapshot.
type WalletQuery struct {
	Owner  starknet.Felt
	Mode   WalletMode
	Scope  Scope
	Tokens []starknet.Felt // of ScopeExplicit
	Limit  int             // how many tokens to look at: 1 to MaxWallet

	Preference  BlockPreference
	BlockHash   *starknet.Felt // of PreferExplicit, if BlockNumber is not given
	BlockNumber *uint64
}

// BalanceStatus is the status of one balance.
type BalanceStatus string

// The statuses of a balance. An unsupported contract has no readable balance at
// that block. The last two mean that reading failed.
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

// Wallets reads token balances of addresses.
type Wallets struct {
	addresses  *Addresses
	tokens     *token.Tokens
	quantities *token.Quantities
}

// NewWallets makes the service.
func NewWallets(addresses *Addresses, tokens *token.Tokens, quantities *token.Quantities) *Wallets {
	return &Wallets{addresses, tokens, quantities}
}

// walletRetry is the Retry-After of an incomplete snapshot.
const walletRetry = 2 * time.Second

// At returns a snapshot of a wallet at one block. A query that contradicts
// itself or whose limit is out of range is invalid_request.
//
// With require_complete it is service_unavailable if a balance could not be
// read or tokens of the scope may be missing, and invalid_request if the
// query's limit excludes tokens. A contract without a readable balance is
// tolerated, because otherwise anyone could break a wallet by sending it a
// broken token; but such a snapshot is not verified_complete.
func (s *Wallets) At(ctx context.Context, c domain.Chain, q WalletQuery) (Wallet, error) {
	if err := q.checkLimit(); err != nil {
		return Wallet{}, err
	}
	block, err := q.block()
	if err != nil {
		return Wallet{}, err
	}
	found, err := s.candidates(ctx, c, q)
	if err != nil {
		return Wallet{}, err
	}
	if block, err = s.anchor(ctx, c, q, block, found); err != nil {
		return Wallet{}, err
	}
	holdings := make([]token.Holding, len(found.tokens))
	for i, candidate := range found.tokens {
		holdings[i] = token.Holding{Token: candidate.address, Owner: q.Owner}
	}
	at, quantities, err := s.quantities.Balances(ctx, c, block, holdings)
	if err != nil {
		return Wallet{}, err
	}
	wallet := Wallet{
		Block: at, Coverage: AssetCoverage{q.Scope, found.missing(q.Scope, at.Number), found.through},
		Correctness: CorrectPartial, Items: make([]Balance, 0, len(found.tokens)),
	}
	failed, unread := 0, 0
	for i, candidate := range found.tokens {
		if quantities[i].Absent && q.Scope != ScopeExplicit {
			continue // a token of the registry that is not there
		}
		item := Balance{Token: candidate.address, Status: balanceStatus(quantities[i].Err), Known: candidate.known}
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
	if failed == 0 && unread == 0 && wallet.Coverage.Complete() {
		wallet.Correctness = CorrectComplete
	}
	if q.Mode == RequireComplete {
		if err := incomplete(wallet.Coverage.Reasons, failed); err != nil {
			return Wallet{}, err
		}
	}
	return wallet, nil
}

// anchor returns the block to read at. The node's newest block is often ahead
// of the index, which then cannot know all tokens there: a complete snapshot is
// read at the newest block that both have.
func (s *Wallets) anchor(ctx context.Context, c domain.Chain, q WalletQuery, block chain.BlockID, found candidates) (chain.BlockID, error) {
	if q.Mode != RequireComplete || q.Preference != PreferLatest || q.Scope == ScopeExplicit || len(found.reasons) > 0 || found.through == nil {
		return block, nil
	}
	newest, _, err := s.quantities.Balances(ctx, c, block, nil)
	if err != nil {
		return block, err
	}
	return chain.NumberID(min(newest.Number, *found.through)), nil
}

// incomplete returns the error of an incomplete snapshot under
// require_complete.
func incomplete(reasons []string, failed int) error {
	if slices.Contains(reasons, domain.ReasonLimit) {
		return domain.Errorf(domain.CodeInvalidRequest,
			"The scope has more tokens than limit. Raise limit, name the tokens with scope %s, or use mode %s.", domain.Choice(ScopeExplicit), domain.Choice(VerifiedPartial))
	}
	if failed == 0 && len(reasons) == 0 {
		return nil
	}
	if failed == 0 {
		return domain.Unavailable(walletRetry, nil, "The index cannot prove that the snapshot is complete (%s). Retry, or use mode %s.", strings.Join(reasons, ", "), domain.Choice(VerifiedPartial))
	}
	return domain.Unavailable(walletRetry, nil, "%d balances could not be read, so the snapshot is incomplete. Retry, or use mode %s.", failed, domain.Choice(VerifiedPartial))
}

// checkLimit returns invalid_request for a limit out of range.
func (q WalletQuery) checkLimit() error {
	if q.Limit < 1 || q.Limit > MaxWallet {
		return domain.Errorf(domain.CodeInvalidRequest, "limit must be between 1 and %d, got %d.", MaxWallet, q.Limit)
	}
	return nil
}

// block returns the requested block.
func (q WalletQuery) block() (chain.BlockID, error) {
	named := chain.BlockID{Number: q.BlockNumber, Hash: q.BlockHash}
	given := q.BlockNumber != nil || q.BlockHash != nil
	switch {
	case q.Preference != PreferExplicit && given:
		return named, domain.Errorf(domain.CodeInvalidRequest, "blockHash and blockNumber require blockPreference %s.", domain.Choice(PreferExplicit))
	case q.Preference == PreferLatest:
		return chain.BlockID{Tag: chain.Latest}, nil
	case q.Preference == PreferL1:
		return chain.BlockID{Tag: chain.L1Accepted}, nil
	case !given || q.BlockNumber != nil && q.BlockHash != nil:
		return named, domain.Errorf(domain.CodeInvalidRequest, "blockPreference %s requires either blockHash or blockNumber.", domain.Choice(PreferExplicit))
	}
	return named, nil
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
