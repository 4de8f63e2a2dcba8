#!/usr/bin/env python3
"""Solves the program of one plan with HiGHS, whole and in POP's parts, on one core.

  python3 -m venv v && v/bin/pip install highspy
  v/bin/python bench/other_solvers.py [--lips PROGRAM] [--nodes N] [--tasks N] [--seconds N] [--parts N]

`lips plan` prints the time of a whole plan, from grouping the tasks to a place and a time for each, and its certified gap; the others get the linear program that
it exports, and their time is that of solving it alone. POP (SOSP 2021) deals the tasks out to parts at random, each with its share of every capacity.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import numpy


def planned(lips, folder, nodes, tasks):
    """The plan's record, and the path of the exported program."""
    snapshot, program = os.path.join(folder, "cluster.json.gz"), os.path.join(folder, "program.mps")
    subprocess.run([lips, "generate", "snapshot", "--nodes", str(nodes), "--tasks", str(tasks), "--classes", "240", "--zones", "6", "--output", snapshot], check=True)
    plan = subprocess.run([lips, "plan", snapshot, "--format", "json", "--export-mps", program], check=True, capture_output=True, text=True)
    return json.loads(plan.stdout), program


def solver(seconds):
    import highspy
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("time_limit", float(seconds))
    return highs


def solved(highs):
    """Objective, none if the time was too short, and seconds."""
    began = time.monotonic()
    highs.run()
    took = time.monotonic() - began
    done = highs.modelStatusToString(highs.getModelStatus()) == "Optimal"
    return (highs.getInfo().objective_function_value if done else None), took


def part_of(lp, columns, shared_columns, rows, share):
    """The program of these columns and rows; capacities, which are inequalities and the bounds of shared columns, have that share of their size."""
    import highspy
    start, index, value = (numpy.array(x) for x in (lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_))
    place = numpy.full(lp.num_row_, -1)
    place[rows] = numpy.arange(len(rows))
    entries = numpy.concatenate([numpy.arange(start[c], start[c + 1]) for c in columns])
    part = highspy.HighsLp()
    part.num_col_, part.num_row_ = len(columns), len(rows)
    part.col_cost_, part.col_lower_, part.col_upper_ = (numpy.array(x)[columns] for x in (lp.col_cost_, lp.col_lower_, lp.col_upper_))
    part.col_upper_ = numpy.where(shared_columns[columns], numpy.array(part.col_upper_) * share, part.col_upper_)
    lower, upper = numpy.array(lp.row_lower_)[rows], numpy.array(lp.row_upper_)[rows]
    shared = lower != upper
    part.row_lower_, part.row_upper_ = numpy.where(shared, lower * share, lower), numpy.where(shared, upper * share, upper)
    part.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    part.a_matrix_.start_ = numpy.concatenate([[0], numpy.cumsum(start[columns + 1] - start[columns])])
    part.a_matrix_.index_, part.a_matrix_.value_ = place[index[entries]], value[entries]
    return part


def in_parts(lp, parts, seconds):
    """POP: the parts one after the other. Objective, none if one has no solution, and seconds."""
    start, index = numpy.array(lp.a_matrix_.start_), numpy.array(lp.a_matrix_.index_)
    equal = numpy.array(lp.row_lower_) == numpy.array(lp.row_upper_)
    drawn = random.Random(1)
    of_row = numpy.array([drawn.randrange(parts) if is_equal else -1 for is_equal in equal])
    of_column = numpy.array([max((of_row[r] for r in index[start[c]:start[c + 1]]), default=-1) for c in range(lp.num_col_)])
    total, seconds_of_all = 0.0, 0.0
    for k in range(parts):
        rows, columns = numpy.flatnonzero(~equal | (of_row == k)), numpy.flatnonzero((of_column == k) | (of_column < 0))
        highs = solver(seconds)
        highs.passModel(part_of(lp, columns, of_column < 0, rows, 1 / parts))
        objective, took = solved(highs)
        seconds_of_all += took
        if objective is None:
            return None, seconds_of_all
        total += objective
    return total, seconds_of_all


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lips", default="build/release/lips")
    parser.add_argument("--nodes", type=int, default=100480)
    parser.add_argument("--tasks", type=int, default=1000000)
    parser.add_argument("--seconds", type=int, default=1200, help="for HiGHS (%(default)s)")
    parser.add_argument("--parts", type=int, default=16, help="of POP (%(default)s)")
    options = parser.parse_args()
    if sys.platform == "linux":
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as folder:
        plan, program = planned(options.lips, folder, options.nodes, options.tasks)
        print(f"lips: {plan['nodes']} nodes, {plan['pending']} tasks, {plan['rows']} rows, {plan['columns']} columns; whole plan {plan['stages']['total']:.2f} s, of which "
              f"solving {plan['stages']['solve']:.2f} s; certified gap {100 * plan['gap']:.4f} %", flush=True)
        highs = solver(options.seconds)
        highs.readModel(program)
        lp = highs.getLp()
        objective, took = solved(highs)
        best = plan["lowerBound"] if objective is None else objective

        def show(name, found, seconds):
            print(f"{name}: {seconds:.2f} s, " + ("no solution in that time" if found is None else f"{found:.4f} USD, {100 * (found / best - 1):+.4f} %"), flush=True)
        show("lips, whole tasks", plan["cost"], plan["stages"]["total"])
        show("HiGHS", objective, took)
        show(f"POP, {options.parts} parts by HiGHS", *in_parts(lp, options.parts, options.seconds))


if __name__ == "__main__":
    main()
