package addresses

import (
	"context"
	"net/http"
	"time"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/address"
	"astrolabe/rest/frame"
	"astrolabe/starknet"
)

// AttributionBody is the label of an address and its source.
type AttributionBody struct {
	ChainID          domain.Chain        `json:"chainId"`
	RequestedAddress string              `json:"requestedAddress"`
	CanonicalAddress starknet.Felt       `json:"canonicalAddress"`
	Known            bool                `json:"known"`
	Label            *string             `json:"label"`
	Confidence       *address.Confidence `json:"confidence"`
	Source           address.Source      `json:"source"`
	Protocol         *protocolBody       `json:"protocol"`
}

// protocolBody is the protocol of an address.
type protocolBody struct {
	Name string  `json:"name"`
	Kind *string `json:"kind"`
}

func wireProtocol(l *address.Label) *protocolBody {
	if l == nil || l.Protocol == nil {
		return nil
	}
	return &protocolBody{l.Protocol.Name, frame.NullIfEmpty(l.Protocol.Kind)}
}

func (h Handlers) attribution(ctx context.Context, c *frame.Call) (any, error) {
	body := AttributionBody{ChainID: c.Chain, RequestedAddress: c.AsWritten(frame.AddressParam.Name), CanonicalAddress: c.Felt(frame.AddressParam.Name), Source: address.FromNowhere}
	labels, err := h.Labels.Of(ctx, c.Chain, []starknet.Felt{body.CanonicalAddress})
	if err != nil {
		return nil, err
	}
	if label := labels[0]; label != nil {
		body.Known, body.Label, body.Confidence, body.Source, body.Protocol = true, &label.Text, &label.Confidence, label.Source, wireProtocol(label)
	}
	return body, nil
}

func (h Handlers) attributionOperation() frame.Operation {
	return frame.Operation{
		ID: "getAddressAttribution", Method: http.MethodGet, Path: "/v1/{chain}/address/{address}/attribution",
		Summary: "Get the label of an address and its source.",
		Params:  []frame.Param{frame.ChainParam, frame.AddressParam}, Permission: account.Read,
		Class: frame.Light, Cert: frame.Beta, Audience: frame.External, Timeout: 2 * time.Second, Cache: "no-cache",
		Success: http.StatusOK, Body: "AddressAttribution",
		Proof:  []string{"TestAttributionNamesTheSourceOfALabel"},
		Handle: h.attribution,
	}
}
