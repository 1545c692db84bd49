// A hundred texts that would do something where a page takes them for more than texts. Each that is run says so:
// it calls hacked(), which the page gets from the tests.

const calls = ["hacked()", "top.hacked()", "window['hacked']()", "setTimeout(hacked)", "hacked`1`"];
const forms = [
	(call) => `<script>${call}</script>`,
	(call) => `</script><script>${call}</script>`,
	(call) => `<img src=x onerror="${call}">`,
	(call) => `<svg onload="${call}">`,
	(call) => `<svg><script>${call}</script></svg>`,
	(call) => `<iframe srcdoc="<script>parent.${call}</script>"></iframe>`,
	(call) => `<a href="javascript:${call}" autofocus onfocus="${call}">x</a>`,
	(call) => `"><body onload=${call}>`,
	(call) => `'-${call}-'`,
	(call) => `\${${call}}`,
	(call) => `{{constructor.constructor("${call}")()}}`,
	(call) => `<details open ontoggle="${call}">x</details>`,
	(call) => `<style>@import "javascript:${call}"</style>`,
	(call) => `<link rel=stylesheet href="javascript:${call}">`,
	(call) => `<meta http-equiv="refresh" content="0;url=javascript:${call}">`,
	(call) => `<input autofocus onfocus=${call}>`,
	(call) => `<video><source onerror="${call}"></video>`,
	(call) => `javascript:${call}//`,
	(call) => `<math><mtext></mtext><mglyph><style><img src onerror=${call}></style></mglyph></math>`,
	(call) => `*/${call}/*<!--`,
];

export const payloads = forms.flatMap((form) => calls.map(form));
