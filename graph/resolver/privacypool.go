package resolver

import (
	"context"
	"slices"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/privacy"
	"astrolabe/graph/cohort"
	privacygraph "astrolabe/graph/privacy"
	"astrolabe/graph/scalar"
	"astrolabe/starknet"
)

// PrivacyPool is the public facts of the privacy pools of a chain. Each of its
// fields is read separately, and draws on the rate limit of its REST class.
type PrivacyPool struct{ onChain }

// PrivacyPool returns the privacy pools of a chain.
func (r *Query) PrivacyPool(_ context.Context, id domain.Chain) (*PrivacyPool, error) {
	on, err := r.resolver.onChain(id)
	if err != nil {
		return nil, err
	}
	return &PrivacyPool{on}, nil
}

// SchemaVersion returns the version of the shape of these facts.
func (*PrivacyPool) SchemaVersion() string { return privacy.SchemaVersion }

// Scope names the facts that are covered.
func (*PrivacyPool) Scope() string { return privacy.Scope }

// AccountingMethod names the rules of the flow ledger.
func (*PrivacyPool) AccountingMethod() string { return privacy.AccountingMethod }

// Caveat says what counts and amounts of deposits include.
func (*PrivacyPool) Caveat() string { return privacy.FlowCaveat }

// Status counts the public events, and returns how far they are decoded.
func (p *PrivacyPool) Status(ctx context.Context) (*privacygraph.Status, error) {
	if err := p.resolver.Draw(ctx, account.Light, 1); err != nil {
		return nil, err
	}
	status, err := p.resolver.PrivacyStatuses.Of(ctx, p.chain)
	if err != nil {
		return nil, err
	}
	return privacygraph.StatusOf(status), nil
}

// PrivacyPoolSnapshot is the flow ledger as of its newest block.
type PrivacyPoolSnapshot struct {
	onChain
	membership[*PrivacyPoolSnapshot]
	Status   scalar.Enum
	AsOf     privacygraph.AsOf
	Coverage privacygraph.Coverage
	Assets   []*PrivacyPoolAsset
}

// Snapshot returns the flow ledger as of its newest block.
func (p *PrivacyPool) Snapshot(ctx context.Context) (*PrivacyPoolSnapshot, error) {
	if err := p.resolver.Draw(ctx, account.Light, 1); err != nil {
		return nil, err
	}
	snapshot, err := p.resolver.PrivacyPrepared.Snapshot(ctx, p.chain)
	if err != nil {
		return nil, err
	}
	cache := new(cohort.Cache)
	s := &PrivacyPoolSnapshot{
		onChain: p.onChain, Status: scalar.Enum(snapshot.Status), AsOf: privacygraph.AsOfSnapshot(&snapshot), Coverage: privacygraph.CoverageOf(&snapshot),
		Assets: joinCohort(cache, p.poolAssets(snapshot.Assets)),
	}
	joinCohort(cache, []*PrivacyPoolSnapshot{s})
	return s, nil
}

// Block returns the newest block of the ledger.
func (s *PrivacyPoolSnapshot) Block(ctx context.Context) (*Block, error) {
	number := func(s *PrivacyPoolSnapshot) *uint64 { return s.AsOf.BlockNumber }
	return toOne(ctx, s, "PrivacyPoolSnapshot.block", optionalKey(number), s.blocksByNumber())
}

// PrivacyPoolPoint is the flow ledger at the end of an hour.
type PrivacyPoolPoint struct {
	onChain
	membership[*PrivacyPoolPoint]
	point  *privacy.Point
	Assets []*PrivacyPoolAsset
}

// Timestamp returns the start of the hour.
func (p *PrivacyPoolPoint) Timestamp() time.Time { return time.Unix(p.point.Hour, 0).UTC() }

// AccountingMethod names the rules of the flow ledger.
func (*PrivacyPoolPoint) AccountingMethod() string { return privacy.AccountingMethod }

// AsOf returns the last block before the end of the hour.
func (p *PrivacyPoolPoint) AsOf() privacygraph.PointAsOf { return privacygraph.AsOfPoint(p.point) }

// Status returns whether the point may be consumed.
func (p *PrivacyPoolPoint) Status() scalar.Enum { return scalar.Enum(p.point.Status) }

// ReasonCode returns why the point has its status.
func (p *PrivacyPoolPoint) ReasonCode() scalar.Enum { return scalar.Enum(p.point.Reason) }

// MissingAmountEventCount counts the flows whose amount could not be read.
func (p *PrivacyPoolPoint) MissingAmountEventCount() uint64 { return p.point.Missing }

// PoolContractCount counts the pools with events.
func (p *PrivacyPoolPoint) PoolContractCount() uint64 { return p.point.Pools }

// TokenCount counts the tokens that had flowed.
func (p *PrivacyPoolPoint) TokenCount() uint64 { return p.point.Tokens }

