package web

import "github.com/meterhouse/meterhouse/store"

// imagePages are the table's rows of images.
var imagePages = []route{
	{get, "/images", store.Viewer, page, (*Server).imagesPage, nil},
	{post, "/images", store.Member, page, (*Server).pullForm, nil},
	{post, "/images/build", store.Manager, page, (*Server).buildForm, nil},
	{post, "/images/rule", store.Admin, page, (*Server).imageRuleForm, nil},
	{post, "/images/:id/delete", store.Member, page, (*Server).imageDeleteForm, nil},
	{post, "/instances/:id/save", store.Member, page, (*Server).saveForm, nil},
}

// imageCalls are the API's.
var imageCalls = []route{
	{get, apiRoot + "/images", store.Viewer, api, (*Server).listImages, &operation{says: "Images that instances can start from, with what each was found to contain, and those that are on their way.", out: Images{}}},
	{post, apiRoot + "/images", store.Member, api, (*Server).createImage, &operation{says: "Pulls an image, builds one from a Dockerfile, or saves an instance as one: 202, and GET says how far it is. The same name asked for again while it is under way is that work. Who may pull and build is the site's rule.",
		in: ImageBody{}, out: Image{}, mayWait: true, made: true, files: true}},
	{get, apiRoot + "/images/:id", store.Viewer, api, (*Server).getImage, &operation{says: "One image.", out: Image{}}},
	{del, apiRoot + "/images/:id", store.Member, api, (*Server).deleteImage, &operation{says: "Removes an image, or gives up making it. 409 while an instance or a template uses it."}},
}
