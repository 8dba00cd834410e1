package model

import (
	"database/sql/driver"
	"slices"

	"astrolabe/domain/facts"
	"astrolabe/domain/privacy"
	"astrolabe/starknet"
)

// Enumerations are stored as the index of a value in its list. New values are
// only appended.
var (
	l1DAModes        = []L1DAMode{"", L1DAMode(starknet.Calldata), L1DAMode(starknet.Blob)}
	transactionTypes = []TransactionType{
		"", TransactionType(starknet.Invoke), TransactionType(starknet.Declare), TransactionType(starknet.Deploy),
		TransactionType(starknet.DeployAccount), TransactionType(starknet.L1Handler),
	}
	standards     = []Standard{"", Standard(facts.ERC20), Standard(facts.ERC721), Standard(facts.ERC1155)}
	origins       = []Origin{Origin(facts.Observed), Origin(facts.Deployed), Origin(facts.Replaced)}
	families      = familyList()
	untypedRoles  = []UntypedRole{UntypedRole(facts.UntypedContract), UntypedRole(facts.UntypedParty)}
	verifications = []BlockVerification{
		BlockVerification(facts.Unverified), BlockVerification(facts.TransactionsVerified), BlockVerification(facts.FullyVerified),
	}
	poolVariants = poolVariantList()
	poolReadings = []PoolReading{PoolReading(facts.PoolRead), PoolReading(facts.PoolMalformed), PoolReading(facts.PoolUnread)}
	widths       = []Width{Width(privacy.Hour), Width(privacy.Day), Width(privacy.Week)}
	evidences    = []Evidence{Evidence(facts.FromStateDiff), Evidence(facts.FromDeployerEvent), Evidence(facts.FromTransaction)}
)

// enumValue returns the stored form of a value.
func enumValue[T ~string](what string, v T, list []T) (driver.Value, error) {
	at := slices.Index(list, v)
	if at < 0 {
		return nil, &ValueError{Type: what, Value: string(v)}
	}
	return int64(at), nil
}

// scanEnum returns the value with the stored form src.
func scanEnum[T ~string](what string, src any, list []T) (T, error) {
	at, err := integer(what, src, 0, int64(len(list)-1))
	if err != nil {
		return "", err
	}
	return list[at], nil
}

// L1DAMode is where a block's state diff is published; empty if unknown.
type L1DAMode starknet.L1DAMode

// Value implements driver.Valuer.
func (m L1DAMode) Value() (driver.Value, error) {
	return enumValue("a data availability mode", m, l1DAModes)
}

// Scan implements sql.Scanner.
func (m *L1DAMode) Scan(src any) (err error) {
	*m, err = scanEnum("a data availability mode", src, l1DAModes)
	return err
}

// TransactionType is the type of a transaction.
type TransactionType starknet.TransactionType

// Value implements driver.Valuer.
func (t TransactionType) Value() (driver.Value, error) {
	return enumValue("a transaction type", t, transactionTypes)
}

// Scan implements sql.Scanner.
func (t *TransactionType) Scan(src any) (err error) {
	*t, err = scanEnum("a transaction type", src, transactionTypes)
	return err
}

// Standard is the standard of a token; empty for none.
type Standard facts.Standard

// Value implements driver.Valuer.
func (s Standard) Value() (driver.Value, error) { return enumValue("a token standard", s, standards) }

// Scan implements sql.Scanner.
func (s *Standard) Scan(src any) (err error) {
	*s, err = scanEnum("a token standard", src, standards)
	return err
}

// Origin is how a contract got a class.
type Origin facts.Origin

// Value implements driver.Valuer.
func (o Origin) Value() (driver.Value, error) { return enumValue("an origin of a class", o, origins) }

// Scan implements sql.Scanner.
func (o *Origin) Scan(src any) (err error) {
	*o, err = scanEnum("an origin of a class", src, origins)
	return err
}

// Compare orders origins as they take effect within a block.
func (o Origin) Compare(other Origin) int {
	return slices.Index(origins, o) - slices.Index(origins, other)
}

// familyList returns the families of proxies in the order of facts.
func familyList() []Family {
	list := make([]Family, len(facts.ProxyFamilies))
	for i := range list {
		list[i] = Family(facts.ProxyFamilies[i].Family)
	}
	return list
}

// Family is a family of proxies.
type Family facts.Family

// Value implements driver.Valuer.
func (f Family) Value() (driver.Value, error) { return enumValue("a family of proxies", f, families) }

// Scan implements sql.Scanner.
func (f *Family) Scan(src any) (err error) {
	*f, err = scanEnum("a family of proxies", src, families)
	return err
}

// UntypedRole is the role of an address in untyped transfers.
type UntypedRole facts.UntypedRole

// Value implements driver.Valuer.
func (r UntypedRole) Value() (driver.Value, error) {
	return enumValue("a role in an untyped transfer", r, untypedRoles)
}

// Scan implements sql.Scanner.
func (r *UntypedRole) Scan(src any) (err error) {
	*r, err = scanEnum("a role in an untyped transfer", src, untypedRoles)
	return err
}

// Evidence is the proof of a deployment.
type Evidence facts.Evidence

// Value implements driver.Valuer.
func (e Evidence) Value() (driver.Value, error) {
	return enumValue("evidence of a deployment", e, evidences)
}

// Scan implements sql.Scanner.
func (e *Evidence) Scan(src any) (err error) {
	*e, err = scanEnum("evidence of a deployment", src, evidences)
	return err
}

// BlockVerification is how far a block was checked.
type BlockVerification facts.Verification

// Value implements driver.Valuer.
func (v BlockVerification) Value() (driver.Value, error) {
	return enumValue("a level of verification", v, verifications)
}

// Scan implements sql.Scanner.
func (v *BlockVerification) Scan(src any) (err error) {
	*v, err = scanEnum("a level of verification", src, verifications)
	return err
}

// poolVariantList returns the variants in the order of facts.
func poolVariantList() []PoolVariant {
	list := make([]PoolVariant, len(facts.PoolVariants))
	for i := range list {
		list[i] = PoolVariant(facts.PoolVariants[i])
	}
	return list
}

// PoolVariant names an event of a privacy pool.
type PoolVariant facts.PoolVariant

// Value implements driver.Valuer.
func (v PoolVariant) Value() (driver.Value, error) {
	return enumValue("an event of a privacy pool", v, poolVariants)
}

// Scan implements sql.Scanner.
func (v *PoolVariant) Scan(src any) (err error) {
	*v, err = scanEnum("an event of a privacy pool", src, poolVariants)
	return err
}

// PoolReading is how far an event of a privacy pool could be read.
type PoolReading facts.PoolReading

// Value implements driver.Valuer.
func (r PoolReading) Value() (driver.Value, error) {
	return enumValue("a reading of a pool's event", r, poolReadings)
}

// Scan implements sql.Scanner.
func (r *PoolReading) Scan(src any) (err error) {
	*r, err = scanEnum("a reading of a pool's event", src, poolReadings)
	return err
}

// Width is the length of a bucket.
type Width privacy.Width

// Value implements driver.Valuer.
func (w Width) Value() (driver.Value, error) { return enumValue("the width of a bucket", w, widths) }

// Scan implements sql.Scanner.
func (w *Width) Scan(src any) (err error) {
	*w, err = scanEnum("the width of a bucket", src, widths)
	return err
}
