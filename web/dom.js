// Elements are made here and nowhere else, and whatever is shown in them is text: nothing that comes from a
// file or a query is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, props, children) {
	for (const [name, value] of Object.entries(props || {})) {
		if (value === undefined || value === null || value === false) continue;
		if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
		else if (name in element && typeof value !== "string" && !(element instanceof SVGElement)) element[name] = value;
		else element.setAttribute(name, value === true ? "" : value);
	}
	element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
	return element;
}

export function h(tag, props, ...children) {
	return fill(document.createElement(tag), props, children);
}

export function svg(tag, props, ...children) {
	return fill(document.createElementNS(SVG, tag), props, children);
}

export function replace(element, ...children) {
	element.replaceChildren(...children.flat().filter(Boolean));
}
