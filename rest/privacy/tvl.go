package privacy

import (
	"context"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/privacy"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// TVLBody is the flow ledger as of its newest block: part 2.1 of the contract.
type TVLBody struct {
	Envelope
	Status   privacy.LedgerStatus `json:"status"`
	AsOf     TVLAsOf              `json:"asOf"`
	Coverage TVLCoverage          `json:"coverage"`
	Assets   []TVLAsset           `json:"assets"`
	Caveat   string               `json:"caveat"`
}

// TVLAsOf is the newest block of the ledger.
type TVLAsOf struct {
	BlockNumber    *uint64        `json:"blockNumber"`
	BlockHash      *starknet.Felt `json:"blockHash"`
	BlockTimestamp *time.Time     `json:"blockTimestamp"`
	MaterializedAt *time.Time     `json:"materializedAt"`
}

// TVLCoverage is what the ledger covers, and whether it may be published.
type TVLCoverage struct {
	Status                      privacy.LedgerStatus `json:"status"`
	ReasonCode                  privacy.LedgerReason `json:"reasonCode"`
	FinalizedOnly               bool                 `json:"finalizedOnly"`
	FinalityBasis               string               `json:"finalityBasis"`
	AsOfL1Accepted              *bool                `json:"asOfL1Accepted"`
	LatestL1AcceptedBlockNumber *uint64              `json:"latestL1AcceptedBlockNumber"`
	LatestL1AcceptedBlockHash   *starknet.Felt       `json:"latestL1AcceptedBlockHash"`
	FromBlockNumber             *uint64              `json:"fromBlockNumber"`
	ThroughBlockNumber          *uint64              `json:"throughBlockNumber"`
	MissingAmountEventCount     uint64               `json:"missingAmountEventCount"`
	DecodedMaterializationFresh bool                 `json:"decodedMaterializationFresh"`
	DecodedEventLagBlocks       *uint64              `json:"decodedEventLagBlocks"`
	LatestEventCursor           *string              `json:"latestEventCursor"`
	LatestEventBlockNumber      *uint64              `json:"latestEventBlockNumber"`
	PoolContractCount           uint64               `json:"poolContractCount"`
	TokenCount                  int                  `json:"tokenCount"`
}

// FlowBody is what flowed of a token.
type FlowBody struct {
	Status                  privacy.LedgerStatus `json:"status"`
	ReasonCode              privacy.LedgerReason `json:"reasonCode"`
	DepositAmountRaw        string               `json:"depositAmountRaw"`
	WithdrawalAmountRaw     string               `json:"withdrawalAmountRaw"`
	ProtectedAmountRaw      domain.Amount        `json:"protectedAmountRaw"`
	ProtectedAmount         *string              `json:"protectedAmount"`
	DepositEventCount       uint64               `json:"depositEventCount"`
	WithdrawalEventCount    uint64               `json:"withdrawalEventCount"`
	MissingAmountEventCount uint64               `json:"missingAmountEventCount"`
}

// TVLAsset is a token of the ledger.
type TVLAsset struct {
	Token Token `json:"token"`
	FlowBody
	PoolContractCount uint64 `json:"poolContractCount"`
}

func flowBody(a *privacy.Asset) FlowBody {
	status, reason := a.Status()
	return FlowBody{
		Status: status, ReasonCode: reason, DepositAmountRaw: a.Deposited.String(), WithdrawalAmountRaw: a.Withdrawn.String(),
		ProtectedAmountRaw: a.Net(), ProtectedAmount: a.Decimal(),
		DepositEventCount: a.Deposits, WithdrawalEventCount: a.Withdrawals, MissingAmountEventCount: a.Missing,
	}
}

func tokenBody(a *privacy.Asset) Token { return Token{a.Token, a.Symbol, a.Name, a.Decimals} }

func tvlAsset(a privacy.Asset) TVLAsset { return TVLAsset{tokenBody(&a), flowBody(&a), a.Pools} }

func tvlBody(c domain.Chain, s *privacy.Snapshot) TVLBody {
	body := TVLBody{
		Envelope: envelopeOf(c), Status: s.Status, Assets: frame.RenderAll(s.Assets, tvlAsset), Caveat: privacy.FlowCaveat,
		AsOf: TVLAsOf{MaterializedAt: s.MaterializedAt},
		Coverage: TVLCoverage{
			Status: s.Status, ReasonCode: s.Reason, FinalizedOnly: true, FinalityBasis: privacy.FinalityBasis, AsOfL1Accepted: s.L1Accepted,
			FromBlockNumber: s.From, MissingAmountEventCount: s.Missing, DecodedMaterializationFresh: s.Fresh, DecodedEventLagBlocks: s.LagBlocks,
			LatestEventCursor: watermark(s.LatestFlow), PoolContractCount: s.Pools, TokenCount: len(s.Assets),
		},
	}
	if at := s.AsOf; at != nil {
		body.AsOf.BlockNumber, body.AsOf.BlockHash, body.AsOf.BlockTimestamp = &at.Number, &at.Hash, new(unix(at.Timestamp))
		body.Coverage.ThroughBlockNumber = &at.Number
	}
	if s.L1 != nil {
		body.Coverage.LatestL1AcceptedBlockNumber, body.Coverage.LatestL1AcceptedBlockHash = &s.L1.Number, &s.L1.Hash
	}
	if s.LatestEvent != nil {
		body.Coverage.LatestEventBlockNumber = &s.LatestEvent.Block
	}
	return body
}

// watermark renders the place of a flow; nil stays null.
func watermark(p *privacy.Place) *string {
	if p == nil {
		return nil
	}
	return new(privacy.Watermark(*p))
}

func unix(seconds uint64) time.Time { return time.Unix(int64(seconds), 0).UTC() }

// tvl generates the body of the snapshot of a chain.
func (h Handlers) tvl(ctx context.Context, c domain.Chain) ([]byte, error) {
	snapshot, err := h.PrivacyPrepared.Snapshot(ctx, c)
	if err != nil {
		return nil, err
	}
	return frame.Encode(tvlBody(c, &snapshot)), nil
}
