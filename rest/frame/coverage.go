package frame

import "astrolabe/domain"

// CoveredListBody is a page of a list with its coverage.
type CoveredListBody[T any] struct {
	ListBody[T]
	Coverage CoverageBody `json:"coverage"`
}

// CoverageBody says whether the data of a response is complete, and if not, why.
type CoverageBody struct {
	Status     domain.CoverageStatus `json:"status"`
	ReasonCode *string               `json:"reasonCode"`
}

// RenderCoverage renders coverage. An absent reason code is null.
func RenderCoverage(c domain.Coverage) CoverageBody {
	body := CoverageBody{Status: c.Status}
	if c.ReasonCode != "" {
		body.ReasonCode = &c.ReasonCode
	}
	return body
}

// RenderCoveredPage renders a page of a list with its coverage.
func RenderCoveredPage[T, W any](c *Call, page domain.Page[T], coverage domain.Coverage, wire func(T) W) CoveredListBody[W] {
	return CoveredListBody[W]{RenderPage(c, page, wire), RenderCoverage(coverage)}
}