// Block returns the last block before the end of the hour.
func (p *PrivacyPoolPoint) Block(ctx context.Context) (*Block, error) {
	number := func(p *PrivacyPoolPoint) uint64 { return p.point.Block.Number }
	return toOne(ctx, p, "PrivacyPoolPoint.block", requiredKey(number), p.blocksByNumber())
}

// PrivacyPoolPointConnection is a page of points.
type PrivacyPoolPointConnection = Connection[*PrivacyPoolPoint]

// PrivacyPoolPointEdge is an edge of a connection with one point and its cursor.
type PrivacyPoolPointEdge = Edge[*PrivacyPoolPoint]

// HourlyPoints returns the flow ledger at the end of each hour, oldest first. The
// assets of all points form one cohort.
func (p *PrivacyPool) HourlyPoints(ctx context.Context, from, to time.Time, first *int, after *string) (*PrivacyPoolPointConnection, error) {
	l, err := p.heavyList(ctx, first, after)
	if err != nil {
		return nil, err
	}
	page, err := p.resolver.PrivacyPrepared.Points(ctx, p.chain, from, to, l.request)
	if err != nil {
		return nil, err
	}
	cache, assets := new(cohort.Cache), []*PrivacyPoolAsset(nil)
	points := slicesOf(cache, []domain.Page[privacy.Point]{page}, privacy.Point.Position, func(_ int, row privacy.Point) *PrivacyPoolPoint {
		own := p.poolAssets(row.Assets)
		assets = append(assets, own...)
		return &PrivacyPoolPoint{onChain: p.onChain, point: &row, Assets: own}
	})[0]
	joinCohort(cache, assets)
	return &PrivacyPoolPointConnection{slice: points, list: l}, nil
}

// heavyList reads the arguments of a list, and draws on the rate limit of heavy
// requests.
func (p *PrivacyPool) heavyList(ctx context.Context, first *int, after *string) (*listing, error) {
	l, err := p.list(ctx, string(p.chain), first, after)
	if err != nil {
		return nil, err
	}
	return l, p.resolver.Draw(ctx, account.Heavy, 1)
}

// PrivacyPoolAnalytics are sums over the finalized events of the pools.
type PrivacyPoolAnalytics struct {
	sums       *privacy.Aggregates
	TokenFlows []*PrivacyPoolAsset
}

// Analytics returns sums over the finalized events.
func (p *PrivacyPool) Analytics(ctx context.Context) (*PrivacyPoolAnalytics, error) {
	if err := p.resolver.Draw(ctx, account.Light, 1); err != nil {
		return nil, err
	}
	sums, err := p.resolver.PrivacyPrepared.Analytics(ctx, p.chain)
	if err != nil {
		return nil, err
	}
	return &PrivacyPoolAnalytics{&sums, joinCohort(new(cohort.Cache), p.poolAssets(sums.Assets))}, nil
}

// TotalEvents counts the events.
func (a *PrivacyPoolAnalytics) TotalEvents() uint64 { return a.sums.Events.Total() }

// UniqueTransactionCount counts the transactions with events of a pool.
func (a *PrivacyPoolAnalytics) UniqueTransactionCount() uint64 { return a.sums.Transactions }

// ContractCount counts the pools with events.
func (a *PrivacyPoolAnalytics) ContractCount() uint64 { return a.sums.Active }

// LatestEventBlock returns the block of the newest finalized event.
func (a *PrivacyPoolAnalytics) LatestEventBlock() *uint64 {
	if a.sums.Event == nil {
		return nil
	}
	return &a.sums.Event.Block
}

// EventBreakdown counts the events by name.
func (a *PrivacyPoolAnalytics) EventBreakdown() []privacygraph.NameCount {
	return privacygraph.NameCounts(a.sums.Events.Breakdown())
}

// VisibilityBreakdown counts the events by how much they make public.
func (a *PrivacyPoolAnalytics) VisibilityBreakdown() []privacygraph.NameCount {
	return privacygraph.NameCounts(a.sums.Events.ByVisibility())
}

// TokenFlowsTruncated reports whether more tokens flowed.
func (a *PrivacyPoolAnalytics) TokenFlowsTruncated() bool { return a.sums.Truncated }

// MissingAmountEventCount counts the flows whose amount could not be read.
func (a *PrivacyPoolAnalytics) MissingAmountEventCount() uint64 { return a.sums.Missing }

// UnknownTokenCount counts the tokens whose symbol or decimals are not known.
func (a *PrivacyPoolAnalytics) UnknownTokenCount() uint64 { return a.sums.Undescribed }

// UnavailableMetrics lists the numbers that public events do not give.
func (a *PrivacyPoolAnalytics) UnavailableMetrics() []privacy.UnavailableMetric {
	return privacy.UnavailableMetrics
}

// MetricBuckets returns the newest days, oldest first.
func (p *PrivacyPool) MetricBuckets(ctx context.Context, first int) ([]privacygraph.MetricBucket, error) {
	if err := p.resolver.Draw(ctx, account.Heavy, 1); err != nil {
		return nil, err
	}
	buckets, err := p.resolver.PrivacyPrepared.DailyBuckets(ctx, p.chain, first)
	return privacygraph.MetricBuckets(buckets), err
}

