package contentcoding

import "testing"

func TestAcceptEncodingDecidesAboutGzip(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"":                        false,
		"gzip":                    true,
		"GZIP":                    true,
		"deflate, gzip;q=1.0, *":  true,
		"br":                      false,
		"identity":                false,
		"*":                       true,
		"*;q=0":                   false,
		"gzip;q=0":                false,
		"gzip;q=0.000, *":         false,
		"*, gzip; q = 0":          false,
		"*;q=0, gzip;q=0.5":       true,
		"gzip;q=much":             false,
		"gzipped":                 false,
		"br;q=1.0, gzip ; q=0.8,": true,
	} {
		if got := accepts(header); got != want {
			t.Errorf("accepts(%q) = %t, want %t", header, got, want)
		}
	}
}

func FuzzARefusedGzipIsNeverAccepted(f *testing.F) {
	for _, seed := range []string{"", "br", "*", "deflate;q=0.5, *;q=1", ";;q=,", "gzip;q=NaN"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, rest string) {
		if accepts("gzip;q=0," + rest) {
			t.Errorf("gzip;q=0,%s is accepted", rest)
		}
		if !accepts("gzip," + rest) {
			t.Errorf("gzip,%s is refused", rest)
		}
	})
}
