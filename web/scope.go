package web

import "strings"

// scopeValue is how a form names a team ("team:ID"), or one of its members ("member:TEAM:ID").
func scopeValue(teamID, personID string) string {
	if personID == "" {
		return "team:" + teamID
	}
	return "member:" + teamID + ":" + personID
}

// scopeOf reads what scopeValue writes; a team that is "" is none that the person sees. personID is "" for a whole team.
func (c *call) scopeOf(text string) (teamID, personID string) {
	parts := strings.Split(text, ":")
	switch {
	case len(parts) == 2 && parts[0] == "team":
		teamID = parts[1]
	case len(parts) == 3 && parts[0] == "member" && parts[2] != "":
		teamID, personID = parts[1], parts[2]
	}
	if teamID == "" || !c.sees(teamID) {
		return "", ""
	}
	return teamID, personID
}
