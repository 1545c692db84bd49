// All words of the page, in two languages.

const WORDS = {
	en: {
		tables: "Tables", skip: "Skip to the query", query: "SQL query", run: "Run", cancel: "Cancel", show_plan: "Plan",
		history: "Earlier queries", table: "Table", chart: "Chart", plan: "Plan", search: "Search in the rows",
		running: "Running", rows: "{0} rows", row: "1 row", in_ms: "{0} in {1} ms", of_bytes: "{0} of {1} read",
		truncated: "only the first {0}: there is no memory for more", rejected: "{0} of {1} rows of the files could not be read",
		cancelled: "Cancelled.", csv: "Download CSV", json: "Download JSON", dark: "Dark", light: "Light",
		language: "Language", offline: "The server does not answer: is tamiz ui still running?", results: "Results",
		problem: "cannot be read", no_tables: "There are no tables here.", kind: "Chart", bars: "Bars", lines: "Lines",
		histogram: "Histogram", across: "Across", up: "Up", no_chart: "There are no numbers to draw.",
		first_rows: "The first {0} rows are drawn.", sort_by: "Sort by {0}", go: "Go to line {0}, column {1}",
		offers: "Completions", offered: "{0} completions, arrow keys choose", insert: "Insert {0}", null: "NULL",
		graph: "The nodes as they are connected", owner: "User", table_name: "Table", rows_read: "Rows", rejects: "Rejects", size: "Size", map_time: "Time to map", timeline: "What happened when",
		no_trace: "No node remembers anything of it.", took: "{0} s", trace_file: "The trace as a file for Perfetto or Chrome",
		shares: "Share of each reducer", fragment_took: "{0} ms for {1} packets, {2} in, {3} out", k_chunk: "chunk", k_map: "map", k_packet: "packet",
		k_fold: "fold", k_emission: "emission", k_result: "result", query_name: "Query", title: "Title", no_job: "There is no such job, or it is not yours to see.", ask: "Ask", who: "Who are you?", who_help: "This cluster asks for a token.", token: "Token", enter: "Enter",
		add_files: "Add files", drop_here: "or drop CSV files anywhere on this page", remove_file: "Remove {0}",
		of_bytes_sent: "{0} of {1} sent", of_steps: "{0} of {1} steps", job_of: "Job {0}", help: "Keys",
		help_run: "run the query", help_complete: "complete the word", help_leave: "leave the list, then the field",
		help_grid: "scroll, when the table has the focus", same: "Search: {0}", result_of: "Rows of the result",
		cluster: "Cluster", jobs: "Jobs", events: "Events", pages: "Pages", node: "Node", state: "State", detail: "Detail",
		restarts: "Restarts", cpu: "Processor", memory: "Memory", rate: "Per second", job: "Job", progress: "Progress",
		queries: "Queries", idle: "Last heard of", error: "Error", when: "When", what: "What", level: "Level", filter: "Filter",
		no_jobs: "There are no jobs.", no_events: "Nothing has happened since this page was opened.", all: "All", important: "Important",
		lost_cluster: "No gateway answers: {0}", leads: "{0} leads (term {1})", nobody_leads: "No watcher leads.",
		picture: "The cluster: {0}", csv_in: "CSV from clients", through: "To the broker", processors: "Processors", open_jobs: "Open jobs",
		line: "{0}, now {1}", gone_console: "The server does not answer: is tamiz console still running?", clients: "clients",
		ago: "{0} s ago", cancel_job: "Cancel job {0}", nodes_green: "{0} of {1} nodes are green",
		ev_restart: "{0} is started again", ev_node: "{0} is {1}", ev_leader: "{0} leads", ev_job: "Job {0} is {1}",
		ev_answers: "A gateway answers again", ev_silent: "No gateway answers",
		s_green: "green", s_red: "red", s_silent: "silent", s_gone: "gone", s_drained: "drained", s_starting: "starting", s_unknown: "unknown", s_leads: "leads",
		s_receiving: "receiving", s_working: "working", s_done: "done", s_failed: "failed", s_lost: "lost",
	},
	es: {
		tables: "Tablas", skip: "Ir a la consulta", query: "Consulta SQL", run: "Ejecutar", cancel: "Cancelar",
		show_plan: "Plan", history: "Consultas anteriores", table: "Tabla", chart: "Gráfico", plan: "Plan",
		search: "Buscar en las filas", running: "En curso", rows: "{0} filas", row: "1 fila", in_ms: "{0} en {1} ms",
		of_bytes: "{0} de {1} leídos", truncated: "solo las primeras {0}: no hay memoria para más",
		rejected: "{0} de {1} filas de los archivos no se pudieron leer", cancelled: "Cancelada.", csv: "Descargar CSV",
		json: "Descargar JSON", dark: "Oscuro", light: "Claro", language: "Idioma",
		offline: "El servidor no responde: ¿sigue en marcha tamiz ui?", results: "Resultados", problem: "no se puede leer",
		no_tables: "Aquí no hay tablas.", kind: "Gráfico", bars: "Barras", lines: "Líneas", histogram: "Histograma",
		across: "Horizontal", up: "Vertical", no_chart: "No hay números que dibujar.",
		first_rows: "Se dibujan las primeras {0} filas.", sort_by: "Ordenar por {0}", go: "Ir a la línea {0}, columna {1}",
		offers: "Sugerencias", offered: "{0} sugerencias; se elige con las flechas", insert: "Insertar {0}", null: "NULL",
		graph: "Los nodos y sus conexiones", owner: "Usuario", table_name: "Tabla", rows_read: "Filas", rejects: "Rechazos", size: "Tamaño", map_time: "Tiempo de lectura", timeline: "Qué pasó y cuándo",
		no_trace: "Ningún nodo recuerda nada de él.", took: "{0} s", trace_file: "La traza como archivo para Perfetto o Chrome",
		shares: "Parte de cada reducer", fragment_took: "{0} ms para {1} paquetes, entran {2}, salen {3}", k_chunk: "fragmento", k_map: "lectura", k_packet: "paquete",
		k_fold: "agrupación", k_emission: "emisión", k_result: "resultado", query_name: "Consulta", title: "Título", no_job: "No existe ese trabajo, o no es suyo.", ask: "Preguntar", who: "¿Quién es?", who_help: "Este clúster pide una ficha.", token: "Ficha", enter: "Entrar",
		add_files: "Añadir archivos", drop_here: "o suelte archivos CSV en cualquier parte de la página", remove_file: "Quitar {0}",
		of_bytes_sent: "{0} de {1} enviados", of_steps: "{0} de {1} pasos", job_of: "Trabajo {0}", help: "Teclas", help_run: "ejecutar la consulta",
		help_complete: "completar la palabra", help_leave: "salir de la lista, y luego del campo",
		help_grid: "desplazarse, con el foco en la tabla", same: "Búsqueda: {0}", result_of: "Filas del resultado",
		cluster: "Clúster", jobs: "Trabajos", events: "Sucesos", pages: "Páginas", node: "Nodo", state: "Estado", detail: "Detalle",
		restarts: "Reinicios", cpu: "Procesador", memory: "Memoria", rate: "Por segundo", job: "Trabajo", progress: "Avance",
		queries: "Consultas", idle: "Última noticia", error: "Error", when: "Cuándo", what: "Qué", level: "Nivel", filter: "Filtro",
		no_jobs: "No hay trabajos.", no_events: "No ha pasado nada desde que se abrió esta página.", all: "Todos", important: "Importantes",
		lost_cluster: "Ningún gateway responde: {0}", leads: "Dirige {0} (mandato {1})", nobody_leads: "No dirige ningún watcher.",
		picture: "El clúster: {0}", csv_in: "CSV de los clientes", through: "Al broker", processors: "Procesadores", open_jobs: "Trabajos abiertos",
		line: "{0}, ahora {1}", gone_console: "El servidor no responde: ¿sigue en marcha tamiz console?", clients: "clientes",
		ago: "hace {0} s", cancel_job: "Cancelar el trabajo {0}", nodes_green: "{0} de {1} nodos en verde",
		ev_restart: "{0} se inicia de nuevo", ev_node: "{0}: {1}", ev_leader: "Dirige {0}", ev_job: "Trabajo {0}: {1}",
		ev_answers: "Un gateway responde de nuevo", ev_silent: "Ningún gateway responde",
		s_green: "verde", s_red: "rojo", s_silent: "mudo", s_gone: "caído", s_drained: "retirado", s_starting: "arrancando", s_unknown: "desconocido", s_leads: "dirige",
		s_receiving: "recibiendo", s_working: "en curso", s_done: "hecho", s_failed: "fallido", s_lost: "perdido",
	},
};

export const LANGUAGES = { en: "English", es: "Español" };

function usual() {
	try {
		const kept = localStorage.getItem("tamiz-language");
		if (kept in WORDS) return kept;
	} catch {
		// A browser may keep nothing.
	}
	return navigator.language.startsWith("es") ? "es" : "en";
}

let language = usual();

export const current = () => language;

export function choose(name) {
	language = name;
	try {
		localStorage.setItem("tamiz-language", name);
	} catch {
		// It is forgotten with the page, then.
	}
}

export const has = (word) => word in WORDS[language];

export function t(word, ...values) {
	return WORDS[language][word].replace(/\{(\d)\}/g, (_, index) => values[index]);
}

export const count = (number) => number.toLocaleString(language);
export const rows = (number) => (number === 1 ? t("row") : t("rows", count(number)));

export function bytes(number) {
	const units = ["B", "KB", "MB", "GB", "TB"];
	let unit = 0;
	for (; number >= 1000 && unit < units.length - 1; unit++) number /= 1000;
	return `${number.toLocaleString(language, { maximumFractionDigits: unit ? 1 : 0 })} ${units[unit]}`;
}
