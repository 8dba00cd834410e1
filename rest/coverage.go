package rest

import "astrolabe/domain"

// coveredList is a list that says what it rests on.
type coveredList[T any] struct {
	listBody[T]
	Coverage coverageBody `json:"coverage"`
}

type coverageBody struct {
	Status     domain.CoverageStatus `json:"status"`
	ReasonCode *string               `json:"reasonCode"`
}

func wireCoverage(c domain.Coverage) coverageBody {
	body := coverageBody{Status: c.Status}
	if c.ReasonCode != "" {
		body.ReasonCode = &c.ReasonCode
	}
	return body
}
