// Dark or light: as the system has it, until somebody chooses.

export function keep(name, value) {
	try {
		localStorage.setItem(name, value);
	} catch {
		// A browser may keep nothing; then it is forgotten with the page.
	}
}

export function kept(name) {
	try {
		return localStorage.getItem(name);
	} catch {
		return null;
	}
}

let dark = (kept("tamiz-theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

function show() {
	document.documentElement.classList.toggle("dark", dark);
}

export const isDark = () => dark;

export function turn() {
	dark = !dark;
	keep("tamiz-theme", dark ? "dark" : "light");
	show();
}

show();
