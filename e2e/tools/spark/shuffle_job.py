"""A DataFrame job that is all shuffle: rows of random numbers are hashed to other partitions, then summed by key. Writes nothing.

Waits until all executors have registered, so that runs compare; not with dynamic allocation, where nobody says how many."""
import sys
import time

from pyspark.sql import SparkSession

rows, partitions, patience = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
spark = SparkSession.builder.getOrCreate()
wanted = int(spark.sparkContext.getConf().get("spark.executor.instances", "0"))
tracker = spark.sparkContext._jsc.sc().statusTracker()
began = time.time()
while len(tracker.getExecutorInfos()) - 1 < wanted:
    if time.time() - began > patience:
        sys.exit(f"{len(tracker.getExecutorInfos()) - 1} of {wanted} executors after {patience} s")
    time.sleep(0.2)
frame = spark.range(0, rows, 1, partitions).selectExpr("id", "rand(1) a", "rand(2) b", "rand(3) c", "rand(4) d")
frame = frame.repartition(partitions, "id").selectExpr("id % 1000 k", "a", "b", "c", "d")
found = frame.groupBy("k").agg({"a": "sum", "b": "sum", "c": "sum", "d": "max", "k": "count"}).collect()
assert sum(row["count(k)"] for row in found) == rows, "rows are missing"
spark.stop()
print("all rows are there")
