// Package lang is the catalogue of everything that a person reads: pages, mail and messages, in English and 简体中文. One
// method of T is one text in both languages side by side, so that a text that is missing does not compile. It imports the
// standard library and x/text/language alone, and knows neither pages nor the database.
package lang

import (
	"strings"

	"golang.org/x/text/language"
)

// T is a language. The zero value is English.
type T struct{ zh bool }

// The languages there are.
var (
	English = T{}
	Chinese = T{zh: true}
)

// All lists the languages in the order in which a person is offered them.
func All() []T { return []T{English, Chinese} }

// Parse returns the language that Code names; ok is false for any other name.
func Parse(code string) (t T, ok bool) {
	for _, t := range All() {
		if t.Code() == code {
			return t, true
		}
	}
	return English, false
}

// matcher prefers English where nothing fits; its order is that of All.
var matcher = language.NewMatcher([]language.Tag{language.English, language.SimplifiedChinese})

// maxHeader bounds what is parsed of a header that anybody may send.
const maxHeader = 256

// Match chooses a language by a request's Accept-Language header; anything that can not be read gives English.
func Match(acceptLanguage string) T {
	if len(acceptLanguage) > maxHeader {
		acceptLanguage = acceptLanguage[:maxHeader]
	}
	tags, _, err := language.ParseAcceptLanguage(acceptLanguage)
	if err != nil || len(tags) == 0 {
		return English
	}
	_, i, _ := matcher.Match(tags...)
	return All()[i]
}

// Code is the language's short name, "en" or "zh", as it is stored and sent.
func (t T) Code() string { return t.pick("en", "zh") }

// Tag is the value of HTML's lang attribute.
func (t T) Tag() string { return t.pick("en", "zh-Hans") }

// SelfName is the language's name in itself.
func (t T) SelfName() string { return t.pick("English", "简体中文") }

// List writes several names or numbers one after another.
func (t T) List(parts []string) string { return strings.Join(parts, t.pick(", ", "、")) }

func (t T) pick(en, zh string) string {
	if t.zh {
		return zh
	}
	return en
}
