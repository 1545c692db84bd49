// What stands in the head of every page.

import { h } from "./dom.js";
import * as text from "./text.js";
import { isDark, turn } from "./theme.js";

const { t } = text;

/** It says what it would bring. */
export function themeButton() {
	const name = () => t(isDark() ? "light" : "dark");
	const button = h("button", { type: "button", id: "theme", onclick: () => { turn(); button.textContent = name(); } }, name());
	return button;
}

/** `spoken()` makes everything anew. */
export function languageChooser(spoken) {
	return h("select", { "aria-label": t("language"), onchange: (event) => { text.choose(event.target.value); spoken(); } },
		Object.entries(text.LANGUAGES).map(([name, shown]) => h("option", { value: name, selected: name === text.current() }, shown)));
}
