package gpu

import (
	"maps"
	"testing"
)

func TestAnIslandIsAllThatIsJoined(t *testing.T) {
	for _, c := range []struct {
		name  string
		links map[string][]string
		want  map[string]string
	}{
		{"none", map[string][]string{"1": nil, "2": nil}, nil},
		{"a pair", map[string][]string{"1": {"2", "2"}, "2": {"1"}, "3": nil}, map[string]string{"1": "1", "2": "1"}},
		{"one end alone tells of it", map[string][]string{"2": nil, "1": {"2"}}, map[string]string{"1": "1", "2": "1"}},
		{"a chain", map[string][]string{"3": {"2"}, "2": {"3", "1"}, "1": {"2"}}, map[string]string{"1": "1", "2": "1", "3": "1"}},
		{"two pairs", map[string][]string{"1": {"2"}, "2": {"1"}, "3": {"4"}, "4": {"3"}}, map[string]string{"1": "1", "2": "1", "3": "3", "4": "3"}},
		{"by a switch", map[string][]string{"1": {"s"}, "2": {"s"}, "3": {"r"}}, map[string]string{"1": "1", "2": "1"}},
		{"by two switches", map[string][]string{"1": {"s", "r"}, "2": {"r", "s"}, "3": {"s"}}, map[string]string{"1": "1", "2": "1", "3": "1"}},
	} {
		if got := Islands(c.links); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
