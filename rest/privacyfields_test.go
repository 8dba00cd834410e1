package rest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"astrolabe/access"
	"astrolabe/domain"
)

// privacyRequests has a request for every route of privacy pools.
var privacyRequests = map[string]string{
	"getPrivacyPoolStatus":         "status",
	"listPrivacyPoolEvents":        "events?limit=100",
	"listPrivacyPoolCommitments":   "commitments",
	"listPrivacyPoolNullifiers":    "nullifiers",
	"getPrivacyPoolDashboard":      "dashboard",
	"getPrivacyPoolTvl":            "tvl",
	"listPrivacyPoolTvlSeries":     "tvl/series?granularity=hour&from=2026-01-01T00:00:00Z&to=2026-01-01T05:00:00Z",
	"listPrivacyPoolMetricBuckets": "metric-buckets",
	"getPrivacyPoolMetricSeries":   "metrics/series?range=all",
	"getPrivacyPoolAnalytics":      "analytics",
}

// allowedFields are the names of all fields that these routes may have. Each one
// is a public fact, a sum of public facts, or says how far these are known. None
// may say who owns a note, connect a commitment with a nullifier or a deposit
// with a withdrawal, estimate an anonymity set, or give a balance or a value.
var allowedFields = func() map[string]bool {
	allowed := map[string]bool{}
	for name := range strings.FieldsSeq(`
		schemaVersion chainId scope accountingMethod caveat items nextCursor status reasonCode coverage
		blockNumber timestampIso txHash txIndex logIndex address keys topic0 topic1 topic2 topic3 data sourceTier
		decodingStatus eventName eventNameSource decodedFields decodedFieldsSource decodedFieldsUnavailableReason eventDecodingDegraded
		label type source kind rawValues originIndexes displayValue addressValue numericValue textValue boolValue
		publicFields visibility actorAddress toAddress token symbol name decimals amountRaw noteId nullifier auditorPublicKey
		privacyFees tokenAddress collectorAddress transferLogIndex transferIndex feeCollectorConfig feeAmountConfig
		poolContractAddress commitmentHash nullifierHash
		poolContracts totalEvents eventBreakdown count depositCount withdrawalCount openNoteCreatedCount openNoteDepositedCount
		encNoteCreatedCount noteUsedCount auditorPublicKeySetCount viewingKeySetCount registeredUserCount
		noteState commitmentCount nullifierCount latestEvent latestDecodedEvent latestRawEvent cursor
		eventLagBlocks materializationFresh rawEventFilterTruncated
		analytics events
		asOf blockHash blockTimestamp materializedAt latestEventCursor timestamp granularity order from to limit
		finalizedOnly finalityBasis asOfL1Accepted latestL1AcceptedBlockNumber latestL1AcceptedBlockHash fromBlockNumber throughBlockNumber
		missingAmountEventCount decodedMaterializationFresh decodedEventLagBlocks latestEventBlockNumber poolContractCount tokenCount
		assets protectedAmountRaw protectedAmount depositAmountRaw withdrawalAmountRaw depositEventCount withdrawalEventCount
		bucketGranularity bucketStartIso newViewingKeyWallets cumulativeViewingKeyWallets visibleDeposits visibleWithdrawals noteUsedEvents latestBlockNumber
		range walletSeries shieldedSupplySeries depositedRaw withdrawnRaw shieldedSupplyRaw tokensTruncated
		privacyFeeSeries feeAmountRaw cumulativeFeeAmountRaw feeTransferCount
		uniqueTransactionCount contractCount latestEventBlock visibilityBreakdown tokenFlows tokenFlowsTruncated eventCount
		observableDepositAmountRaw observableWithdrawalAmountRaw observableNetAmountRaw unknownTokenCount unavailableMetrics metric reason
	`) {
		allowed[name] = true
	}
	return allowed
}()

