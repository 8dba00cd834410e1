package repo

import (
	"context"
	"encoding/json"
	"net/netip"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// knowArguments tells a connection as which types of Postgres it sends what
// statements that are not prepared have as arguments. pgx knows all types of
// Go and all of its own by default; builds leave that out (by the tag
// nopgxregisterdefaulttypes), as it is half of what pgx takes to compile.
func knowArguments(_ context.Context, conn *pgx.Conn) error {
	types := conn.TypeMap()
	knowArgument[bool](types, "bool")
	knowArgument[int](types, "int8")
	knowArgument[int16](types, "int2")
	knowArgument[int32](types, "int4")
	knowArgument[int64](types, "int8")
	knowArgument[uint32](types, "int8")
	knowArgument[uint64](types, "numeric")
	knowArgument[float64](types, "float8")
	knowArgument[string](types, "text")
	knowArgument[[]byte](types, "bytea")
	knowArgument[time.Time](types, "timestamptz")
	knowArgument[time.Duration](types, "interval")
	knowArgument[json.RawMessage](types, "json")
	knowArgument[netip.Addr](types, "inet")
	knowArgument[pgtype.Text](types, "text") // this and bits are the job queue's
	knowArgument[pgtype.Bits](types, "varbit")
	return nil
}

// knowArgument makes a type known with the pointer to it and lists of both.
func knowArgument[T any](types *pgtype.Map, name string) {
	types.RegisterDefaultPgType(*new(T), name)
	types.RegisterDefaultPgType((*T)(nil), name)
	types.RegisterDefaultPgType([]T(nil), "_"+name)
	types.RegisterDefaultPgType([]*T(nil), "_"+name)
}
