"""The packs that can be measured: their queries, the tables that each of them reads, and the forms in
which the peers answer them. The first form of an engine is also the one that runs each query alone."""

import dataclasses


@dataclasses.dataclass
class Pack:
    name: str
    queries: list
    tables: dict  # what each query reads, for MB/s
    variants: dict
    size: str  # of the generated data, unless said otherwise
    files: str  # pattern of the CSV files in the data folder
    quoted: bool = False  # measure also with every field in quotes
    tolerance: float = 0  # relative, for means that engines round differently

    def table_of(self, path):
        return path.parent.name if "/" in self.files else path.stem


TAMIZ, FLOOR = {"tamiz": ["run"]}, {"floor": ["newlines"]}
FORMS = {**TAMIZ, "duckdb": ["queries", "concurrent", "table"], "polars": ["queries", "table"],
         "chdb": ["queries", "table"], **FLOOR}

PACKS = {pack.name: pack for pack in [
    Pack("coffee", ["q1", "q2a", "q2b", "q3", "q4"],
         {"q1": {"transactions"}, "q2a": {"transaction_items", "menu_items"},
          "q2b": {"transaction_items", "menu_items"}, "q3": {"transactions", "stores"},
          "q4": {"transactions", "stores", "users"}},
         {engine: forms + ["merged"] * (engine in ("duckdb", "polars", "chdb"))
          for engine, forms in FORMS.items()},
         size="2G", files="*/*.csv", quoted=True),
    Pack("movies", ["q1", "q2", "q3", "q4"],
         {"q1": {"movies_metadata"}, "q2": {"movies_metadata"}, "q3": {"movies_metadata", "ratings"},
          "q4": {"movies_metadata", "credits"}},
         FORMS, size="1G", files="*.csv", tolerance=1e-9),
    Pack("books", ["q1", "q2", "q3", "q4"],
         {"q1": {"books_data"}, "q2": {"books_data"}, "q3": {"books_data", "Books_rating"},
          "q4": {"books_data", "Books_rating"}},
         FORMS, size="1G", files="*.csv", tolerance=1e-9),
    Pack("trade", [f"q{number}" for number in range(1, 23)],
         {"q1": {"lines"}, "q2": {"regions", "countries", "suppliers", "products", "offers"},
          "q3": {"customers", "orders", "lines"}, "q4": {"orders", "lines"},
          "q5": {"regions", "countries", "suppliers", "customers", "orders", "lines"},
          "q6": {"lines"}, "q7": {"countries", "suppliers", "customers", "orders", "lines"},
          "q8": {"regions", "countries", "suppliers", "customers", "products", "orders", "lines"},
          "q9": {"countries", "suppliers", "products", "offers", "orders", "lines"},
          "q10": {"countries", "customers", "orders", "lines"},
          "q11": {"countries", "suppliers", "offers"}, "q12": {"orders", "lines"},
          "q13": {"customers", "orders"}, "q14": {"products", "lines"},
          "q15": {"suppliers", "lines"}, "q16": {"suppliers", "products", "offers"},
          "q17": {"products", "lines"}, "q18": {"customers", "orders", "lines"},
          "q19": {"products", "lines"},
          "q20": {"countries", "suppliers", "products", "offers", "lines"},
          "q21": {"countries", "suppliers", "orders", "lines"}, "q22": {"customers", "orders"}},
         {**TAMIZ, "duckdb": FORMS["duckdb"], "polars": [], "chdb": [], **FLOOR},
         size="1G", files="*.csv", tolerance=1e-9),
    Pack("h2o", [f"q{number}" for number in range(1, 16)],
         {**{f"q{number}": {"readings"} for number in range(1, 11)}, "q11": {"events", "small"},
          **{f"q{number}": {"events", "medium"} for number in (12, 13, 14)}, "q15": {"events", "large"}},
         {**TAMIZ, "duckdb": FORMS["duckdb"], "polars": [], "chdb": [], **FLOOR},
         size="1320M", files="*.csv", tolerance=1e-9),
    Pack("web", [f"q{number}" for number in range(1, 41)], {f"q{number}": {"visits"} for number in range(1, 41)},
         {**TAMIZ, "duckdb": FORMS["duckdb"], "polars": [], "chdb": [], **FLOOR},
         size="1G", files="*.csv", tolerance=1e-9),
]}
