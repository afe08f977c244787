"""Opens pages that `twopoint report` wrote in headless Chromium: nothing complains, nothing is asked of a network, sorting, filtering and switching work,
nothing overlaps or is cut.

Usage: report_browser.py PAGE…"""

import sys

from browser import Browser

# boxes of texts that overlap; of those of a row of table cells, of headings, of captions; and what is wider than the page
OVERLAPS = """(() => {
	const found = [];
	const visible = (box) => box.width > 0 && box.height > 0;
	const cut = (a, b, room) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > room && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > room;
	if (document.documentElement.scrollWidth > innerWidth)
		found.push("the page is " + document.documentElement.scrollWidth + " wide");
	for (const element of document.querySelectorAll("h1, h2, h3, h4, p, dt, dd, caption, pre, li, figcaption, .lines label")) {
		const box = element.getBoundingClientRect();
		if (visible(box) && !element.closest(".scroll") && (box.right > innerWidth + 1 || box.left < -1))
			found.push("out of the page: " + element.textContent.slice(0, 60));
	}
	for (const svg of document.querySelectorAll("figure svg:not(.lines svg)")) {
		const texts = [...svg.querySelectorAll("text")].map((text) => [text.getBoundingClientRect(), text.textContent]).filter((text) => visible(text[0]));
		const whole = svg.getBoundingClientRect();
		const small = [...svg.querySelectorAll("text")].map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().d)
			.filter((size) => Math.abs(size) > 0.1 && size < 9.3);
		if (small.length)
			found.push(svg.closest("figure").id + ": letters of " + small[0].toFixed(1) + " pixels");
		if (whole.right > innerWidth && svg.closest(".scroll").scrollWidth < whole.width)
			found.push(svg.closest("figure").id + ": cut, and can't be scrolled");
		texts.forEach((text, i) => {
			if (text[0].left < whole.left - 1 || text[0].right > whole.right + 1 || text[0].top < whole.top - 2 || text[0].bottom > whole.bottom + 2)
				found.push(svg.closest("figure").id + ": cut: " + text[1]);
			for (const other of texts.slice(i + 1))
				if (cut(text[0], other[0], 2.5))
					found.push(svg.closest("figure").id + ": " + text[1] + " over " + other[1]);
		});
	}
	/* on a desk, what is not folded away is seen without scrolling */
	for (const box of document.querySelectorAll(".scroll"))
		if (innerWidth >= 1400 && box.querySelector("table") && !box.closest("details") && box.scrollWidth > box.clientWidth)
			found.push("a table has to be scrolled: " + box.querySelector("caption").textContent.slice(0, 60));
	for (const box of document.querySelectorAll("tr.remarks div")) {
		if (visible(box.getBoundingClientRect()) && box.getBoundingClientRect().right > innerWidth)
			found.push("remarks are cut: " + box.textContent);
		if (box.closest("table").tHead.rows[0].cells.length !== box.parentNode.colSpan)
			found.push("remarks are not as wide as their table");
	}
	for (const row of document.querySelectorAll("tr")) {
		if (getComputedStyle(row.parentNode).position === "absolute")
			continue; /* heads that a telephone has no room for: each cell tells its own */
		const cells = [...row.cells].map((cell) => [cell, cell.getBoundingClientRect()]).filter((cell) => visible(cell[1]));
		cells.forEach((cell, i) => {
			if (cell[0].scrollWidth > cell[0].clientWidth + 1)
				found.push("wider than its cell: " + cell[0].textContent);
			for (const other of cells.slice(i + 1))
				if (getComputedStyle(cell[0]).position !== "sticky" && cut(cell[1], other[1], 1))
					found.push("cells overlap: " + cell[0].textContent + " / " + other[0].textContent);
		});
	}
	return found;
})()"""

SORT = """(() => {
	const wrong = [];
	const remarks = (body) => [...body.querySelectorAll(".remarks")].map((row) => row.previousElementSibling.textContent + row.textContent).sort().join();
	for (const table of document.querySelectorAll("table.data")) {
		const before = [...table.rows].map((row) => row.textContent).sort().join();
		const remarked = [...table.tBodies].map(remarks);
		const heads = [...table.tHead.rows[0].cells];
		for (const [column, head] of heads.entries()) {
			for (const sign of [1, -1]) {
				head.querySelector("button").click();
				if (head.ariaSort !== (sign > 0 ? "ascending" : "descending"))
					wrong.push("aria-sort is " + head.ariaSort);
				for (const [at, body] of [...table.tBodies].entries()) {
					const rows = [...body.querySelectorAll("tr:not(.remarks)")];
					if (remarks(body) !== remarked[at])
						wrong.push("remarks do not stand below their rows");
					const values = rows.map((row) => row.cells[column].dataset.v).filter((value) => value !== undefined).map(Number);
					if (values.some((value, i) => i && sign * (value - values[i - 1]) < 0))
						wrong.push("not sorted by " + head.textContent + ": " + values);
					const known = rows.map((row) => row.cells[column].textContent !== "–");
					if (known.some((is, i) => is && i && !known[i - 1]))
						wrong.push("what is not known does not come last: " + head.textContent);
				}
			}
		}
		if ([...table.rows].map((row) => row.textContent.replace(/[▲▼]/, "↕")).sort().join().replace(/[▲▼]/g, "↕") !== before.replace(/[▲▼]/g, "↕"))
			wrong.push("rows were lost");
		if (document.querySelectorAll("th[aria-sort]").length > document.querySelectorAll("table.data").length)
			wrong.push("two columns are told to be sorted by");
	}
	return wrong;
})()"""

