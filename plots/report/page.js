"use strict";
(() => {
	const all = (selector, within = document) => [...within.querySelectorAll(selector)];
	const make = (name, properties = {}, ...inside) => {
		const element = Object.assign(document.createElement(name), properties);
		element.append(...inside);
		return element;
	};

	/* ---- light and dark ---- */
	const theme = document.querySelector(".theme");
	theme.hidden = false;
	theme.querySelector("select").addEventListener("change", (event) => {
		document.documentElement.dataset.theme = event.target.value;
	});

	/* ---- words: the meaning in a box of its own; without a script it is a jump ---- */
	const box = document.getElementById("word");
	document.addEventListener("click", (event) => {
		const term = event.target.closest && event.target.closest("a.term");
		const word = term && document.getElementById(term.hash.slice(1));
		if (event.target === box)
			box.close();
		if (!word)
			return;
		event.preventDefault();
		box.replaceChildren(make("dl", {}, ...[...word.children].map((child) => child.cloneNode(true))),
			make("form", { method: "dialog" }, make("button", { textContent: "Close" })));
		box.showModal();
	});

	/* ---- tables: sorted by a column, each body by itself, so that floors stay below; a row takes the remarks below it along ---- */
	const remarks_of = (row) => row.nextElementSibling && row.nextElementSibling.matches(".remarks") ? [row.nextElementSibling] : [];
	const value = (row, column) => {
		const cell = row.cells[column];
		return "v" in cell.dataset ? Number(cell.dataset.v) : cell.textContent === "–" ? null : cell.textContent;
	};
	const order = (a, b, sign) => {
		if (a === null || b === null)
			return (a === null) - (b === null); /* what is not known comes last, either way */
		return sign * (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
	};
	const sort = (table, head) => {
		const falling = head.ariaSort === "ascending";
		for (const other of all("thead th", table))
			other.removeAttribute("aria-sort");
		head.setAttribute("aria-sort", falling ? "descending" : "ascending");
		for (const body of table.tBodies)
			body.append(...all("tr:not(.remarks)", body).map((row) => [value(row, head.cellIndex), row, ...remarks_of(row)])
				.sort((a, b) => order(a[0], b[0], falling ? -1 : 1)).flatMap((found) => found.slice(1)));
		for (const button of all("thead button", table))
			button.textContent = button.parentNode.ariaSort === "ascending" ? "▲" : button.parentNode.ariaSort ? "▼" : "↕";
	};
	for (const table of all("table.data"))
		for (const head of all("thead th", table)) {
			const button = make("button", { type: "button", textContent: "↕", title: "sort by " + head.textContent });
			button.setAttribute("aria-label", button.title);
			button.addEventListener("click", () => sort(table, head));
			head.append(button);
		}

	/* ---- and filtered: a row is shown where each word begins one of its own ---- */
	for (const filter of all(".filter")) {
		const input = filter.querySelector("input"), rows = all("table.data tbody tr:not(.remarks)", filter.closest("section"));
		const words = new Map(rows.map((row) => [row, [...row.cells].slice(0, 6).flatMap((cell) => cell.textContent.toLowerCase().split(/[\s,]+/))]));
		filter.hidden = false;
		input.addEventListener("input", () => {
			const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
			for (const row of rows)
				for (const one of [row, ...remarks_of(row)])
					one.hidden = !wanted.every((want) => words.get(row).some((word) => word.startsWith(want)));
			filter.querySelector("output").textContent = wanted.length ?
				rows.filter((row) => !row.hidden).length + " of " + rows.length + " rows" : "";
		});
	}

	/* ---- the command ---- */
	for (const command of all("pre.command")) {
		const text = command.textContent.trim(), button = make("button", { type: "button", textContent: "Copy" });
		button.addEventListener("click", () => {
			const selection = getSelection();
			selection.selectAllChildren(command.querySelector("code"));
			button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
		});
		if (text)
			command.prepend(button);
	}

	/* ---- figures: gnuplot draws the lines of a panel in rounds, each in the legend's order. Whose a line is counts as known only where it has
	 * the colour of the legend's sample. ---- */
	const colour = (element) => {
		const drawn = element.querySelector("use:not([color='#FFFFFF']), path");
		return drawn && (drawn.getAttribute("color") || drawn.getAttribute("stroke"));
	};
	const panels_of = (svg) => {
		const panels = new Map();
		for (const group of all("g[id*='gnuplot_plot_']", svg)) {
			const letter = group.id.replace(/^.*_\d*/, "");
			panels.set(letter, [...(panels.get(letter) || []), group]);
		}
		return [...panels.values()];
	};
	const name_lines = (svg) => {
		let legend = [];
		for (const groups of panels_of(svg)) {
			const keys = groups.filter((group) => group.querySelector("text")), lines = groups.filter((group) => !group.querySelector("text"));
			if (keys.length)
				legend = keys.map((key) => ({ name: key.querySelector("text").textContent, colour: colour(key) }));
			keys.forEach((key, i) => { key.dataset.key = legend[i].name; });
			if (!legend.length || lines.length % legend.length)
				continue;
			lines.forEach((line, i) => {
				const of = legend[i % legend.length];
				if (colour(line) === of.colour)
					line.dataset.name = of.name;
			});
		}
	};
	const set_off = (svg, name, off) => {
		for (const line of all("[data-name]", svg))
			if (line.dataset.name === name)
				line.classList.toggle("off", off);
		for (const key of all("[data-key]", svg))
			if (key.dataset.key === name)
				key.classList.toggle("off-key", off);
	};
	const set_hot = (svg, name) => {
		for (const line of all("[data-name]", svg))
			line.classList.toggle("hot", line.dataset.name === name);
	};
	const sample = (svg, name) => {
		const key = all("[data-key]", svg).find((one) => one.dataset.key === name);
		const drawn = all("path, use", key).filter((one) => !one.closest("[stroke='none']"));
		const small = document.createElementNS("http://www.w3.org/2000/svg", "svg"), boxes = drawn.map((one) => one.getBBox());
		const place = drawn.find((one) => one.localName === "path") || drawn[0];
		if (!place)
			return small;
		const at = place.localName === "path" ? place.getBBox() : { x: 0, y: 0, width: 0, height: 0 };
		small.setAttribute("viewBox", [at.x - 3, at.y + at.height / 2 - 7, Math.max(at.width, 30) + 6, 14].join(" "));
		small.setAttribute("aria-hidden", "true");
		small.append(...(boxes.length ? drawn : []).map((one) => one.cloneNode(true)));
		for (const copy of all("path", small))
			copy.setAttribute("fill", "none");
		return small;
	};
	const switches = (figure, svg) => {
		const names = [...new Set(all("[data-key]", svg).map((key) => key.dataset.key))]
			.filter((name) => all("[data-name]", svg).some((line) => line.dataset.name === name));
		if (!names.length)
			return;
		const list = make("fieldset", { className: "lines" }, make("legend", { textContent: "Lines that are shown" }));
		for (const name of names) {
			const input = make("input", { type: "checkbox", checked: true });
			const label = make("label", {}, input, sample(svg, name), name);
			input.addEventListener("change", () => set_off(svg, name, !input.checked));
			label.addEventListener("pointerenter", () => set_hot(svg, name));
			label.addEventListener("pointerleave", () => set_hot(svg, null));
			input.addEventListener("focus", () => set_hot(svg, name));
			input.addEventListener("blur", () => set_hot(svg, null));
			list.append(label);
		}
		figure.append(list);
	};

	/* ---- what is pointed at ---- */
	const pointed = document.getElementById("pointed");
	const near = [[0, 0], [3, 0], [-3, 0], [0, 3], [0, -3], [6, 0], [-6, 0], [0, 6], [0, -6]];
	const line_at = (svg, x, y) => {
		for (const [dx, dy] of near) {
			const hit = document.elementsFromPoint(x + dx, y + dy).find((element) => svg.contains(element) && element.closest("[data-name]"));
			if (hit)
				return hit.closest("[data-name]").dataset.name;
		}
		return null;
	};
	/* of figures with a row a queue: the label on the left that stands at the same height */
	const row_at = (svg, x, y) => {
		const drawn = document.elementsFromPoint(x, y).some((element) => svg.contains(element) && element.closest("g[id*='gnuplot_plot_']"));
		const label = drawn && all("[text-anchor='end']", svg).map((one) => [one.textContent.trim(), one.getBoundingClientRect()])
			.filter((pair) => pair[1].right < x).map((pair) => [Math.abs(pair[1].top + pair[1].height / 2 - y), pair[0]])
			.sort((a, b) => a[0] - b[0])[0];
		return label && label[0] < 16 ? label[1] : null;
	};
	/* of figures with a panel a queue: what stands over it */
	const panel_at = (svg, x, y) => {
		const drawn = document.elementsFromPoint(x, y).some((element) => svg.contains(element) && element.closest("g[id*='gnuplot_plot_']"));
		const title = drawn && all("[text-anchor='start']", svg).filter((one) => !one.closest("g[id*='gnuplot_plot_']"))
			.map((one) => [one.getBoundingClientRect().bottom, one.textContent.trim()]).filter((pair) => pair[0] <= y).sort((a, b) => b[0] - a[0])[0];
		return title ? title[1] : null;
	};
	const name_at = (figure, svg, x, y) => {
		const how = figure.dataset.names;
		return (how.includes("lines") && line_at(svg, x, y)) || (how.includes("rows") && row_at(svg, x, y)) ||
			(how.includes("panels") && panel_at(svg, x, y)) || null;
	};
	for (const figure of all("figure.chart")) {
		const svg = figure.querySelector("svg");
		if (!svg)
			continue;
		if (figure.dataset.names.includes("lines"))
			name_lines(svg);
		switches(figure, svg);
		svg.addEventListener("pointermove", (event) => {
			const name = name_at(figure, svg, event.clientX, event.clientY);
			set_hot(svg, name);
			pointed.hidden = !name;
			pointed.textContent = name;
			pointed.style.left = Math.max(4, Math.min(event.clientX + 12, innerWidth - pointed.offsetWidth - 8)) + "px";
			pointed.style.top = Math.max(4, event.clientY - pointed.offsetHeight - 10) + "px";
		});
		svg.addEventListener("pointerleave", () => {
			set_hot(svg, null);
			pointed.hidden = true;
		});
	}

	/* ---- on paper nothing can be opened ---- */
	addEventListener("beforeprint", () => {
		for (const closed of all("details:not([open])")) {
			closed.open = true;
			closed.dataset.closed = "";
		}
	});
	addEventListener("afterprint", () => {
		for (const opened of all("details[data-closed]")) {
			opened.open = false;
			delete opened.dataset.closed;
		}
	});
})();
