// Package materialise maintains the certificates of wide event searches, which
// requests could not compute in time.
//
// The operator declares event selectors and key positions. Each has a
// certificate, which is built from finalized blocks, verified against the
// events and then used. It grows with the finalized tier and is verified every
// hour. A certificate that differs from the events fails and stays failed until
// an operator rebuilds it.
//
// The domain package event defines what a certificate means; the store holds
// its rows.
package materialise
