package privacy

// Width is the length of a bucket of metrics.
type Width string

// The widths. Days begin at midnight UTC, weeks on Monday.
const (
	Hour Width = "hour"
	Day  Width = "day"
	Week Width = "week"
)

const (
	hourSeconds = 3600
	daySeconds  = 24 * hourSeconds
	weekSeconds = 7 * daySeconds
	// firstMonday is the Unix time of the first Monday, 5 January 1970.
	firstMonday = 4 * daySeconds
)

// Start returns the beginning of the bucket that holds a Unix time.
func (w Width) Start(at uint64) uint64 {
	switch w {
	case Day:
		return at - at%daySeconds
	case Week:
		if at < firstMonday { // the week of the epoch began before it
			return 0
		}
		return at - (at-firstMonday)%weekSeconds
	default:
		return at - at%hourSeconds
	}
}