FILTER = """(() => {
	const input = document.querySelector(".filter input"), rows = [...document.querySelectorAll("#r1 table.data tbody tr:not(.remarks)")];
	const name = rows[0].cells[0].textContent, type = (text) => { input.value = text; input.dispatchEvent(new Event("input")); };
	const shown = () => rows.filter((row) => !row.hidden);
	type(name);
	const some = shown(), wrong = some.filter((row) => !row.cells[0].textContent.toLowerCase().startsWith(name.toLowerCase())).length;
	type("no such queue");
	const none = shown().length;
	type("");
	return [some.length > 0, wrong, none, shown().length === rows.length];
})()"""

SWITCH = """(() => {
	const wrong = [];
	let switched = 0;
	for (const figure of document.querySelectorAll("figure.chart")) {
		for (const label of figure.querySelectorAll(".lines label")) {
			const name = label.textContent, lines = [...figure.querySelectorAll("[data-name]")].filter((line) => line.dataset.name === name);
			const seen = () => lines.filter((line) => getComputedStyle(line).display !== "none").length;
			const all = seen();
			label.click();
			if (!all || seen())
				wrong.push(figure.id + ": " + name + " is not switched off");
			label.click();
			if (seen() !== all)
				wrong.push(figure.id + ": " + name + " is not switched on again");
			switched++;
		}
	}
	return [switched, wrong];
})()"""

# a place on a line: where its path begins, in the window
ON_LINE = """(() => {
	const figure = document.querySelector("#r1-figure-%s"), path = [...figure.querySelectorAll("[data-name] path, [data-name] use")]
		.find((one) => one.getBoundingClientRect().width > 20);
	if (!path)
		return null;
	path.scrollIntoView({block: "center"});
	const at = path.getPointAtLength(path.getTotalLength() / 2).matrixTransform(path.getScreenCTM());
	return [at.x, at.y, path.closest("[data-name]").dataset.name];
})()"""

wrong = []


def expect(condition, text):
    if not condition:
        wrong.append(text)


def look(browser, page, width):
    browser.size(width)
    browser.open("file://" + page)
    where = "%s at %d pixels: " % (page, width)
    for one in browser.run(OVERLAPS):
        wrong.append(where + one)
    for one in browser.complaints():
        wrong.append(where + one)


def use(browser, page):
    browser.size(1400)
    browser.open("file://" + page)
    for one in browser.run(SORT):
        wrong.append(page + ": " + one)
    if browser.run("document.querySelectorAll('table.data tbody tr').length"):
        expect(browser.run(FILTER) == [True, 0, 0, True], page + ": the filter does not filter")
    switched, failed = browser.run(SWITCH)
    wrong.extend(failed)
    # the word under the pointer
    for figure in "batch", "latency", "capacity", "fan":
        at = browser.run("document.querySelector('#r1-figure-%s svg') && %s" % (figure, ON_LINE % figure))
        if at:
            browser.point(at[0], at[1])
            named = browser.run("[document.getElementById('pointed').hidden, document.getElementById('pointed').textContent]")
            expect(not named[0] and named[1], "%s: nothing is named on a line of %s" % (page, figure))
            expect(browser.run("document.querySelectorAll('#r1-figure-%s svg .hot').length" % figure) > 0, page + ": no line is marked")
    # a word's meaning, and the way back
    browser.run("document.querySelector('a.term').click()")
    expect(browser.run("document.getElementById('word').open && document.getElementById('word').textContent.length > 40"), page + ": no meaning is shown")
    browser.run("document.querySelector('#word button').click()")
    expect(browser.run("!document.getElementById('word').open"), page + ": the meaning does not go away")
    # light and dark, by the system and by the switch
    colour = "getComputedStyle(document.documentElement).backgroundColor"
    seen = {}
    for scheme in "light", "dark":
        browser.colours(scheme)
        seen[scheme] = browser.run(colour)
        for chosen in "light", "dark":
            browser.run("(() => { const s = document.querySelector('.theme select'); s.value = '%s'; s.dispatchEvent(new Event('change')); })()" % chosen)
            seen[scheme + chosen] = browser.run(colour)
        browser.run("(() => { const s = document.querySelector('.theme select'); s.value = ''; s.dispatchEvent(new Event('change')); })()")
    expect(seen["light"] != seen["dark"], page + ": the system's colours are not followed")
    expect(seen["light"] == seen["darklight"] == seen["lightlight"] and seen["dark"] == seen["lightdark"] == seen["darkdark"],
           page + ": the switch does not decide: %s" % seen)
    # on paper: light, however it is on the screen, and nothing is wider than an A4 sheet on its side
    browser.size(1040)
    browser.colours("dark", "print")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    expect(browser.run(colour) == seen["light"], page + ": it is printed dark")
    for one in browser.run("""[...document.querySelectorAll("table, figure svg, pre")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
            .map((one) => one.localName + " of " + (one.caption || one.closest("figure") || one).textContent.slice(0, 60))"""):
        wrong.append(page + ": cut on paper: " + one)
    expect(browser.run("document.querySelectorAll('details:not([open])').length") == 0, page + ": something stays closed on paper")
    browser.run("dispatchEvent(new Event('afterprint'))")
    browser.size(1400)
    browser.colours("light")
    for one in browser.complaints():
        wrong.append(page + ": " + one)
    return switched


browser = Browser()
try:
    switched = 0
    for path in sys.argv[1:]:
        for width in 400, 1400:
            look(browser, path, width)
        switched += use(browser, path)
    expect(switched > 0, "no figure has a line that can be switched off")
finally:
    browser.close()
if wrong:
    sys.exit("\n".join(wrong[:30]))
print("%d pages, %d lines switched" % (len(sys.argv) - 1, switched))
