"""The coffee queries on Dask.distributed: a scheduler and two worker processes on this machine. Variants:

  queries  one query after the other, each reads the CSV files
  table    the needed columns of 2024 and 2025 into the workers' memory first, then the queries on those

usage: /usr/bin/python3 bench/coffee/dask_cluster.py VARIANT DATA OUT QUERY...

Timestamps stay text, as for Polars: they compare as they stand. Groups are summed by the workers; what is left
of them is sorted, joined and written here, in pandas."""

import os
import pathlib
import sys

import dask.dataframe as dd
import pandas as pd
from distributed import Client, LocalCluster, wait

THREADS = int(os.environ.get("THREADS", "2"))
BLOCK_BYTES = "64MB"
TYPES = {
    "transactions": {"transaction_id": str, "store_id": "int64", "user_id": "float64", "final_amount": "float64",
                     "created_at": str},
    "transaction_items": {"item_id": "int64", "quantity": "int64", "subtotal": "float64", "created_at": str},
}


class Coffee:
    def __init__(self, data):
        self.data = data
        self.kept = {}

    def read(self, table):
        """The columns of a large table that some query reads, rows of 2024 and 2025."""
        if table in self.kept:
            return self.kept[table]
        types = TYPES[table]
        rows = dd.read_csv(f"{self.data}/{table}/*.csv", usecols=list(types), dtype=types, blocksize=BLOCK_BYTES)
        return rows[(rows.created_at >= "2024-01-01") & (rows.created_at < "2026-01-01")]

    def small(self, table, *columns):
        files = sorted(pathlib.Path(self.data, table).glob("*.csv"))
        return pd.concat(pd.read_csv(file, usecols=list(columns)) for file in files)

    def keep(self):
        self.kept = {table: self.read(table).persist() for table in TYPES}
        wait(list(self.kept.values()))

    def in_hours(self):
        rows = self.read("transactions")
        hour = rows.created_at.str.slice(11, 19)
        return rows[(hour >= "06:00:00") & (hour <= "23:00:00")]

    def best_items(self, column, name):
        rows = self.read("transaction_items")
        rows = rows.assign(month=rows.created_at.str.slice(0, 7))
        sums = rows.groupby(["month", "item_id"])[column].sum().compute().reset_index()
        best = sums.sort_values(["month", column, "item_id"], ascending=[True, False, True]).groupby("month").head(1)
        best = best.merge(self.small("menu_items", "item_id", "item_name"), on="item_id").sort_values("month")
        best[column] = best[column].round(3)
        return best.rename(columns={"month": "year_month_created_at", column: name})[
            ["year_month_created_at", "item_name", name]]

    def q1(self):
        rows = self.in_hours()
        found = rows[rows.final_amount >= 75][["transaction_id", "final_amount"]].compute()
        return found.sort_values("transaction_id")

    def q2a(self):
        return self.best_items("quantity", "sellings_qty")

    def q2b(self):
        return self.best_items("subtotal", "profit_sum")

    def q3(self):
        rows = self.in_hours()
        rows = rows.assign(month=rows.created_at.str.slice(0, 7))
        sums = rows.groupby(["month", "store_id"]).final_amount.sum().compute().reset_index()
        half = sums.month.str.slice(5, 7).le("06").map({True: "-H1", False: "-H2"})
        sums["year_half_created_at"] = sums.month.str.slice(0, 4) + half
        sums = sums.groupby(["year_half_created_at", "store_id"]).final_amount.sum().round(3).reset_index()
        sums = sums.merge(self.small("stores", "store_id", "store_name"), on="store_id")
        sums = sums.rename(columns={"final_amount": "tpv"}).sort_values(["year_half_created_at", "store_name"])
        return sums[["year_half_created_at", "store_name", "tpv"]]

    def q4(self):
        rows = self.read("transactions")
        rows = rows[rows.user_id.notnull()]
        counts = rows.groupby(["store_id", "user_id"], sort=False).final_amount.size(split_out=4).compute()
        counts = counts.rename("purchases_qty").reset_index()
        counts["user_id"] = counts.user_id.astype("int64")
        order = ["purchases_qty", "user_id"]
        best = counts.sort_values(["store_id", *order], ascending=[True, False, True]).groupby("store_id").head(3)
        best = best.merge(self.small("users", "user_id", "birthdate"), on="user_id")
        best = best.merge(self.small("stores", "store_id", "store_name"), on="store_id")
        best = best.sort_values(["store_name", *order], ascending=[True, False, True])
        return best[["store_name", "birthdate", "purchases_qty"]]


def main():
    variant, data, out, *queries = sys.argv[1:]
    pathlib.Path(out).mkdir(parents=True, exist_ok=True)
    with LocalCluster(n_workers=2, threads_per_worker=max(1, THREADS // 2), host="127.0.0.1",
                      dashboard_address=None) as cluster, Client(cluster):
        coffee = Coffee(data)
        if variant == "table":
            coffee.keep()
        for query in queries:
            getattr(coffee, query)().to_csv(pathlib.Path(out, f"{query}.csv"), index=False)


if __name__ == "__main__":
    main()
