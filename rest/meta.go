package rest

import (
	"context"

	"astrolabe/domain"
)

type operationBody struct {
	OperationID   string        `json:"operationId"`
	Method        string        `json:"method"`
	Path          string        `json:"path"`
	Certification Certification `json:"certification"`
	Tier          Tier          `json:"tier"`
	Audience      Audience      `json:"audience"`
	RouteClass    RouteClass    `json:"routeClass"`
}

func describe(op Operation) operationBody {
	return operationBody{op.ID, op.Method, op.Path, op.Cert, op.Tier(), op.Audience, op.Class}
}

type capabilitiesBody struct {
	Version     string          `json:"version"`
	Chains      []domain.Chain  `json:"chains"`
	Operations  []operationBody `json:"operations"`
	EventSearch struct {
		FullRange struct {
			SelectorCoverage []struct{} `json:"selectorCoverage"`
		} `json:"fullRange"`
	} `json:"eventSearch"`
}

func (s *server) capabilities(context.Context, *Call) (any, error) {
	body := capabilitiesBody{Version: s.Version, Chains: s.Chains}
	body.EventSearch.FullRange.SelectorCoverage = []struct{}{}
	for _, op := range s.table {
		body.Operations = append(body.Operations, describe(op))
	}
	return body, nil
}

type evidenceBody struct {
	Version    string         `json:"version"`
	Operations []evidenceItem `json:"operations"`
}

type evidenceItem struct {
	operationBody
	Tests []string `json:"tests"`
}

func (s *server) evidence(context.Context, *Call) (any, error) {
	body := evidenceBody{Version: s.Version}
	for _, op := range s.table {
		body.Operations = append(body.Operations, evidenceItem{describe(op), op.Proof})
	}
	return body, nil
}
