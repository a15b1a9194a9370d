package web

import "github.com/meterhouse/meterhouse/store"

// templatePages are the table's rows of templates and secrets.
var templatePages = []route{
	{get, "/templates", store.Viewer, page, (*Server).templatesPage, nil},
	{post, "/templates/:id/delete", store.Member, page, (*Server).templateDeleteForm, nil},
	{post, "/templates/secrets", store.Member, page, (*Server).secretForm, nil},
	{post, "/templates/secrets/:id/delete", store.Member, page, (*Server).secretDeleteForm, nil},
}

// templateCalls are the API's.
var templateCalls = []route{
	{get, apiRoot + "/templates", store.Viewer, api, (*Server).listTemplates, &operation{says: "Saved launch forms: the person's own and the team's.", out: Templates{}}},
	{post, apiRoot + "/templates", store.Member, api, (*Server).putTemplate, &operation{says: "Saves a launch form; one of that name is replaced. Secrets are in it by name.", in: TemplateBody{}, out: Template{}}},
	{get, apiRoot + "/templates/:id", store.Viewer, api, (*Server).getTemplate, &operation{says: "One template.", out: Template{}}},
	{del, apiRoot + "/templates/:id", store.Member, api, (*Server).deleteTemplate, &operation{says: "Deletes a template; what was rented with it goes on."}},
	{get, apiRoot + "/secrets", store.Viewer, api, (*Server).listSecrets, &operation{says: "Secrets that the person's instances can be given, without their values.", out: Secrets{}}},
	{post, apiRoot + "/secrets", store.Member, api, (*Server).putSecret, &operation{says: "Sets a secret; one of that name gets the new value. The value can't be read back.", in: SecretBody{}, out: Secret{}}},
	{del, apiRoot + "/secrets/:id", store.Member, api, (*Server).deleteSecret, &operation{says: "Removes a secret; what runs keeps it."}},
}
