package views

// GPUMail says that something is wrong with a GPU: to who has it, or to an admin that it is not offered any more.
type GPUMail struct {
	MailBase
	GPU, Model, Node string
	Instance         string // that has it, or had it
	InstanceID       string // "" for an admin
	Fault            string // its state: "quarantined", "lost", "failed", …
	Detail           string // what was found
}

// Letter is what stands in the mail.
func (m GPUMail) Letter() Letter {
	l := Letter{MailBase: m.MailBase, Title: m.T.MailGPUSubject(m.Model, m.Node, m.T.GPUState(m.Fault)), Lead: m.T.MailGPULead(m.Model, m.Node, m.T.GPUState(m.Fault)),
		Means: m.T.MailGPUMeans(m.InstanceID != ""), Facts: []Fact{{m.T.MailGPU(), m.GPU}}, Button: m.T.MailGPUButton(), Link: m.Site + "/fleet"}
	if m.Instance != "" {
		l.Facts = append(l.Facts, Fact{m.T.MailInstance(), m.Instance})
	}
	if m.Detail != "" {
		l.Facts = append(l.Facts, Fact{m.T.MailFound(), m.Detail})
	}
	if m.InstanceID != "" {
		l.Button, l.Link = m.T.MailNoticeButton("instance_ends"), m.Site+"/instances/"+id(m.InstanceID)
	}
	return l
}
