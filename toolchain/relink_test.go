package toolchain

import "testing"

func TestRelinkRenamesTheCrateAndNothingElse(t *testing.T) {
	t.Parallel()
	tests := []struct{ given, want string }{
		{"astro::A", "real::A"},
		{"core::array::Array::<astro::A>", "core::array::Array::<real::A>"},
		{"(astro::A, @astro::B)", "(real::A, @real::B)"},
		{"astro::astro::A", "real::astro::A"},
		{"castro::A", "castro::A"},
		{"core::astro::A", "core::astro::A"},
		{"my_astro::A, astro::B", "my_astro::A, real::B"},
		{"astro", "astro"},
		{`{"name": "astro::A"}`, `{"name": "real::A"}`},
		{"", ""},
	}
	for _, test := range tests {
		if got := relink(test.given, "real"); got != test.want {
			t.Errorf("%q: got %q, want %q", test.given, got, test.want)
		}
	}
}
