package web

import "github.com/meterhouse/meterhouse/store"

// spotCalls are the API's rows about what is rented as spot.
var spotCalls = []route{
	{get, apiRoot + "/spot", store.Viewer, api, (*Server).listSpot, &operation{says: "What each pool's GPUs cost as spot, as millionths of the on-demand price, and how often they were reclaimed in 30 days.", out: SpotMarkets{}}},
	{get, apiRoot + "/spot/:id/prices", store.Viewer, api, (*Server).listSpotPrices, &operation{says: "A pool's factors, from the one that held at from on.", out: SpotPrices{},
		query: []parameter{{"from", "RFC 3339 or a date; default: a week ago", ""}, {"to", "RFC 3339 or a date; default: now", ""}}}},
	{put, apiRoot + "/spot/:id", store.Admin, api, (*Server).putSpotMinimum, &operation{says: "Sets the floor of a pool's factor, 100000 to 1000000; the price goes there at its own pace.", in: SpotMinimumBody{}, out: SpotMarkets{}}},
}
