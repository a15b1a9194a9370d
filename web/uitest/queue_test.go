package uitest

import (
	"net/http"
	"testing"
)

// rentOf rents by the API and returns the instance.
func (c *console) rentOf(p *person, name, model string, gpus int, more map[string]any) instance {
	c.t.Helper()
	body := map[string]any{"name": name, "gpu_model": model, "gpu_count": gpus, "command": "sleep 600"}
	for k, v := range more {
		body[k] = v
	}
	var i instance
	c.call(p, http.MethodPost, "/instances", body, &i)
	return i
}

// largest is the model with the largest plan that is free.
func (c *console) largest(p *person) (model string, gpus int) {
	c.t.Helper()
	var offers struct {
		Offers []struct {
			Model string `json:"gpu_model"`
			Count int    `json:"gpu_count"`
			Free  int    `json:"free"`
		}
	}
	c.call(p, http.MethodGet, "/offers", nil, &offers)
	for _, o := range offers.Offers {
		if o.Free > 0 && o.Count > gpus {
			model, gpus = o.Model, o.Count
		}
	}
	return model, gpus
}

func TestWhoWaitsSeesItsPlaceAndWhyAndStartsWhenTheGPUsAreFree(t *testing.T) {
	inBrowser(t)
	c := startConsole(t, nil)
	admin := c.asAdmin()
	other := c.addPerson("stranger", "member", "operations")
	model, gpus := c.largest(admin)
	holder := c.rentOf(other, "holder", model, gpus, map[string]any{"hours": 3})
	c.waitFor(holder.ID, "running")
	theirs := c.rentOf(other, "their-own", model, gpus, map[string]any{"queue": true, "hours": 1})
	mine := c.rentOf(admin, "my-sweep", model, 1, map[string]any{"queue": true})
	if theirs.Status != "queued" || mine.Status != "queued" {
		t.Fatalf("%s and %s", theirs.Status, mine.Status)
	}
	c.sweep(t, true, []string{"/queue", "/instances/" + mine.ID}, []string{"holder", "their-own", "my-sweep", "stranger", "operations", model})

	b := newTab(t, c, admin, screen{width: 1280})
	b.visit("/queue")
	b.see(`a[href="/instances/` + mine.ID + `"]`)
	b.visit("/instances/" + mine.ID)
	// Its team has used nothing, so that it comes before the others, who hold all GPUs.
	b.until("place and reason", `document.querySelector("main").innerText.includes("Place 1 in the queue") && document.querySelector("main").innerText.includes("No node has a GPU free.")`)
	c.call(other, http.MethodPost, "/instances/"+holder.ID+"/stop", nil, nil)
	b.until("the start by itself", `document.querySelector("main .state").innerText.trim().toLowerCase() === "running"`)
	c.waitFor(mine.ID, "running")
	b.visit("/queue")
	b.until("the next place", `document.querySelector("main").innerText.includes("their-own")`)
	c.call(admin, http.MethodPost, "/instances/"+mine.ID+"/stop", nil, nil)
	c.waitFor(theirs.ID, "running")
	b.until("an empty queue by itself", `document.querySelector("main").innerText.includes("Nobody waits.")`)
}
