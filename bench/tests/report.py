"""Reads a page that `twopoint report` wrote as a browser would, and looks whether it is well-formed and needs nothing beside it.

Usage: report.py PAGE"""

import re
import sys
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "input", "img", "hr", "wbr", "col"}
ALLOWED = {"html", "head", "meta", "title", "style", "body", "header", "nav", "main", "section", "h1", "h2", "h3", "h4", "p", "b", "a", "ul", "li", "dl", "dt",
           "dd", "div", "table", "caption", "thead", "tbody", "tr", "th", "td", "code", "pre", "details", "summary", "figure", "figcaption", "small", "br",
           "label", "select", "option", "input", "output", "dialog", "script", "svg", "g", "path", "use", "text", "rect", "circle", "polygon", "defs", "filter",
           "feflood", "fecomposite", "tspan", "polyline", "line"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong, self.ids, self.links, self.scripts, self.policy = [], [], [], [], 0, None
        self.captions, self.tables, self.heads = 0, 0, 0

    def complain(self, text):
        self.wrong.append("%s: line %d, in %s" % (text, self.getpos()[0], "/".join(self.open[-4:])))

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        values = dict(attributes)
        if tag not in ALLOWED:
            self.complain("an element that is not ours, <%s>" % tag)
        if len(names) != len(set(names)):
            self.complain("an attribute twice in <%s>" % tag)
        for name, value in attributes:
            if name.startswith("on") or name in ("src", "srcset", "action", "style", "data", "poster", "formaction", "ping", "background"):
                self.complain("the attribute %s" % name)
            if name.endswith("href") and not (value or "").startswith("#"):
                self.complain("a link out of the page, %s" % value)
            if "url(" in (value or "") and not re.search(r"url\(#", value):
                self.complain("url() in an attribute")
        if "id" in values:
            self.ids.append(values["id"])
        if "href" in values:
            self.links.append(values["href"][1:])
        self.scripts += tag == "script"
        self.tables += tag == "table"
        self.captions += tag == "caption"
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.complain("</%s> ends nothing" % tag)
        else:
            self.open.pop()

    def handle_comment(self, data):
        self.complain("a comment")

    def unknown_decl(self, data):
        self.complain("a declaration")


text = open(sys.argv[1], encoding="utf-8").read()
page = Page()
page.feed(text)
page.close()
wrong = page.wrong
if page.open:
    wrong.append("left open: " + " ".join(page.open))
if page.scripts != 1:
    wrong.append("%d scripts" % page.scripts)
if page.captions != page.tables:
    wrong.append("%d tables, %d captions" % (page.tables, page.captions))
for name in set(page.ids):
    if page.ids.count(name) != 1:
        wrong.append("the id %s is there %d times" % (name, page.ids.count(name)))
for name in set(page.links) - set(page.ids):
    wrong.append("#%s leads nowhere" % name)
if not page.policy or not page.policy.startswith("default-src 'none'") or "script-src 'sha256-" not in page.policy:
    wrong.append("the policy is %s" % page.policy)
style = re.search("<style>(.*?)</style>", text, re.S).group(1)
if "url(" in style or "@import" in style:
    wrong.append("the style asks for a file")
if re.search(r"\b(nan|inf|NaN|Infinity)\b", re.sub(r"(?s)<script>.*?</script>", "", text)):
    wrong.append("a number that is none")
if wrong:
    sys.exit("\n".join(wrong[:20]))
