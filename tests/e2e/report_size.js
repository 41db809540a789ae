// What a browser makes of the page of a larger fabric: report.sh puts this
// behind the page's own script, with window.switches, and reads "verdict".
judge(async () => {
	const apart = boxes => boxes.every((a, i) => boxes.every((b, k) => k <= i || a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 3 || b.bottom <= a.top + 3));
	const places = list => list.map(e => e.getBoundingClientRect());
	const cells = all("#map .cell[data-sw]");
	const texts = all("#map text:not(.mark)").filter(t => t.textContent !== "");
	const map = document.getElementById("map").getBoundingClientRect();
	check("every switch is drawn", cells.length === window.switches);
	check("each has a name", cells.every(c => c.getAttribute("aria-label").length > 0));
	check("no cells overlap", apart(places(all("#map .cell rect.box"))));
	check("there are texts", texts.length > 20);
	check("texts can be read", places(texts).every(t => t.height >= 9));
	check("no texts overlap", apart(places(texts)));
	check("all is in sight", places([...cells, ...texts]).every(b => b.left >= map.left && b.right <= map.right && b.top >= map.top && b.bottom <= map.bottom));
});