// TestPrivacyRoutesHaveOnlyAllowedFields looks at a response of every route, and
// at every field that its schema has.
func TestPrivacyRoutesHaveOnlyAllowedFields(t *testing.T) {
	t.Parallel()
	s := newOwnExplorer(t)
	s.extendLedger()
	page, _ := s.access.Gate.FirstParty.Issue(s.url, loopback)
	document := loadContract(t)
	routes := 0
	for _, op := range Table() {
		if !strings.Contains(op.Path, "/privacy-pool/") {
			continue
		}
		routes++
		request, ok := privacyRequests[op.ID]
		if !ok {
			t.Errorf("%s: got no request of this route, want one in privacyRequests", op.ID)
			continue
		}
		a := s.askWith(http.MethodGet, poolPath+request, access.PageHeader, page.Reveal())
		var body any
		if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.StatusCode != http.StatusOK {
			t.Errorf("%s: got %d %s, want 200", op.ID, a.StatusCode, a.body)
			continue
		}
		unknown := map[string]bool{}
		fieldsOfBody(body, unknown)
		content := document.Paths.Find(op.Path).GetOperation(op.Method).Responses.Status(op.Success).Value.Content
		for _, media := range content {
			fieldsOfSchema(media.Schema, unknown)
		}
		for name := range unknown {
			if !allowedFields[name] {
				t.Errorf("%s: got the field %q, want only those of allowedFields", op.ID, name)
			}
		}
	}
	if routes != len(privacyRequests) {
		t.Errorf("got %d routes of privacy pools, want %d", routes, len(privacyRequests))
	}
}

// fieldsOfBody collects the names of all fields of a body.
func fieldsOfBody(value any, names map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		for name, field := range value {
			names[name] = true
			fieldsOfBody(field, names)
		}
	case []any:
		for _, item := range value {
			fieldsOfBody(item, names)
		}
	}
}

// fieldsOfSchema collects the names of all fields that a schema has.
func fieldsOfSchema(ref *openapi3.SchemaRef, names map[string]bool) {
	if ref == nil || ref.Value == nil {
		return
	}
	for name, field := range ref.Value.Properties {
		names[name] = true
		fieldsOfSchema(field, names)
	}
	fieldsOfSchema(ref.Value.Items, names)
	for _, list := range []openapi3.SchemaRefs{ref.Value.OneOf, ref.Value.AllOf, ref.Value.AnyOf} {
		for _, one := range list {
			fieldsOfSchema(one, names)
		}
	}
}

// TestTheDashboardServesOurOwnPagesOnly also holds it against the routes that it
// is composed of.
func TestTheDashboardServesOurOwnPagesOnly(t *testing.T) {
	t.Parallel()
	s := newOwnExplorer(t)
	s.extendLedger()
	for _, key := range s.access.Keys {
		a := s.askWith(http.MethodGet, poolPath+"dashboard", "X-Service-Api-Key", key)
		if a.StatusCode != http.StatusForbidden { // without the read permission
			requireFailure(t, a, http.StatusNotFound, domain.CodeUnsupportedRoute)
		}
	}
	requireFailure(t, s.get(poolPath+"dashboard"), http.StatusNotFound, domain.CodeUnsupportedRoute)
	requireFailure(t, s.askWith(http.MethodGet, poolPath+"dashboard"), http.StatusUnauthorized, domain.CodeUnauthorized)

	page, _ := s.access.Gate.FirstParty.Issue(s.url, loopback)
	a := s.askWith(http.MethodGet, poolPath+"dashboard", access.PageHeader, page.Reveal())
	var body map[string]json.RawMessage
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("got %d %s, want 200", a.StatusCode, a.body)
	}
	for name, path := range map[string]string{"status": "status", "analytics": "analytics", "events": "events?limit=25"} {
		want := strings.TrimSpace(s.get(poolPath + path).body)
		if i := strings.Index(want, `,"nextCursor":"`); i >= 0 { // the dashboard has none
			end := strings.Index(want[i+len(`,"nextCursor":"`):], `"`) + i + len(`,"nextCursor":"`) + 1
			want = want[:i] + `,"nextCursor":null` + want[end:]
		}
		if got := string(body[name]); got != want {
			t.Errorf("%s: got %s, want %s as on its own route", name, got, want)
		}
	}
}
