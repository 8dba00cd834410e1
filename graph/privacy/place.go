package privacy

import (
	"time"

	"astrolabe/domain"
	"astrolabe/domain/privacy"
	"astrolabe/starknet"
)

// EventPlace is the position of an event.
type EventPlace struct {
	BlockNumber       uint64
	TxIndex, LogIndex int
}

func eventPlace(p privacy.Place) EventPlace { return EventPlace{p.Block, p.Tx, p.Log} }

// LatestEvent is the position of an event, also as a text that can be compared
// with other answers.
type LatestEvent struct {
	EventPlace
	Cursor string
}

func latestEvent(p *privacy.Place) *LatestEvent {
	if p == nil {
		return nil
	}
	return &LatestEvent{eventPlace(*p), privacy.Watermark(*p)}
}

// watermark renders the place of a flow; nil stays nil.
func watermark(p *privacy.Place) *string {
	if p == nil {
		return nil
	}
	return new(privacy.Watermark(*p))
}

func unix(seconds uint64) time.Time { return time.Unix(int64(seconds), 0).UTC() }

func amount(n starknet.Uint256) domain.Amount { return domain.AmountFromBig(n.Big()) }

// Fee is a fee of a pool with its evidence.
type Fee struct {
	TokenAddress, CollectorAddress  starknet.Felt
	AmountRaw                       domain.Amount
	TransferLogIndex, TransferIndex int
	FeeCollectorConfig              *EventPlace
	FeeAmountConfig                 *EventPlace
}

// FeeOf makes the object of a fee.
func FeeOf(f privacy.Fee) Fee {
	return Fee{
		TokenAddress: f.Token, CollectorAddress: f.Collector, AmountRaw: amount(f.Amount), TransferLogIndex: f.TransferLog, TransferIndex: f.TransferIndex,
		FeeCollectorConfig: new(eventPlace(f.CollectorSet)), FeeAmountConfig: new(eventPlace(f.AmountSet)),
	}
}
