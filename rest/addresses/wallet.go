package addresses

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/address"
	"astrolabe/domain/chain"
	"astrolabe/domain/facts"
	"astrolabe/domain/token"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
	"astrolabe/telemetry"
)

// walletRequest is the request body; absent fields have defaults.
type walletRequest struct {
	OwnerAddress    *starknet.Felt           `json:"ownerAddress"`
	Mode            *address.WalletMode      `json:"mode,omitempty" form:"one of require_complete, verified_partial"`
	Scope           *address.Scope           `json:"scope,omitempty" form:"one of discovered_plus_registry, discovered, explicit"`
	TokenAddresses  []starknet.Felt          `json:"tokenAddresses,omitempty" form:"an array of 1 to 25 token addresses"`
	Limit           *int                     `json:"limit,omitempty" form:"an integer between 1 and 25"`
	BlockPreference *address.BlockPreference `json:"blockPreference,omitempty" form:"one of latest_accepted_l2, l1_accepted, explicit"`
	BlockHash       *starknet.Felt           `json:"blockHash,omitempty"`
	BlockNumber     *uint64                  `json:"blockNumber,omitempty" form:"an integer between 0 and 9007199254740991"`
}

// WalletBody is the token balances of an address at one block.
type WalletBody struct {
	ChainID      domain.Chain        `json:"chainId"`
	OwnerAddress starknet.Felt       `json:"ownerAddress"`
	RequestID    string              `json:"requestId"`
	Block        walletBlock         `json:"block"`
	Scope        address.Scope       `json:"scope"`
	Coverage     assetCoverage       `json:"coverage"`
	Correctness  address.Correctness `json:"correctness"`
	Items        []WalletItem        `json:"items"`
}

type walletBlock struct {
	Preference     address.BlockPreference `json:"preference"`
	BlockNumber    uint64                  `json:"blockNumber"`
	BlockHash      *starknet.Felt          `json:"blockHash"`
	FinalityStatus chain.FinalityStatus    `json:"finalityStatus"`
}

// assetCoverage says how complete a list of tokens is. It is never globally
// complete.
type assetCoverage struct {
	DeclaredScope       address.Scope `json:"declaredScope"`
	CompleteWithinScope bool          `json:"completeWithinScope"`
	GloballyComplete    bool          `json:"globallyComplete"`
	ReasonCodes         []string      `json:"reasonCodes"`
	CoveredThroughBlock *uint64       `json:"coveredThroughBlock"`
}

func wireAssetCoverage(c address.AssetCoverage) assetCoverage {
	return assetCoverage{
		DeclaredScope: c.Scope, CompleteWithinScope: c.Complete(), ReasonCodes: frame.EmptyIfNil(c.Reasons), CoveredThroughBlock: c.Through,
	}
}

// WalletItem is the balance of one token.
type WalletItem struct {
	TokenAddress starknet.Felt         `json:"tokenAddress"`
	BalanceRaw   *string               `json:"balanceRaw"`
	Status       address.BalanceStatus `json:"status"`
	Metadata     assetMetadata         `json:"metadata"`
}

// assetMetadata is the metadata of a token; unknown values are null.
type assetMetadata struct {
	Symbol   *string         `json:"symbol"`
	Name     *string         `json:"name"`
	Decimals *uint8          `json:"decimals"`
	Standard *facts.Standard `json:"standard"`
}

func wireMetadata(t *token.Token) assetMetadata {
	if t == nil {
		return assetMetadata{}
	}
	return assetMetadata{t.Metadata.Symbol, t.Metadata.Name, t.Metadata.Decimals, frame.NullIfEmpty(t.Standard)}
}

