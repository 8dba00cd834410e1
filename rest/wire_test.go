package rest

import (
	"astrolabe/rest/accounts"
	"astrolabe/rest/addresses"
	"astrolabe/rest/chains"
	"astrolabe/rest/contracts"
	"astrolabe/rest/frame"
	"astrolabe/rest/tokens"
)

// The wire types that the tests read.
type (
	envelope           = frame.Envelope
	listBody[T any]    = frame.ListBody[T]
	coveredList[T any] = frame.CoveredListBody[T]
	coverageBody       = frame.CoverageBody
	batchBody[T any]   = frame.BatchBody[T]

	accountCall          = chains.AccountCall
	blockAtTimestampBody = chains.BlockAtTimestampBody
	blockBody            = chains.BlockBody
	blockItem            = chains.BlockItem
	decodedField         = chains.DecodedField
	eventRow             = chains.EventRow
	gasPrice             = chains.GasPrice
	intervalBody         = chains.IntervalBody
	messageItem          = chains.MessageItem
	momentQuery          = chains.MomentQuery
	previewItem          = chains.PreviewItem
	rangeCoverage        = chains.RangeCoverage
	receiptBody          = chains.ReceiptBody
	searchBody           = chains.SearchBody
	searchHit            = chains.SearchHit
	statusBody           = chains.StatusBody
	timedBlock           = chains.TimedBlock
	transactionBody      = chains.TransactionBody
	txItem               = chains.TxItem

	bridgeSignalItem         = contracts.BridgeSignalItem
	contractBody             = contracts.ContractBody
	contractReadBody         = contracts.ContractReadBody
	contractVerificationBody = contracts.ContractVerificationBody

	balanceBody         = tokens.BalanceBody
	censusBody          = tokens.CensusBody
	controlBody         = tokens.ControlBody
	controlEvidence     = tokens.ControlEvidence
	controlsBody        = tokens.ControlsBody
	controlsSnapshot    = tokens.ControlsSnapshot
	holderAnalyticsBody = tokens.HolderAnalyticsBody
	holderBody          = tokens.HolderBody
	holderScreeningBody = tokens.HolderScreeningBody
	holderShareBody     = tokens.HolderShareBody
	poolEvidence        = tokens.PoolEvidence
	poolItem            = tokens.PoolItem
	poolPage            = tokens.PoolPage
	supplyBody          = tokens.SupplyBody
	tokenBody           = tokens.TokenBody
	transferRow         = tokens.TransferRow

	activityItem           = addresses.ActivityItem
	addressTransactionItem = addresses.AddressTransactionItem
	assetItem              = addresses.AssetItem
	assetList              = addresses.AssetList
	assetProof             = addresses.AssetProof
	attributionBody        = addresses.AttributionBody
	intelligenceItem       = addresses.IntelligenceItem
	summaryItem            = addresses.SummaryItem
	walletBody             = addresses.WalletBody
	walletItem             = addresses.WalletItem

	issuedBody  = accounts.IssuedBody
	keyBody     = accounts.KeyBody
	keyListBody = accounts.KeyListBody
	sessionBody = accounts.SessionBody
	usageBody   = accounts.UsageBody
)
