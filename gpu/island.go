package gpu

import "slices"

// Islands names the NVLink islands: for each device, by its PCI bus id, the first by name of those that it is joined with,
// directly or by others. links says what each device's links end at: another device, or a switch, which joins all that end
// there. A device that is joined to no other is in none.
func Islands(links map[string][]string) map[string]string {
	root := map[string]string{}
	find := func(bus string) string {
		for root[bus] != "" && root[bus] != bus {
			bus = root[bus]
		}
		return bus
	}
	for bus, ends := range links {
		for _, end := range ends {
			root[find(end)] = find(bus)
		}
	}
	members := map[string][]string{}
	for bus := range links {
		members[find(bus)] = append(members[find(bus)], bus)
	}
	islands := map[string]string{}
	for _, all := range members {
		if len(all) < 2 {
			continue
		}
		first := slices.Min(all)
		for _, bus := range all {
			islands[bus] = first
		}
	}
	return islands
}
