package telemetry

import (
	"strconv"
	"strings"
)

// page is a page of metrics in Prometheus' text format, version 0.0.4.
type page struct{ text []byte }

const pageType = "text/plain; version=0.0.4; charset=utf-8"

var (
	escapeHelp  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	escapeValue = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// head begins a metric: its lines must follow.
func (p *page) head(name, help, kind string) {
	p.text = append(p.text, "# HELP "+name+" "+escapeHelp.Replace(help)+"\n# TYPE "+name+" "+kind+"\n"...)
}

// line adds one value with its labels, given as names and values in turn.
func (p *page) line(name string, value float64, labels ...string) {
	p.text = append(p.text, name...)
	separator := byte('{')
	for i := 0; i+1 < len(labels); i += 2 {
		p.text = append(p.text, separator)
		p.text = append(p.text, labels[i]+`="`+escapeValue.Replace(labels[i+1])+`"`...)
		separator = ','
	}
	if len(labels) > 0 {
		p.text = append(p.text, '}')
	}
	p.text = append(p.text, " "+number(value)+"\n"...)
}

// reading adds a metric of one value without labels.
func (p *page) reading(kind, name, help string, value float64) {
	p.head(name, help, kind)
	p.line(name, value)
}

func number(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }
