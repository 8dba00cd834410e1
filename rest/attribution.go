package rest

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/go-chi/chi/v5"

	"astrolabe/domain"
	"astrolabe/domain/account"
	"astrolabe/domain/address"
	"astrolabe/starknet"
)

type attributionBody struct {
	ChainID          domain.Chain        `json:"chainId"`
	RequestedAddress string              `json:"requestedAddress"`
	CanonicalAddress starknet.Felt       `json:"canonicalAddress"`
	Known            bool                `json:"known"`
	Label            *string             `json:"label"`
	Confidence       *address.Confidence `json:"confidence"`
	Source           address.Source      `json:"source"`
	Protocol         *protocolBody       `json:"protocol"`
}

// protocolBody is what an address is a part of.
type protocolBody struct {
	Name string  `json:"name"`
	Kind *string `json:"kind"`
}

func wireProtocol(l *address.Label) *protocolBody {
	if l == nil || l.Protocol == nil {
		return nil
	}
	return &protocolBody{l.Protocol.Name, wordOrNull(l.Protocol.Kind)}
}

func (s *server) attribution(ctx context.Context, c *Call) (any, error) {
	requested, err := url.PathUnescape(chi.URLParam(c.Request, ownerParam.Name))
	if err != nil {
		return nil, ownerParam.refuse("is not a valid path segment")
	}
	body := attributionBody{ChainID: c.Chain, RequestedAddress: requested, CanonicalAddress: c.Felt(ownerParam.Name), Source: address.FromNowhere}
	labels, err := s.Labels.Of(ctx, c.Chain, []starknet.Felt{body.CanonicalAddress})
	if err != nil {
		return nil, err
	}
	if label := labels[0]; label != nil {
		body.Known, body.Label, body.Confidence, body.Source, body.Protocol = true, &label.Text, &label.Confidence, label.Source, wireProtocol(label)
	}
	return body, nil
}

func (s *server) attributionOperation() Operation {
	return Operation{
		ID: "getAddressAttribution", Method: http.MethodGet, Path: "/v1/{chain}/address/{address}/attribution",
		Summary: "What an address is called, and who says so",
		Params:  []Param{chainParam, ownerParam}, Permission: account.Read,
		Class: Light, Cert: Beta, Audience: External, Budget: 2 * time.Second, Cache: "no-cache",
		Success: http.StatusOK, Body: "AddressAttribution",
		Proof:  []string{"TestAttributionSaysWhereALabelIsFrom"},
		Handle: s.attribution,
	}
}