func (h Handlers) walletState(ctx context.Context, c *frame.Call) (any, error) {
	var request walletRequest
	if err := c.DecodeJSON(&request); err != nil {
		return nil, err
	}
	query, err := request.query()
	if err != nil {
		return nil, err
	}
	wallet, err := h.Wallets.At(ctx, c.Chain, query, *request.OwnerAddress)
	if err != nil {
		return nil, err
	}
	body := WalletBody{
		ChainID: c.Chain, OwnerAddress: *request.OwnerAddress, RequestID: telemetry.RequestID(ctx), Scope: query.Scope,
		Block:    walletBlock{query.Preference, wallet.Block.Number, wallet.Block.Hash, wallet.Block.Finality},
		Coverage: wireAssetCoverage(wallet.Coverage), Correctness: wallet.Correctness, Items: make([]WalletItem, len(wallet.Items)),
	}
	for i, item := range wallet.Items {
		body.Items[i] = WalletItem{item.Token, frame.DecimalOrNull(item.Raw), item.Status, wireMetadata(item.Known)}
	}
	return body, nil
}

// query validates a request and sets its defaults.
func (r walletRequest) query() (address.WalletQuery, error) {
	q := address.WalletQuery{Tokens: r.TokenAddresses, BlockHash: r.BlockHash, BlockNumber: r.BlockNumber}
	if r.OwnerAddress == nil {
		return q, domain.Errorf(domain.CodeInvalidRequest, "ownerAddress is required: %s.", frame.FeltForm)
	}
	var err error
	if q.Mode, err = choice("mode", r.Mode, address.RequireComplete, address.VerifiedPartial); err != nil {
		return q, err
	}
	if q.Scope, err = choice("scope", r.Scope, address.ScopeWithRegistry, address.ScopeDiscovered, address.ScopeExplicit); err != nil {
		return q, err
	}
	if q.Preference, err = choice("blockPreference", r.BlockPreference, address.PreferLatest, address.PreferL1, address.PreferExplicit); err != nil {
		return q, err
	}
	q.Limit = address.MaxWallet
	if r.Limit != nil {
		q.Limit = *r.Limit
	}
	if q.BlockNumber != nil && *q.BlockNumber > frame.MaxBlock {
		return q, domain.Errorf(domain.CodeInvalidRequest, "blockNumber must be an integer between 0 and %d, got %d.", int64(frame.MaxBlock), *q.BlockNumber)
	}
	return q, nil
}

// choice validates an enum of the body. An absent value is the first allowed
// one.
func choice[T ~string](name string, given *T, allowed ...T) (T, error) {
	switch {
	case given == nil:
		return allowed[0], nil
	case !slices.Contains(allowed, *given):
		names := make([]string, len(allowed))
		for i, value := range allowed {
			names[i] = string(value)
		}
		return "", domain.Errorf(domain.CodeInvalidRequest, "%s must be one of %s, got %s.", name, strings.Join(names, ", "), domain.Quote(string(*given)))
	}
	return *given, nil
}

// WalletOperations are the routes of wallets.
func (h Handlers) WalletOperations() []frame.Operation {
	return []frame.Operation{
		{
			ID: "queryWalletState", Method: http.MethodPost, Path: "/v1/{chain}/query/wallet-state",
			Summary: "Get token balances of an address at one block.",
			Params:  []frame.Param{frame.ChainParam}, Request: "WalletStateRequest", MaxBody: 8 << 10, Permission: account.Read,
			Class: frame.Heavy, Cert: frame.Beta, Audience: frame.External, Timeout: 10 * time.Second, Cache: "no-cache",
			Success: http.StatusOK, Body: "WalletState", Errors: []domain.Code{domain.CodeNotFound, domain.CodeUnsupportedToken, domain.CodeHistoryNotIndexed},
			Proof: []string{"TestEveryBalanceOfAWalletIsOfOneBlock", "TestOneFailedBalanceFailsACompleteSnapshot",
				"TestACompleteSnapshotIsWholeOrRefused", "TestAPartialSnapshotNamesWhatFailed", "TestPartialDiscoveryIsNeverVerifiedComplete", "TestInvalidWalletRequestIsRejected"},
			Handle: h.walletState,
		},
	}
}
