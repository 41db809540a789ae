// What a browser makes of the page of heddlectl report, without a hand at it:
// report.sh puts this behind the page's own script, loads it as #path=h1,h32 in
// chromium without a window, and reads the element "verdict".
judge(async () => {
	const text = id => document.getElementById(id).textContent;
	const cell = name => all(".cell[data-sw]").find(g => g.getAttribute("aria-label").startsWith(name + ","));
	const press = (at, key) => at.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
	const choose = (id, value) => {
		const input = document.getElementById(id);
		input.value = value;
		input.dispatchEvent(new Event("input"));
		press(input, "Enter");
	};
	check("twelve switches", all(".cell[data-sw]").length === 12);
	check("each has a name", all(".cell[data-sw] > text:not(.mark)").every(t => t.textContent !== ""));
	check("the summary", ["verified528 pairs", "loadbusiest link", "bisectioneffective", "missing3 links"].every(t => text("side").includes(t)));
	check("links are drawn", all("#map .links path, #map .bundles path").length > 0);
	// the path of the address
	check("path: three switches", text("path-is").startsWith("h1 \u2192 h32: 3 switches"));
	check("path: drawn", all("#map .path path").length === 4 && all("#map .step").length === 4);
	check("path: marked", all(".cell.on-path").length === 5);
	check("path: its switches", ["leaf1", "leaf8"].every(n => cell(n).classList.contains("on-path")));
	check("path: the same port", (choose("to", "h1"), /same port/.test(text("path-is"))));
	choose("from", "h31");
	check("path: another one", text("path-is").startsWith("h31 \u2192 h1: 3 switches"));
	check("path: as traced by heddlectl", text("path-is").includes(window.expected));
	// names of the fabric are text
	choose("find", "<\/script>");
	check("a hostile name is found", text("told").startsWith("<\/script><script>window.bad=1<\/script>,"));
	check("and shown", text("chosen").includes("<\/script><script>window.bad=1<\/script>"));
	choose("find", "onload");
	check("that of a host, too", text("chosen").includes("<svg/onload=window.bad=2>"));
	choose("find", "0x0002c90200000100");
	check("a GUID is found", text("chosen").startsWith("leaf1"));
	// hosts unfold, colours change
	const map = document.getElementById("map"), before = all("#map .trays .cell").length;
	cell("leaf6").dispatchEvent(new MouseEvent("click", { bubbles: true }));
	check("a click chooses", text("chosen").startsWith("leaf6"));
	cell("leaf6").dispatchEvent(new MouseEvent("click", { bubbles: true }));
	check("another one unfolds its hosts", all("#map .trays .cell").length === before + 4);
	for (const colour of ["errors", "speed", "load"]) {
		const select = document.getElementById("colour");
		select.value = colour;
		select.dispatchEvent(new Event("change"));
		check("legend of " + colour, text("legend").length > 0);
	}
	// by keys
	cell("leaf2").focus();
	press(document.activeElement, "ArrowRight");
	check("arrow keys move", document.activeElement.getAttribute("aria-label").startsWith("leaf3,"));
	press(document.activeElement, "Enter");
	check("Enter chooses", text("chosen").startsWith("leaf3"));
	press(document.activeElement, "Escape");
	check("Escape clears", text("chosen").startsWith("Click"));
	const was = map.getAttribute("viewBox");
	press(map, "+");
	check("+ enlarges", parseFloat(map.getAttribute("viewBox").split(" ")[2]) < parseFloat(was.split(" ")[2]));
	press(map, "0");
	press(map, "/");
	check("/ searches", document.activeElement.id === "find");
	// nothing stands on anything
	const boxes = all("#map .cell rect.box").map(r => ["x", "y", "width", "height"].map(a => parseFloat(r.getAttribute(a))));
	check("no cells overlap", boxes.every((p, i) => boxes.every((q, k) => k <= i || p[0] + p[2] <= q[0] || q[0] + q[2] <= p[0] || p[1] + p[3] <= q[1] || q[1] + q[3] <= p[1])));
	check("texts are inside their cells", all("#map .cell > text:not(.mark)").every(t => {
		const a = t.getBoundingClientRect(), b = t.parentNode.querySelector("rect.box").getBoundingClientRect();
		return t.textContent === "" || a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 2 && a.bottom <= b.bottom + 2;
	}));
	all("details").forEach(d => { d.open = true; });
	await pause(50);
	const cuts = all("#side li").map(li => li.textContent).filter(t => t.startsWith("without "));
	check("single points of failure", cuts.length === 2 && cuts.includes("without switch spine4 others are disconnected")
		&& cuts.some(t => /without the link .*(spine4.*leaf7|leaf7.*spine4)/.test(t)));
	check("what is missing is told", text("side").includes("spine4") && all(".cell.absent").length === 0);
	check("drained", cell("spine1").classList.contains("drained") && /by root|by /.test(text("side")));
	// whatever was shown
	check("nothing ran", window.bad === undefined);
	check("no element of a name", all("img, iframe, object, a, link, base, form").length === 0 && all("svg").length === 1);
	check("scripts are ours", all("script").length === 3);
});
