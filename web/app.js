// The page over files of this machine: its frame, and in it what asks.

import * as api from "./api.js";
import { Ask } from "./ask.js";
import { h, replace } from "./dom.js";
import { languageChooser, themeButton } from "./frame.js";
import * as text from "./text.js";

const { t } = text;

class App {
	constructor() {
		this.ask = new Ask({ prefix: "#" });
		this.name = "";
	}

	async start() {
		this.build(this.ask.build());
		try {
			const session = await api.session();
			this.name = this.place.textContent = session.name;
			await this.ask.start(session);
		} catch (error) {
			this.ask.fail(error);
		}
		document.documentElement.dataset.ready = "yes";
	}

	build(page) {
		document.documentElement.lang = text.current();
		this.place = h("span", { class: "place" }, this.name);
		replace(document.getElementById("app"),
			h("a", { class: "skip", href: "#sql", onclick: (event) => { event.preventDefault(); this.ask.focus(); } }, t("skip")),
			h("header", {}, h("h1", {}, "tamiz"), this.place, themeButton(), languageChooser(() => this.build(this.ask.rebuild()))),
			page);
	}
}

new App().start();
