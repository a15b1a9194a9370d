package views

// DigestMail tells several things in one mail.
type DigestMail struct {
	MailBase
	Items []LetterItem
}

// Letter is what stands in the mail.
func (m DigestMail) Letter() Letter {
	return Letter{MailBase: m.MailBase, Title: m.T.MailDigestSubject(Number(int64(len(m.Items)))), Lead: m.T.MailDigestLead(), Means: m.T.MailDigestMeans(), Items: m.Items,
		Button: m.T.MailDigestButton(), Link: m.Site + "/settings#mail"}
}

// TestMail says that mail arrives.
type TestMail struct{ MailBase }

// Letter is what stands in the mail.
func (m TestMail) Letter() Letter {
	return Letter{MailBase: m.MailBase, Title: m.T.MailTestSubject(), Lead: m.T.MailTestLead(), Facts: []Fact{{m.T.MailTestSent(), m.moment(m.Now)}}, Button: m.T.MailTestButton(), Link: m.Site + "/"}
}