// MetricSeries returns wallets, flows and fees over time. Range is the name of
// the argument, which is a keyword in lower case.
func (p *PrivacyPool) MetricSeries(ctx context.Context, Range string, granularity scalar.Enum, token *starknet.Felt) (*privacygraph.MetricSeries, error) {
	span, width := privacy.Range(Range), privacy.Width(granularity)
	if !slices.Contains([]privacy.Range{privacy.Range24h, privacy.Range7d, privacy.Range30d, privacy.RangeAll}, span) {
		return nil, domain.Errorf(domain.CodeInvalidRequest, "range must be one of 24h, 7d, 30d and all, got %s.", domain.Quote(Range))
	}
	if err := p.resolver.Draw(ctx, account.Heavy, 1); err != nil {
		return nil, err
	}
	series, err := p.resolver.PrivacyPrepared.Series(ctx, p.chain, span, width, token)
	if err != nil {
		return nil, err
	}
	return privacygraph.SeriesOf(span, width, series), nil
}

// PrivacyPoolAsset is what flowed of a token: in a snapshot, in a point, or in
// the analytics.
type PrivacyPoolAsset struct {
	onChain
	membership[*PrivacyPoolAsset]
	asset *privacy.Asset
}

func (on onChain) poolAssets(assets []privacy.Asset) []*PrivacyPoolAsset {
	return convert(assets, func(a privacy.Asset) *PrivacyPoolAsset { return &PrivacyPoolAsset{onChain: on, asset: &a} })
}

// TokenAddress returns the address of the token.
func (a *PrivacyPoolAsset) TokenAddress() starknet.Felt { return a.asset.Token }

// TokenSymbol returns the self-declared symbol of the token.
func (a *PrivacyPoolAsset) TokenSymbol() *string { return a.asset.Symbol }

// TokenName returns the self-declared name of the token.
func (a *PrivacyPoolAsset) TokenName() *string { return a.asset.Name }

// TokenDecimals returns the self-declared number of decimals.
func (a *PrivacyPoolAsset) TokenDecimals() *int { return intOrNil(a.asset.Decimals) }

// Status returns whether the amounts may be published.
func (a *PrivacyPoolAsset) Status() scalar.Enum {
	status, _ := a.asset.Status()
	return scalar.Enum(status)
}

// ReasonCode returns why the asset has its status.
func (a *PrivacyPoolAsset) ReasonCode() scalar.Enum {
	_, reason := a.asset.Status()
	return scalar.Enum(reason)
}

// DepositAmountRaw returns what flowed in.
func (a *PrivacyPoolAsset) DepositAmountRaw() domain.Amount {
	return domain.AmountFromBig(a.asset.Deposited.Big())
}

// WithdrawalAmountRaw returns what flowed out.
func (a *PrivacyPoolAsset) WithdrawalAmountRaw() domain.Amount {
	return domain.AmountFromBig(a.asset.Withdrawn.Big())
}

// ProtectedAmountRaw returns what flowed in minus what flowed out.
func (a *PrivacyPoolAsset) ProtectedAmountRaw() domain.Amount { return a.asset.Net() }

// ProtectedAmount returns the same in whole tokens.
func (a *PrivacyPoolAsset) ProtectedAmount() *string { return a.asset.Decimal() }

// ObservableDepositAmountRaw returns what was seen to flow in.
func (a *PrivacyPoolAsset) ObservableDepositAmountRaw() domain.Amount { return a.DepositAmountRaw() }

// ObservableWithdrawalAmountRaw returns what was seen to flow out.
func (a *PrivacyPoolAsset) ObservableWithdrawalAmountRaw() domain.Amount {
	return a.WithdrawalAmountRaw()
}

// ObservableNetAmountRaw returns the difference of both.
func (a *PrivacyPoolAsset) ObservableNetAmountRaw() domain.Amount { return a.asset.Net() }

// EventCount counts the events that moved the token.
func (a *PrivacyPoolAsset) EventCount() uint64 { return a.asset.Deposits + a.asset.Withdrawals }

// DepositEventCount counts the events that moved the token into a pool.
func (a *PrivacyPoolAsset) DepositEventCount() uint64 { return a.asset.Deposits }

// WithdrawalEventCount counts the events that moved the token out of a pool.
func (a *PrivacyPoolAsset) WithdrawalEventCount() uint64 { return a.asset.Withdrawals }

// MissingAmountEventCount counts the flows whose amount could not be read.
func (a *PrivacyPoolAsset) MissingAmountEventCount() uint64 { return a.asset.Missing }

// PoolContractCount counts the pools through which the token flowed.
func (a *PrivacyPoolAsset) PoolContractCount() uint64 { return a.asset.Pools }

// Token returns the token.
func (a *PrivacyPoolAsset) Token(ctx context.Context) (*Token, error) {
	return toOne(ctx, a, "PrivacyPoolAsset.token", requiredKey((*PrivacyPoolAsset).TokenAddress), a.tokens())
}
