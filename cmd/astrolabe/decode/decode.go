package decode

import (
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"strconv"
	"time"

	"github.com/alecthomas/kong"
)

// Options make a parser read values with this package.
func Options() []kong.Option {
	return []kong.Option{
		typed("a network such as 10.0.0.0/8", netip.ParsePrefix),
		typed("a duration such as 500ms, 15s or 2h", time.ParseDuration),
		typed("a time such as 2026-11-17T12:00:00Z", func(text string) (time.Time, error) { return time.Parse(time.RFC3339, text) }),
		kong.NamedMapper("path", kong.MapperFunc(path)),
		kong.KindMapper(reflect.Float64, value("a number", number)),
		kong.KindMapper(reflect.Int, value("a whole number", strconv.Atoi)),
		kong.KindMapper(reflect.Uint64, value("a whole number from 0", func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) })),
	}
}

// number reads a number. Infinity and NaN are none.
func number(text string) (float64, error) {
	parsed, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsInf(parsed, 0) || math.IsNaN(parsed)) {
		err = strconv.ErrRange
	}
	return parsed, err
}

// typed reads all values of one type.
func typed[T any](expected string, parse func(string) (T, error)) kong.Option {
	return kong.TypeMapper(reflect.TypeFor[T](), value(expected, parse))
}

// value reads one value, or says what was expected instead.
func value[T any](expected string, parse func(string) (T, error)) kong.MapperFunc {
	return func(c *kong.DecodeContext, target reflect.Value) error {
		var text string
		if err := c.Scan.PopValueInto(expected, &text); err != nil {
			return err
		}
		parsed, err := parse(text)
		if err != nil {
			return fmt.Errorf("%q is not %s", text, expected)
		}
		target.Set(reflect.ValueOf(parsed).Convert(target.Type()))
		return nil
	}
}

// path makes a path absolute. An empty one stays empty, so that a variable without
// a value is as good as none: the mapper of kong would make it the current folder.
func path(c *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := c.Scan.PopValueInto("file", &text); err != nil {
		return err
	}
	if text != "" && text != "-" {
		text = kong.ExpandPath(text)
	}
	target.SetString(text)
	return nil
}
