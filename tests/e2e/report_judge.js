// What report.js and report_size.js have in common: judge runs checks when the page is
// ready, and leaves what came of them in the element "verdict".
"use strict";
const lines = [];
const check = (what, is) => lines.push((is ? "ok " : "FAIL ") + what);
const all = selector => [...document.querySelectorAll(selector)];
const pause = ms => new Promise(done => setTimeout(done, ms));
const judge = checks => addEventListener("load", async () => {
	for (let i = 0; i < 200 && !document.documentElement.hasAttribute("data-ready"); i++) await pause(20);
	try {
		check("is ready", document.documentElement.hasAttribute("data-ready"));
		await checks();
	} catch (e) {
		lines.push("FAIL " + e.message);
	}
	const verdict = document.createElement("pre");
	verdict.id = "verdict";
	verdict.textContent = "\n" + lines.join("\n") + "\nend\n";
	document.body.append(verdict);
});
